import { isRecord } from '../../lib/isRecord.ts';
import { type Candid, type CandidType, parseCandid } from './parseCandid.ts';

const parsed = new WeakMap<readonly unknown[], Candid>();

/** The interface in a contract's `abi`, which is a list with `{ candid: "service : …" }` as its only item; undefined without one. */
export function candidOf(abi: readonly unknown[]): Candid | undefined {
  const [only, ...more] = abi;
  if (!isRecord(only) || typeof only.candid !== 'string' || more.length > 0) return undefined;
  const candid = parsed.get(abi) ?? parseCandid(only.candid);
  parsed.set(abi, candid);
  return candid;
}

const maxDepth = 16;

/** The type without names of others, so that it can be stored by itself. */
export function resolveType(type: CandidType, types: Candid['types'], depth = 0): CandidType {
  if (depth > maxDepth) throw new RangeError('uses a type that names itself, or goes too deep');
  const inner = (innerType: CandidType) => resolveType(innerType, types, depth + 1);
  if (typeof type === 'string') return type;
  if ('opt' in type) return { opt: inner(type.opt) };
  if ('vec' in type) return { vec: inner(type.vec) };
  if ('record' in type) return { record: type.record.map(([name, member]) => [name, inner(member)]) };
  if ('variant' in type) return { variant: type.variant.map(([name, member]) => [name, inner(member)]) };
  const named = types.get(type.name);
  if (named === undefined)
    throw new RangeError(`uses the type ${type.name}, which the Candid text does not describe`);
  return inner(named);
}
