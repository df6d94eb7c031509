import type { AbiParameter } from 'abitype';
import { membersOf } from '../../lib/isRecord.ts';
import type { Log } from '../../model/block.ts';
import { caseOf } from './caseOf.ts';
import { toPlain } from './scval.ts';
import { type Spec, type SpecEvent, type SpecFunction, type SpecType, specOf } from './spec.ts';

type Values = Readonly<Record<string, unknown>>;
type Item<T extends 'event' | 'function'> = {
  readonly type: T;
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
};

/** An event of a spec in the words of an ABI, so that conditions and texts treat it like any other. */
export type SorobanEvent = { readonly item: Item<'event'>; readonly key: string; decode(log: Log): Values };
export type SorobanFunction = {
  readonly item: Item<'function'>;
  readonly key: string;
  decode(input: string): Values | undefined;
};

/** The event of this name; undefined where the contract has no spec. Many specs name no events: then it has topics and data. */
export function sorobanEvent(signature: string, abi: readonly unknown[]): SorobanEvent | undefined {
  const spec = specOf(abi);
  if (!spec) return undefined;
  const name = nameIn(signature);
  const cached =
    spec.events.get(name) ?? [...spec.events.values()].find((candidate) => keyOf(candidate) === name);
  if (!cached && spec.events.size > 0)
    throw new RangeError(`The spec has no event ${name}; it has ${[...spec.events.keys()].join(', ')}.`);
  if (cached) return toEvent(cached, spec);
  return assetFunctions.every((signature) => spec.functions.has(signature))
    ? toAssetEvent(name)
    : toLooseEvent(name);
}

/** By these the contract of an asset is known, whose events are always the same. */
const assetFunctions = ['transfer', 'set_authorized', 'clawback'];
/** The addresses among the topics of its events; an administrator may stand before them, and the asset comes last. */
const assetTopics: Readonly<Record<string, readonly string[]>> = {
  transfer: ['from', 'to'],
  mint: ['to'],
  burn: ['from'],
  clawback: ['from'],
  approve: ['from', 'spender'],
};

export function sorobanEventByKey(key: string, abi: readonly unknown[]): SorobanEvent | undefined {
  const spec = specOf(abi);
  const event = spec && [...spec.events.values()].find((candidate) => keyOf(candidate) === key);
  return event ? toEvent(event, spec) : undefined;
}

export function sorobanFunction(signature: string, abi: readonly unknown[]): SorobanFunction | undefined {
  const spec = specOf(abi);
  if (!spec) return undefined;
  const name = nameIn(signature);
  const cached = spec.functions.get(name);
  if (!cached)
    throw new RangeError(
      `The spec has no function ${name}; it has ${[...spec.functions.keys()].join(', ') || 'none'}.`,
    );
  return toFunction(cached, spec);
}

export function sorobanFunctionByKey(key: string, abi: readonly unknown[]): SorobanFunction | undefined {
  const spec = specOf(abi);
  const cached = spec?.functions.get(key);
  return cached && spec ? toFunction(cached, spec) : undefined;
}

