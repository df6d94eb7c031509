import type { AbiParameter } from 'abitype';
import { membersOf } from '../../lib/isRecord.ts';
import { type BorshField, decodeBorsh, type IdlType, type Types } from './borsh.ts';
import { type Idl, type IdlEvent, type IdlInstruction, idlOf } from './idl.ts';

type Values = Readonly<Record<string, unknown>>;
type Item<T extends 'event' | 'function'> = {
  readonly type: T;
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
};

/** An event of an IDL in the words of an ABI, so that conditions and texts treat it like any other. */
export type AnchorEvent = {
  readonly item: Item<'event'>;
  readonly key: string;
  /** Throws a RangeError for data that is not of the event. */
  decode(log: { readonly data: string }): Values;
};
export type AnchorFunction = {
  readonly item: Item<'function'>;
  readonly key: string;
  /** Its arguments and, as `accounts`, the accounts that were passed; undefined for data that is not of the instruction. */
  decode(input: string, accounts?: readonly string[]): Values | undefined;
};

/** The event of this name; undefined where the contract has no IDL. Throws a RangeError that names what there is instead. */
export function anchorEvent(name: string, abi: readonly unknown[]): AnchorEvent | undefined {
  const idl = idlOf(abi);
  return idl && toEvent(pick(idl.events, name, 'event'), idl);
}

export function anchorEventByKey(key: string, abi: readonly unknown[]): AnchorEvent | undefined {
  const idl = idlOf(abi);
  const found = idl && [...idl.events.values()].find((event) => event.key === key);
  return found && toEvent(found, idl);
}

export function anchorFunction(name: string, abi: readonly unknown[]): AnchorFunction | undefined {
  const idl = idlOf(abi);
  return idl && toFunction(pick(idl.instructions, name, 'instruction'), idl);
}

export function anchorFunctionByKey(key: string, abi: readonly unknown[]): AnchorFunction | undefined {
  const idl = idlOf(abi);
  const instruction = idl && [...idl.instructions.values()].find((one) => one.key === key);
  return instruction && toFunction(instruction, idl);
}

/** A signature with parameters is taken by its name. */
function pick<T>(from: ReadonlyMap<string, T>, signature: string, what: string): T {
  const name = signature.replace(/\(.*/s, '').trim();
  const item = from.get(name);
  if (item !== undefined) return item;
  throw new RangeError(`The IDL has no ${what} ${name}; it has ${[...from.keys()].join(', ') || 'none'}.`);
}

function toEvent({ name, key, type }: IdlEvent, { types }: Idl): AnchorEvent {
  const described = typeof type === 'object' && 'defined' in type ? (types.get(type.defined) ?? type) : type;
  const fields = typeof described === 'object' && 'struct' in described ? described.struct : [];
  return {
    item: { type: 'event', name, inputs: fields.map((field) => toParameter(field, types)) },
    key,
    decode: ({ data }) => membersOf(decodeBorsh({ struct: fields }, fromHex(data.slice(key.length)), types)),
  };
}

function toFunction({ name, key, args, accounts }: IdlInstruction, { types }: Idl): AnchorFunction {
  const passed: AbiParameter = {
    name: 'accounts',
    type: 'tuple',
    components: accounts.map((account) => ({ name: account.name, type: 'string' })),
  };
  return {
    item: { type: 'function', name, inputs: [...args.map((field) => toParameter(field, types)), passed] },
    key,
    decode(input, given = []) {
      if (!input.startsWith(key)) return undefined;
      try {
        const values = membersOf(decodeBorsh({ struct: args }, fromHex(input.slice(key.length)), types));
        const named = accounts.flatMap((account, index) => {
          const address = given[index];
          return address === undefined ? [] : [[account.name, address]];
        });
        return { ...values, accounts: Object.fromEntries(named) };
      } catch (error) {
        if (error instanceof RangeError) return undefined;
        throw error;
      }
    },
  };
}

const maxDepth = 16;

/** Keys and enums are texts, which are compared as they are. */
function toParameter({ name, type }: BorshField, types: Types, depth = 0): AbiParameter {
  if (depth > maxDepth) throw new RangeError('The IDL has a type that goes too deep.');
  if (typeof type === 'string') return { name, type: plainTypes[type] ?? toInteger(type) };
  if ('option' in type) return toParameter({ name, type: type.option }, types, depth + 1);
  if ('coption' in type) return toParameter({ name, type: type.coption }, types, depth + 1);
  if ('defined' in type) {
    const defined = types.get(type.defined);
    if (defined === undefined) throw new RangeError(`The IDL does not describe the type ${type.defined}.`);
    return toParameter({ name, type: defined }, types, depth + 1);
  }
  if ('struct' in type)
    return {
      name,
      type: 'tuple',
      components: type.struct.map((field) => toParameter(field, types, depth + 1)),
    };
  if ('enum' in type) return { name, type: 'string' };
  const [element, suffix]: [IdlType, string] =
    'vec' in type ? [type.vec, '[]'] : [type.array, `[${type.length}]`];
  const inner = toParameter({ name, type: element }, types, depth + 1);
  return { ...inner, type: `${inner.type}${suffix}` };
}

const plainTypes: Readonly<Record<string, string | undefined>> = {
  bool: 'bool',
  pubkey: 'string',
  string: 'string',
  bytes: 'bytes',
  f32: 'string',
  f64: 'string',
};

function toInteger(type: string): string {
  const [, sign, bits] = /^([ui])(\d+)$/.exec(type) ?? [];
  if (bits === undefined) throw new RangeError(`The IDL has a type that is not known: ${type}.`);
  return `${sign === 'u' ? 'uint' : 'int'}${bits}`;
}

function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}
