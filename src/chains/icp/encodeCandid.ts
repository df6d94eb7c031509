import type { IDL as Idl } from '@icp-sdk/core/candid';
import type { CandidType } from '../../codecs/icp/parseCandid.ts';
import type { Icp } from './loadIcp.ts';

/** The bytes that pass values of `readCandidValue`. */
export function encodeCandid(icp: Icp, types: readonly CandidType[], values: readonly unknown[]): Uint8Array {
  return icp.IDL.encode(
    types.map((type) => toIdl(icp, type)),
    types.map((type, index) => toIdlValue(icp, type, values[index])),
  );
}

function toIdl({ IDL, ...rest }: Icp, type: CandidType): Idl.Type {
  const inner = (innerType: CandidType) => toIdl({ IDL, ...rest }, innerType);
  if (typeof type !== 'string') {
    if ('opt' in type) return IDL.Opt(inner(type.opt));
    if ('vec' in type) return IDL.Vec(inner(type.vec));
    if ('record' in type) {
      const isTuple = type.record.length > 0 && type.record.every(([name], index) => name === String(index));
      if (isTuple) return IDL.Tuple(...type.record.map(([, member]) => inner(member)));
      return IDL.Record(Object.fromEntries(type.record.map(([name, member]) => [name, inner(member)])));
    }
    if ('variant' in type)
      return IDL.Variant(Object.fromEntries(type.variant.map(([name, member]) => [name, inner(member)])));
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
  const bits = numbers[type];
  if (!bits) throw new Error(`Candid has no type ${type}.`);
  return bits;
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
    const read = type.record.map(
      ([name, memberType]) => [name, toIdlValue(icp, memberType, members[name])] as const,
    );
    const isTuple = read.length > 0 && read.every(([name], index) => name === String(index));
    return isTuple ? read.map(([, item]) => item) : Object.fromEntries(read);
  }
  if ('variant' in type)
    return Object.fromEntries(
      type.variant.flatMap(([name, memberType]) =>
        name in members ? [[name, toIdlValue(icp, memberType, members[name])]] : [],
      ),
    );
  throw new Error('A type of Candid is not resolved.');
}

/** Values of an answer in the form that `readCandidValue` gives; throws where the bytes are of other types. */
export function decodeCandid(icp: Icp, types: readonly CandidType[], bytes: Uint8Array): unknown[] {
  const values: readonly unknown[] = icp.IDL.decode(
    types.map((type) => toIdl(icp, type)),
    bytes,
  );
  return types.map((type, index) => fromIdlValue(type, values[index]));
}

function fromIdlValue(type: CandidType, value: unknown): unknown {
  if (typeof type === 'string') {
    if (/^(nat|int|float|principal)/.test(type)) return String(value);
    return type === 'blob' ? Buffer.from(value as Uint8Array).toString('hex') : value;
  }
  if ('opt' in type) {
    const [held] = value as unknown[];
    return (value as unknown[]).length === 0 ? null : [fromIdlValue(type.opt, held)];
  }
  if ('vec' in type)
    return type.vec === 'nat8'
      ? fromIdlValue('blob', value)
      : Array.from(value as Iterable<unknown>, (item) => fromIdlValue(type.vec, item));
  const members = value as Readonly<Record<string, unknown>>;
  const fields = 'record' in type ? type.record : 'variant' in type ? type.variant : [];
  return Object.fromEntries(
    fields.flatMap(([name, memberType]) =>
      name in members ? [[name, fromIdlValue(memberType, members[name])]] : [],
    ),
  );
}