/** A signature with parameters is taken by its name. */
const nameIn = (signature: string) => signature.replace(/\(.*/s, '').trim();
/** The first topic, by which logs differ. */
const keyOf = ({ prefix, name }: SpecEvent) => prefix[0] ?? name;

function toEvent(event: SpecEvent, { types }: Spec): SorobanEvent {
  const { name, params, prefix, form } = event;
  const [topics, rest] = [params.filter(({ isTopic }) => isTopic), params.filter(({ isTopic }) => !isTopic)];
  return {
    item: {
      type: 'event',
      name,
      inputs: params.map((param) => ({
        ...toParameter(param.name, param.type, types),
        indexed: param.isTopic,
      })),
    },
    key: keyOf(event),
    decode({ indexed, data }) {
      const given = indexed.slice(prefix.length).map((text) => toPlain(JSON.parse(text)));
      const value = toPlain(JSON.parse(data));
      const held =
        form === 'map'
          ? membersOf(value)
          : Object.fromEntries(
              rest.map((param, index) => [
                param.name,
                form === 'vec' && Array.isArray(value) ? (value[index] as unknown) : value,
              ]),
            );
      return { ...Object.fromEntries(topics.map((param, index) => [param.name, given[index]])), ...held };
    },
  };
}

function toLooseEvent(name: string): SorobanEvent {
  return {
    item: {
      type: 'event',
      name,
      inputs: [
        { name: 'topics', type: 'string[]' },
        { name: 'data', type: 'string' },
      ],
    },
    key: name,
    decode: ({ indexed, data }) => ({
      topics: indexed.slice(1).map((text) => toPlain(JSON.parse(text))),
      data: toPlain(JSON.parse(data)),
    }),
  };
}

/** An event of an asset's contract, by its own names and as topics and data. */
function toAssetEvent(name: string): SorobanEvent {
  const loose = toLooseEvent(name);
  const names = assetTopics[name];
  if (!names) return loose;
  const address = (parameter: string) => ({ name: parameter, type: 'string' });
  return {
    ...loose,
    item: {
      ...loose.item,
      inputs: [...names.map(address), { name: 'amount', type: 'int128' }, ...loose.item.inputs],
    },
    decode(log) {
      const values = loose.decode(log);
      const topics = Array.isArray(values.topics) ? values.topics.slice(0, -1) : [];
      const ends = topics.slice(-names.length);
      const { data } = values;
      const amount = Array.isArray(data) ? (data as unknown[])[0] : (membersOf(data).amount ?? data);
      return {
        ...Object.fromEntries(names.map((member, index) => [member, ends[index]])),
        amount,
        ...values,
      };
    },
  };
}

function toFunction({ name, inputs }: SpecFunction, { types }: Spec): SorobanFunction {
  return {
    item: {
      type: 'function',
      name,
      inputs: inputs.map((input) => toParameter(input.name, input.type, types)),
    },
    key: name,
    decode(input) {
      const args = JSON.parse(input) as unknown[];
      // Within transactions, nodes tell a single argument without the list around it.
      const given = inputs.length === 1 && args.length !== 1 ? [{ vec: args }] : args;
      if (given.length !== inputs.length) return undefined;
      return Object.fromEntries(inputs.map((input, index) => [input.name, toPlain(given[index])]));
    },
  };
}

const maxDepth = 16;

/** Addresses, symbols and enums are texts, which are compared as they are. */
export function toParameter(name: string, type: SpecType, types: Spec['types'], depth = 0): AbiParameter {
  if (depth > maxDepth) throw new RangeError('The spec has a type that goes too deep.');
  if (typeof type === 'string') return { name, type: plainType(type) };
  const { name: kind, held: about } = caseOf(type);
  const {
    element_type: element,
    value_type: held,
    value_types: items,
    ok_type: ok,
    name: paramName,
  } = membersOf(about);
  const inner = (one: unknown) => toParameter(name, one as SpecType, types, depth + 1);
  if (kind === 'option') return inner(held);
  if (kind === 'result') return inner(ok);
  if (kind === 'tuple' && Array.isArray(items))
    return { name, type: 'tuple', components: items.map((item) => ({ ...inner(item), name: '' })) };
  if (kind === 'bytes_n') return { name, type: 'bytes' };
  if (kind === 'vec') {
    const item = inner(element);
    return { ...item, type: `${item.type}[]` };
  }
  const udt = kind === 'udt' ? types.get(String(paramName)) : undefined;
  if (udt && 'fields' in udt)
    return {
      name,
      type: 'tuple',
      components: udt.fields.map((field) => toParameter(field.name, field.type, types, depth + 1)),
    };
  if (udt && 'values' in udt) return { name, type: 'uint32' };
  return { name, type: 'string' };
}

function plainType(type: string): string {
  const [, sign, bits] = /^([ui])(\d+)$/.exec(type) ?? [];
  if (bits !== undefined) return `${sign === 'u' ? 'uint' : 'int'}${bits}`;
  if (type === 'timepoint' || type === 'duration') return 'uint64';
  return type === 'bool' || type === 'bytes' ? type : 'string';
}
