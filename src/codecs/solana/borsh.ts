import { base58 } from '@scure/base';
import { isRecord } from '../../lib/isRecord.ts';

export type IdlType =
  | string
  | { readonly vec: IdlType }
  | { readonly option: IdlType }
  /** As `option`, with four bytes for whether there is a value. */
  | { readonly coption: IdlType }
  | { readonly array: IdlType; readonly length: number }
  | { readonly defined: string }
  | { readonly struct: readonly BorshField[] }
  | { readonly enum: readonly BorshField[] };
export type BorshField = { readonly name: string; readonly type: IdlType };
export type Types = ReadonlyMap<string, IdlType>;

/** Types within types; an IDL can name itself. */
const maxDepth = 32;
/** Of elements of a list; more is no honest event. */
const maxItems = 10_000;

/**
 * Decodes borsh: integers up to 32 bits as numbers, larger as bigints, keys as base58, bytes as hexadecimal, enums as
 * variant name or record. Throws a RangeError for bytes that are not of the type.
 */
export function decodeBorsh(type: IdlType, bytes: Uint8Array, types: Types): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;

  function take(size: number): number {
    const start = offset;
    offset += size;
    if (offset > bytes.length) throw new RangeError('The data is shorter than its type.');
    return start;
  }

  function count(): number {
    const size = view.getUint32(take(4), true);
    if (size > maxItems && size > bytes.length) throw new RangeError('The data has a list that is too long.');
    return size;
  }

  function decode(one: IdlType, depth: number): unknown {
    if (depth > maxDepth) throw new RangeError('The type goes too deep.');
    if (typeof one === 'string') return plain(one);
    if ('vec' in one) return Array.from({ length: count() }, () => decode(one.vec, depth + 1));
    if ('option' in one) return view.getUint8(take(1)) === 0 ? null : decode(one.option, depth + 1);
    if ('coption' in one) {
      const isSome = view.getUint32(take(4), true) !== 0;
      const value = decode(one.coption, depth + 1);
      return isSome ? value : null;
    }
    if ('array' in one) {
      if (one.length > maxItems) throw new RangeError('The type has an array that is too long.');
      return Array.from({ length: one.length }, () => decode(one.array, depth + 1));
    }
    if ('defined' in one) return decode(definition(one.defined, types), depth + 1);
    if ('struct' in one)
      return Object.fromEntries(
        one.struct.map(({ name, type: fieldType }) => [name, decode(fieldType, depth + 1)]),
      );
    const variant = one.enum[view.getUint8(take(1))];
    if (!variant) throw new RangeError('The data has a variant that its type does not.');
    const fields = decode(variant.type, depth + 1);
    return isRecord(fields) && Object.keys(fields).length > 0 ? { [variant.name]: fields } : variant.name;
  }

  function plain(name: string): unknown {
    const integer = integers[name];
    if (integer) {
      const { size, isSigned } = integer;
      let value = 0n;
      const start = take(size);
      for (let index = size - 1; index >= 0; index--)
        value = (value << 8n) | BigInt(view.getUint8(start + index));
      const signed = isSigned ? BigInt.asIntN(size * 8, value) : value;
      return size <= 4 ? Number(signed) : signed;
    }
    switch (name) {
      case 'bool':
        return view.getUint8(take(1)) !== 0;
      case 'f32':
        return view.getFloat32(take(4), true);
      case 'f64':
        return view.getFloat64(take(8), true);
      case 'pubkey':
        return base58.encode(bytes.subarray(take(32), offset));
      case 'string':
      case 'bytes': {
        const size = view.getUint32(take(4), true);
        const content = Buffer.from(bytes.subarray(take(size), offset));
        return name === 'string' ? content.toString('utf8') : `0x${content.toString('hex')}`;
      }
      default:
        throw new RangeError(`The IDL has a type that is not known: ${name}.`);
    }
  }

  return decode(type, 0);
}

