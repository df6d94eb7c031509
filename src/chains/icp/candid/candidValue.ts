import type { IDL as Idl } from '@icp-sdk/core/candid';
import { isRecord } from '../../../lib/isRecord.ts';
import { decodePrincipal } from '../accounts.ts';
import type { Icp } from '../loadIcp.ts';
import type { CandidType } from './parseCandid.ts';

/** A value as people write it, checked and in a form that JSON keeps. Throws a RangeError that names the place. */
export function readCandidValue(type: CandidType, value: unknown, place: string): unknown {
  const refuse = (what: string) => new RangeError(`${place} must be ${what}.`);
  if (typeof type !== 'string') {
    if ('opt' in type) return value === null ? null : [readCandidValue(type.opt, value, place)];
    if ('vec' in type) {
      if (type.vec === 'nat8') return readCandidValue('blob', value, place);
      if (!Array.isArray(value)) throw refuse('a list');
      return value.map((item, index) => readCandidValue(type.vec, item, `${place}[${index}]`));
    }
    if ('record' in type) {
      const given: unknown = Array.isArray(value) ? { ...value } : value;
      if (!isRecord(given)) throw refuse(`a record with ${type.record.map(([name]) => name).join(', ')}`);
      const unknown = Object.keys(given).find((name) => type.record.every(([own]) => own !== name));
      if (unknown !== undefined) throw new RangeError(`${place} has no member ${unknown}.`);
      return Object.fromEntries(
        type.record.map(([name, own]) => [
          name,
          readCandidValue(own, given[name] ?? null, `${place}.${name}`),
        ]),
      );
    }
    if ('variant' in type) {
      const [name, inner] =
        typeof value === 'string' ? [value, null] : isRecord(value) ? (Object.entries(value)[0] ?? []) : [];
      const own = type.variant.find(([each]) => each === name);
      if (!own || (isRecord(value) && Object.keys(value).length !== 1))
        throw refuse(
          `one of ${type.variant.map(([each]) => each).join(', ')}, or a record of one with its value`,
        );
      return { [own[0]]: readCandidValue(own[1], inner, `${place}.${own[0]}`) };
    }
    throw refuse('of a known type');
  }
  if (/^(nat|int)\d*$/.test(type)) {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text !== 'string' || !/^-?\d{1,200}$/.test(text))
      throw refuse('a whole number, as text where it is large');
    const [least, most] = boundsOf(type);
    const number = BigInt(text);
    if ((least !== undefined && number < least) || (most !== undefined && number > most))
      throw refuse(`within ${type}`);
    return number.toString();
  }
  switch (type) {
    case 'text':
      if (typeof value !== 'string') throw refuse('a text');
      return value;
    case 'bool':
      if (typeof value !== 'boolean' && value !== 'true' && value !== 'false') throw refuse('true or false');
      return String(value) === 'true';
    case 'float32':
    case 'float64':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse('a number');
      return value;
    case 'principal':
      if (typeof value !== 'string' || !decodePrincipal(value)) throw refuse('a principal');
      return value;
    case 'blob':
      if (typeof value !== 'string' || !/^(0x)?([0-9a-f]{2})*$/i.test(value))
        throw refuse('bytes in hexadecimal digits');
      return value.replace(/^0x/, '').toLowerCase();
    case 'null':
    case 'reserved':
      return null;
    default:
      throw new RangeError(`${place} is of the type ${type}, which cannot be passed.`);
  }
}

function boundsOf(type: string): [least: bigint | undefined, most: bigint | undefined] {
  const bits = BigInt(type.replace(/\D/g, '') || 0);
  if (type.startsWith('nat')) return [0n, bits ? 2n ** bits - 1n : undefined];
  return bits ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [undefined, undefined];
}

/** The bytes that pass values of `readCandidValue`. */
export function encodeCandid(icp: Icp, types: readonly CandidType[], values: readonly unknown[]): Uint8Array {
  return icp.IDL.encode(
    types.map((type) => toIdl(icp, type)),
    types.map((type, place) => toIdlValue(icp, type, values[place])),
  );
}

function toIdl({ IDL, ...rest }: Icp, type: CandidType): Idl.Type {
  const inner = (own: CandidType) => toIdl({ IDL, ...rest }, own);
  if (typeof type !== 'string') {
    if ('opt' in type) return IDL.Opt(inner(type.opt));
    if ('vec' in type) return IDL.Vec(inner(type.vec));
    if ('record' in type) {
      const isTuple = type.record.length > 0 && type.record.every(([name], place) => name === String(place));
      if (isTuple) return IDL.Tuple(...type.record.map(([, own]) => inner(own)));
      return IDL.Record(Object.fromEntries(type.record.map(([name, own]) => [name, inner(own)])));
    }
    if ('variant' in type)
      return IDL.Variant(Object.fromEntries(type.variant.map(([name, own]) => [name, inner(own)])));
    throw new Error('A type of Candid is not resolved.');
  }
  const numbers: Readonly<Record<string, Idl.Type | undefined>> = {
    nat: IDL.Nat,
    nat8: IDL.Nat8,
    nat16: IDL.Nat16,
    nat32: IDL.Nat32,
    nat64: IDL.Nat64,
    int: IDL.Int,
    int8: IDL.Int8,
    int16: IDL.Int16,
    int32: IDL.Int32,
    int64: IDL.Int64,
    float32: IDL.Float32,
    float64: IDL.Float64,
    bool: IDL.Bool,
    text: IDL.Text,
    null: IDL.Null,
    principal: IDL.Principal,
    blob: IDL.Vec(IDL.Nat8),
    reserved: IDL.Reserved,
    empty: IDL.Empty,
  };
  const found = numbers[type];
  if (!found) throw new Error(`Candid has no type ${type}.`);
  return found;
}

function toIdlValue(icp: Icp, type: CandidType, value: unknown): unknown {
  if (typeof type === 'string') {
    if (/^(nat|int)(64)?$/.test(type)) return BigInt(String(value));
    if (/^(nat|int)\d+$/.test(type)) return Number(value);
    if (type === 'principal') return icp.Principal.fromText(String(value));
    return type === 'blob' ? Uint8Array.from(Buffer.from(String(value), 'hex')) : value;
  }
  if ('opt' in type) return value === null ? [] : [toIdlValue(icp, type.opt, (value as unknown[])[0])];
  if ('vec' in type)
    return type.vec === 'nat8'
      ? toIdlValue(icp, 'blob', value)
      : (value as unknown[]).map((item) => toIdlValue(icp, type.vec, item));
  const members = value as Readonly<Record<string, unknown>>;
  if ('record' in type) {
    const read = type.record.map(([name, own]) => [name, toIdlValue(icp, own, members[name])] as const);
    const isTuple = read.length > 0 && read.every(([name], place) => name === String(place));
    return isTuple ? read.map(([, own]) => own) : Object.fromEntries(read);
  }
  if ('variant' in type)
    return Object.fromEntries(
      type.variant.flatMap(([name, own]) =>
        name in members ? [[name, toIdlValue(icp, own, members[name])]] : [],
      ),
    );
  throw new Error('A type of Candid is not resolved.');
}
