import { isRecord, membersOf } from '../../lib/isRecord.ts';
import { caseOf } from './caseOf.ts';
import type { Spec, SpecType } from './spec.ts';
import { decodeStrkey, strkeyVersion, withoutMuxing } from './strkey.ts';

/** A value of a contract as scripts and conditions use it: whole numbers are big integers, structs have members by name. */
export function toPlain(value: unknown): unknown {
  if (!isRecord(value)) return value === 'void' ? null : value;
  const { name: kind, held: inner } = caseOf(value);
  if (/^([ui](32|64|128|256)|timepoint|duration)$/.test(kind)) return BigInt(String(inner));
  if (kind === 'address') return withoutMuxing(String(inner));
  if (kind === 'bytes') return `0x${String(inner)}`;
  if (kind === 'vec') return listOf(inner).map(toPlain);
  if (kind === 'map') return toMembers(listOf(inner));
  return inner;
}

/** Maps whose keys are texts have members, others are lists of keys with values. */
function toMembers(pairs: readonly unknown[]): unknown {
  const items = pairs.map((pair) => {
    const { key, val } = membersOf(pair);
    return [toPlain(key), toPlain(val)] as const;
  });
  return items.every(([key]) => typeof key === 'string') ? Object.fromEntries(items) : items;
}

const maxDepth = 16;

/** The value of a type from what people write, in its JSON form; throws a RangeError that names what is wrong. */
export function toScVal(
  type: SpecType,
  value: unknown,
  types: Spec['types'],
  label: string,
  depth = 0,
): unknown {
  const fault = (words: string) => new RangeError(`${label} must be ${words}.`);
  const inner = (innerType: unknown, item: unknown, where: string) =>
    toScVal(innerType as SpecType, item, types, where, depth + 1);
  if (depth > maxDepth) throw new RangeError(`${label} goes too deep.`);
  if (typeof type === 'string') return toSimple(type, value, fault);
  const { name: kind, held: about } = caseOf(type);
  const {
    element_type: element,
    value_type: held,
    value_types: items,
    key_type: key,
    n,
    name,
    ok_type: ok,
  } = membersOf(about);
  switch (kind) {
    case 'option':
      return value === null || value === 'none' ? 'void' : inner(held, value, label);
    case 'result':
      return inner(ok, value, label);
    case 'vec':
      if (!Array.isArray(value)) throw fault('a list');
      return { vec: value.map((item, index) => inner(element, item, `${label}/${index}`)) };
    case 'tuple': {
      const wanted = listOf(items);
      if (!Array.isArray(value) || value.length !== wanted.length)
        throw fault(`a list of ${wanted.length} values`);
      return { vec: wanted.map((itemType, index) => inner(itemType, value[index], `${label}/${index}`)) };
    }
    case 'map':
      if (!isRecord(value)) throw fault('an object');
      return {
        map: Object.entries(value)
          .map(([entryKey, item]) => ({
            key: inner(key, entryKey, label),
            val: inner(held, item, `${label}/${entryKey}`),
          }))
          .sort(byKey),
      };
    case 'bytes_n': {
      const digits = hexOf(value);
      if (digits?.length !== 2 * Number(n)) throw fault(`${String(n)} bytes in hexadecimal digits`);
      return { bytes: digits };
    }
    case 'udt':
      return toUdt(String(name), value, types, label, depth);
    default:
      throw new RangeError(`${label} has a type that is not known: ${kind}.`);
  }
}