/** The bytes of values as people write them: numbers also as text, lists and records as JSON. */
export function encodeBorsh(
  type: IdlType,
  value: unknown,
  types: Types,
  where = 'value',
  depth = 0,
): Uint8Array {
  const inner = (innerType: IdlType, item: unknown, name: string) =>
    encodeBorsh(innerType, item, types, `${where}.${name}`, depth + 1);
  if (depth > maxDepth) throw new RangeError('The type goes too deep.');
  if (typeof type === 'string') return encodePlain(type, value, where);
  if ('vec' in type) {
    const items = itemsOf(value, where);
    return concat(uint(BigInt(items.length), 4), ...items.map((item, n) => inner(type.vec, item, String(n))));
  }
  if ('option' in type || 'coption' in type) {
    const optionType = 'option' in type ? type.option : type.coption;
    const isNone = value === null || value === undefined;
    if ('coption' in type) {
      if (isNone) throw new RangeError(`${where} cannot be left out: its size is not known.`);
      return concat(uint(1n, 4), inner(optionType, value, 'value'));
    }
    return isNone ? Uint8Array.of(0) : concat(Uint8Array.of(1), inner(optionType, value, 'value'));
  }
  if ('array' in type) {
    const items = itemsOf(value, where);
    if (items.length !== type.length) throw new RangeError(`${where} must have ${type.length} items.`);
    return concat(...items.map((item, n) => inner(type.array, item, String(n))));
  }
  if ('defined' in type) return encodeBorsh(definition(type.defined, types), value, types, where, depth + 1);
  if ('struct' in type) {
    const members: Record<string, unknown> = Object(value);
    return concat(...type.struct.map(({ name, type: fieldType }) => inner(fieldType, members[name], name)));
  }
  const [name, fields] =
    typeof value === 'string' ? [value, {}] : (Object.entries(Object(value))[0] ?? ['', {}]);
  const index = type.enum.findIndex((variant) => variant.name === name);
  const variant = type.enum[index];
  if (!variant)
    throw new RangeError(`${where} must be one of ${type.enum.map((variant) => variant.name).join(', ')}.`);
  return concat(Uint8Array.of(index), inner(variant.type, fields, name));
}

const integers: Readonly<Record<string, { size: number; isSigned: boolean } | undefined>> =
  Object.fromEntries(
    [1, 2, 4, 8, 16, 32].flatMap((size) => [
      [`u${size * 8}`, { size, isSigned: false }],
      [`i${size * 8}`, { size, isSigned: true }],
    ]),
  );

function encodePlain(name: string, value: unknown, where: string): Uint8Array {
  const integer = integers[name];
  if (integer) {
    const { size, isSigned } = integer;
    if (typeof value !== 'bigint' && !/^-?\d{1,80}$/.test(String(value)))
      throw new RangeError(`${where} must be a whole number.`);
    const number = BigInt(String(value));
    const fits = isSigned ? BigInt.asIntN(size * 8, number) : BigInt.asUintN(size * 8, number);
    if (fits !== number) throw new RangeError(`${where} does not fit ${name}.`);
    return uint(BigInt.asUintN(size * 8, number), size);
  }
  switch (name) {
    case 'bool':
      if (typeof value !== 'boolean' && value !== 'true' && value !== 'false')
        throw new RangeError(`${where} must be true or false.`);
      return Uint8Array.of(String(value) === 'true' ? 1 : 0);
    case 'f32':
    case 'f64': {
      const number = Number(value);
      if (!Number.isFinite(number)) throw new RangeError(`${where} must be a number.`);
      const bytes = new DataView(new ArrayBuffer(name === 'f32' ? 4 : 8));
      if (name === 'f32') bytes.setFloat32(0, number, true);
      else bytes.setFloat64(0, number, true);
      return new Uint8Array(bytes.buffer);
    }
    case 'pubkey':
      return keyBytes(value, where);
    case 'string': {
      const text = new TextEncoder().encode(String(value));
      return concat(uint(BigInt(text.length), 4), text);
    }
    case 'bytes': {
      if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(value))
        throw new RangeError(`${where} must be bytes such as 0x1234.`);
      const bytes = Buffer.from(value.slice(2), 'hex');
      return concat(uint(BigInt(bytes.length), 4), bytes);
    }
    default:
      throw new RangeError(`The IDL has a type that is not known: ${name}.`);
  }
}

/** The 32 bytes of an address. */
export function keyBytes(value: unknown, where: string): Uint8Array {
  try {
    const bytes = base58.decode(String(value));
    if (bytes.length === 32) return bytes;
  } catch {
    // Not base58 either.
  }
  throw new RangeError(`${where} must be the base58 text of 32 bytes.`);
}

function definition(name: string, types: Types): IdlType {
  const type = types.get(name);
  if (type === undefined) throw new RangeError(`The IDL does not describe the type ${name}.`);
  return type;
}

function itemsOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new RangeError(`${where} must be a list.`);
  return value;
}

/** Little-endian. */
export function uint(value: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
