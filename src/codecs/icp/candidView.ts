import type { AbiParameter } from 'abitype';
import { candidOf, resolveType } from './candidOf.ts';
import { readCandidValue } from './candidValue.ts';
import type { CandidType } from './parseCandid.ts';

/** A query, with types that need no interface; values are those of `readCandidValue`, and so are those of the answer. */
export type CandidQuery = {
  readonly method: string;
  readonly types: readonly CandidType[];
  readonly values: readonly unknown[];
  readonly results: readonly CandidType[];
};

/** A query method of the contract's Candid interface. A RangeError says why it cannot be read. */
export function candidView(signature: string, abi: readonly unknown[]) {
  const candid = candidOf(abi);
  if (!candid)
    throw new RangeError(
      'needs the Candid interface in the contract’s abi, as [{ "candid": "service : …" }].',
    );
  const method = signature.replace(/\(.*/s, '').trim();
  const item = candid.methods.get(method);
  if (!item) {
    const queries = [...candid.methods].filter(([, { isQuery }]) => isQuery).map(([name]) => name);
    throw new RangeError(
      `The Candid interface has no method ${method}; its queries are ${queries.join(', ') || 'none'}.`,
    );
  }
  if (!item.isQuery)
    throw new RangeError(
      `${method} is an update and not a query, so that reading it would change something.`,
    );
  const resolve = ([name, type]: readonly [string, CandidType]) =>
    [name, withoutFunctions(method, resolveType(type, candid.types))] as const;
  const args = item.args.map(resolve);
  const results = item.results
    .map(resolve)
    .map(([name, type]) => [unnamed.test(name) ? '' : name, type] as const);
  const types = args.map(([, type]) => type);
  return {
    name: method,
    inputs: args.map(([name, type]) => toParameter(name, type)),
    outputs: results.map(([name, type]) => toParameter(name, type)),
    encode(params: readonly unknown[]): string {
      const values = args.map(([name, type], index) => readCandidValue(type, params[index] ?? null, name));
      const query: CandidQuery = { method, types, values, results: results.map(([, type]) => type) };
      return JSON.stringify(query);
    },
    decode(data: string): readonly unknown[] {
      const values = JSON.parse(data) as unknown[];
      return results.map(([, type], index) => toPlain(type, values[index]));
    },
  };
}

/** The name that `parseCandid` gives to what has none. */
const unnamed = /^arg\d+$/;

function withoutFunctions(method: string, type: CandidType): CandidType {
  if (/"(func|service)"/.test(JSON.stringify(type)))
    throw new RangeError(`${method} takes or gives a function or a service, which cannot be read.`);
  return type;
}

/** A value as scripts and conditions use it: whole numbers are big integers, cases of variants without a value are texts. */
function toPlain(type: CandidType, value: unknown): unknown {
  if (typeof type === 'string') {
    if (/^(nat|int)/.test(type)) return BigInt(String(value));
    return type === 'blob' ? `0x${String(value)}` : value;
  }
  if ('opt' in type) return Array.isArray(value) ? toPlain(type.opt, value[0]) : null;
  if ('vec' in type)
    return type.vec === 'nat8'
      ? toPlain('blob', value)
      : (value as unknown[]).map((item) => toPlain(type.vec, item));
  const members = value as Readonly<Record<string, unknown>>;
  if ('record' in type) {
    const read = type.record.map(([name, memberType]) => [name, toPlain(memberType, members[name])] as const);
    return isTuple(type.record) ? read.map(([, member]) => member) : Object.fromEntries(read);
  }
  const [held] = 'variant' in type ? type.variant.filter(([name]) => name in members) : [];
  if (!held) return null;
  const [name, caseType] = held;
  return caseType === 'null' ? name : { [name]: toPlain(caseType, members[name]) };
}

/** In the words of an ABI, so that conditions treat it like any other. */
function toParameter(name: string, type: CandidType): AbiParameter {
  if (typeof type === 'string') return { name, type: plainType(type) };
  if ('opt' in type) return toParameter(name, type.opt);
  if ('vec' in type) {
    if (type.vec === 'nat8') return { name, type: 'bytes' };
    const item = toParameter(name, type.vec);
    return { ...item, type: `${item.type}[]` };
  }
  const fields = 'record' in type ? type.record : 'variant' in type ? type.variant : [];
  if ('variant' in type && fields.every(([, caseType]) => caseType === 'null'))
    return { name, type: 'string' };
  const components = fields.map(([fieldName, held]) =>
    toParameter('record' in type && isTuple(fields) ? '' : fieldName, held),
  );
  return { name, type: 'tuple', components };
}

function plainType(type: string): string {
  const [, sign, bits = '256'] = /^(nat|int)(\d+)?$/.exec(type) ?? [];
  if (sign !== undefined) return `${sign === 'nat' ? 'uint' : 'int'}${bits}`;
  if (type === 'blob') return 'bytes';
  return type === 'bool' ? 'bool' : 'string';
}

function isTuple(fields: readonly (readonly [string, CandidType])[]): boolean {
  return fields.length > 0 && fields.every(([name], index) => name === String(index));
}