function toUdt(name: string, value: unknown, types: Spec['types'], label: string, depth: number): unknown {
  const udt = types.get(name);
  if (!udt) throw new RangeError(`${label} has the type ${name}, which the spec does not describe.`);
  if ('values' in udt) {
    const number = udt.values.get(String(value));
    if (number === undefined)
      throw new RangeError(`${label} must be one of ${[...udt.values.keys()].join(', ')}.`);
    return { u32: number };
  }
  if ('fields' in udt) {
    const isTuple = udt.fields.every(({ name: fieldName }, index) => fieldName === String(index));
    if (!isRecord(value) && !(isTuple && Array.isArray(value)))
      throw new RangeError(
        `${label} must be an object with ${udt.fields.map(({ name: fieldName }) => fieldName).join(', ')}.`,
      );
    const members = value as Readonly<Record<string, unknown>>;
    const values = udt.fields.map(
      ({ name: fieldName, type }) =>
        [fieldName, toScVal(type, members[fieldName], types, `${label}/${fieldName}`, depth + 1)] as const,
    );
    if (isTuple) return { vec: values.map(([, val]) => val) };
    return { map: values.map(([symbol, val]) => ({ key: { symbol }, val })).sort(byKey) };
  }
  const [kind, ...rest] = Array.isArray(value) ? (value as unknown[]) : [value];
  const wanted = udt.cases.get(String(kind));
  if (!wanted || wanted.length !== rest.length)
    throw new RangeError(
      `${label} must be one of ${[...udt.cases].map(([caseName, held]) => (held.length === 0 ? caseName : `[${caseName}, …]`)).join(', ')}.`,
    );
  const held = wanted.map((caseType, index) =>
    toScVal(caseType, rest[index], types, `${label}/${index}`, depth + 1),
  );
  return { vec: [{ symbol: String(kind) }, ...held] };
}

/** Maps are kept in the order of their keys. */
function byKey(left: { key: unknown }, right: { key: unknown }): number {
  const [a, b] = [left, right].map(({ key }) => Object.values(membersOf(key))[0]);
  return String(a) < String(b) ? -1 : 1;
}

function toSimple(type: string, value: unknown, fault: (words: string) => RangeError): unknown {
  const [, sign, bits] = /^([ui])(32|64|128|256)$/.exec(type) ?? [];
  if (bits !== undefined || type === 'timepoint' || type === 'duration') {
    if (typeof value !== 'bigint' && !/^-?\d{1,80}$/.test(String(value)))
      throw fault(`a whole number (${type})`);
    const number = BigInt(value as string | number | bigint);
    const size = Number(bits ?? 64);
    if (number !== (sign === 'i' ? BigInt.asIntN(size, number) : BigInt.asUintN(size, number)))
      throw fault(`within the range of ${type}`);
    return { [type]: size === 32 ? Number(number) : number.toString() };
  }
  switch (type) {
    case 'bool':
      if (String(value) !== 'true' && String(value) !== 'false') throw fault('true or false');
      return { bool: String(value) === 'true' };
    case 'address':
    case 'muxed_address': {
      // Stands for the wallet that signs.
      if (value === 'wallet') return { address: value };
      const strkey = decodeStrkey(String(value));
      const isRight =
        strkey?.version === strkeyVersion.account ||
        strkey?.version === strkeyVersion.contract ||
        (type === 'muxed_address' && strkey?.version === strkeyVersion.muxed);
      if (!isRight) throw fault('the address of an account (G…) or of a contract (C…)');
      return { address: String(value) };
    }
    case 'symbol':
      if (!/^\w{1,32}$/.test(String(value))) throw fault('a symbol of up to 32 letters, digits and _');
      return { symbol: String(value) };
    case 'string':
      if (typeof value !== 'string') throw fault('a text');
      return { string: value };
    case 'bytes': {
      const digits = hexOf(value);
      if (digits === undefined) throw fault('bytes in hexadecimal digits');
      return { bytes: digits };
    }
    case 'void':
      return 'void';
    default:
      throw fault(`of a type that can be passed, and not ${type}`);
  }
}

function hexOf(value: unknown): string | undefined {
  const [, digits] = /^(?:0x)?((?:[0-9a-f]{2})*)$/i.exec(String(value)) ?? [];
  return digits?.toLowerCase();
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
