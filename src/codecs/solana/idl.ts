import { createHash } from 'node:crypto';
import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { BorshField, IdlType, Types } from './borsh.ts';

/** Instructions and events of a program from its Anchor IDL, by name. */
export type Idl = {
  readonly instructions: ReadonlyMap<string, IdlInstruction>;
  readonly events: ReadonlyMap<string, IdlEvent>;
  readonly types: Types;
};

export type IdlInstruction = {
  readonly name: string;
  /** The first bytes of its data, as hexadecimal digits. */
  readonly key: string;
  readonly accounts: readonly IdlAccount[];
  readonly args: readonly BorshField[];
};

type IdlAccount = {
  readonly name: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
  readonly isOptional: boolean;
  /** Program address, if the IDL states it. */
  readonly address?: string;
};

export type IdlEvent = { readonly name: string; readonly key: string; readonly type: IdlType };

const read = new WeakMap<readonly unknown[], Idl | undefined>();

/** The IDL in a contract's `abi`; undefined where it has none. Throws a RangeError for one that cannot be read. */
export function idlOf(abi: readonly unknown[]): Idl | undefined {
  if (!read.has(abi)) read.set(abi, findIdl(abi));
  return read.get(abi);
}

function findIdl(abi: readonly unknown[]): Idl | undefined {
  const raw = abi.find((item) => isRecord(item) && Array.isArray(item.instructions));
  return raw === undefined ? undefined : readIdl(membersOf(raw));
}

/** Both forms: that of Anchor 0.30 and later, which writes discriminators down, and the one before. */
function readIdl(raw: Readonly<Record<string, unknown>>): Idl {
  const types = new Map(
    [...listOf(raw.types), ...listOf(raw.accounts)].flatMap((item): [string, IdlType][] => {
      const { name, type } = membersOf(item);
      return typeof name === 'string' && isRecord(type) ? [[name, toDefinition(type)]] : [];
    }),
  );
  const instructions = listOf(raw.instructions).map((item): IdlInstruction => {
    const { name, args, accounts, discriminator } = membersOf(item);
    const instructionName = nameOf(name, 'an instruction');
    return {
      name: instructionName,
      key: keyOf(discriminator) ?? hashKey(`global:${toSnake(instructionName)}`),
      accounts: listOf(accounts).flatMap((account) => readAccounts(membersOf(account))),
      args: listOf(args).map(toField),
    };
  });
  const events = listOf(raw.events).map((item): IdlEvent => {
    const { name, fields, discriminator } = membersOf(item);
    const eventName = nameOf(name, 'an event');
    return {
      name: eventName,
      key: keyOf(discriminator) ?? hashKey(`event:${eventName}`),
      // The newer form describes events among its types.
      type: Array.isArray(fields) ? { struct: fields.map(toField) } : { defined: eventName },
    };
  });
  return {
    instructions: new Map(instructions.map((item) => [item.name, item])),
    events: new Map(events.map((item) => [item.name, item])),
    types,
  };
}

/** A group of accounts has its own accounts, which are passed one after the other. */
function readAccounts(raw: Readonly<Record<string, unknown>>): IdlAccount[] {
  if (Array.isArray(raw.accounts)) return raw.accounts.flatMap((inner) => readAccounts(membersOf(inner)));
  return [
    {
      name: nameOf(raw.name, 'an account'),
      isSigner: raw.signer === true || raw.isSigner === true,
      isWritable: raw.writable === true || raw.isMut === true,
      isOptional: raw.optional === true || raw.isOptional === true,
      ...(typeof raw.address === 'string' && { address: raw.address }),
    },
  ];
}

function toDefinition({ kind, fields, variants, alias, type }: Readonly<Record<string, unknown>>): IdlType {
  if (kind === 'struct') return toStruct(fields);
  if (kind === 'enum')
    return {
      enum: listOf(variants).map((variant) => {
        const { name, fields: variantFields } = membersOf(variant);
        return { name: nameOf(name, 'a variant'), type: toStruct(variantFields) };
      }),
    };
  return toType(alias ?? type);
}

/** Fields may have names or, in tuples, types alone. */
function toStruct(fields: unknown): IdlType {
  return {
    struct: listOf(fields).map((field, index) =>
      isRecord(field) && typeof field.name === 'string'
        ? toField(field)
        : { name: String(index), type: toType(field) },
    ),
  };
}

function toField(raw: unknown): BorshField {
  const { name, type } = membersOf(raw);
  return { name: nameOf(name, 'a field'), type: toType(type) };
}

function toType(raw: unknown): IdlType {
  if (typeof raw === 'string') return raw === 'publicKey' ? 'pubkey' : raw;
  const { vec, option, coption, array, defined } = membersOf(raw);
  if (vec !== undefined) return { vec: toType(vec) };
  if (option !== undefined) return { option: toType(option) };
  if (coption !== undefined) return { coption: toType(coption) };
  if (defined !== undefined)
    return {
      defined: typeof defined === 'string' ? defined : nameOf(membersOf(defined).name, 'a type'),
    };
  if (Array.isArray(array) && typeof array[1] === 'number')
    return { array: toType(array[0]), length: array[1] };
  throw new RangeError(`The IDL has a type that is not known: ${JSON.stringify(raw)}.`);
}

function keyOf(discriminator: unknown): string | undefined {
  return Array.isArray(discriminator) && discriminator.length > 0
    ? Buffer.from(discriminator.map(Number)).toString('hex')
    : undefined;
}

export function hashKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter, index: number) => `${index > 0 ? '_' : ''}${letter.toLowerCase()}`);
}

function nameOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new RangeError(`The IDL has ${what} without a name.`);
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
