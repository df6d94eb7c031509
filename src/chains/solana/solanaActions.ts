import { type BorshField, concat, encodeBorsh, type IdlType, keyBytes } from '../../codecs/solana/borsh.ts';
import { hashKey, idlOf } from '../../codecs/solana/idl.ts';
import { token2022Program, tokenProgram } from '../../codecs/solana/programs.ts';
import { parseDecimal } from '../../lib/decimal.ts';
import type { FamilyActions, FunctionItem } from '../familyActions.ts';
import { authorityTypes, freezeAccount, setAuthority, transferCoins } from './instructions.ts';
import type { AccountMeta, Instruction } from './message.ts';

type Input = FunctionItem['inputs'][number];
/** An instruction of a program; the discriminator comes from the IDL. */
type AnchorItem = FunctionItem & { readonly discriminator?: string };

/** Stands for the wallet that signs, wherever an account is asked for. */
export const walletKey = 'wallet';

type BuiltIn = {
  readonly inputs: readonly Input[];
  make(values: Readonly<Record<string, string>>, contract: string): Instruction;
};

const account = (name: string): Input => ({ name, type: 'pubkey' });
const program = ({ program: written }: Readonly<Record<string, string>>) =>
  written === 'token-2022' ? token2022Program : tokenProgram;

/** Calls that need no interface: of the chain itself and of its token programs. */
const builtIns: Readonly<Record<string, BuiltIn | undefined>> = {
  transfer: {
    inputs: [account('to'), { name: 'lamports', type: 'u64' }],
    make: ({ to = '', lamports = '0' }) => transferCoins(walletKey, to, BigInt(lamports)),
  },
  freezeAccount: {
    inputs: [account('account'), { name: 'program', type: 'tokenProgram' }],
    make: (values, mint) => freezeAccount(program(values), values.account ?? '', mint, walletKey),
  },
  setAuthority: {
    inputs: [{ name: 'type', type: 'authority' }, account('next'), { name: 'program', type: 'tokenProgram' }],
    make: (values, contract) =>
      setAuthority(
        program(values),
        contract,
        authorityTypes.find((type) => type === values.type) ?? 'mint',
        walletKey,
        values.next === 'none' ? null : (values.next ?? null),
      ),
  },
};

/** A call as `encode` writes it and the transactor reads it. */
export type SolanaCall = { program: string; accounts: AccountMeta[]; data: string };

export const solanaActions: FamilyActions = {
  costUnit: 'lamport',
  costName: 'payments and fees',
  priceUnit: 'micro-lamports',
  defaultLimits: () => ({ maxGasPrice: '5000000', maxHourlySpend: '1' }),
  parseFunction(signature, abi) {
    const name = signature.replace(/\(.*/s, '').trim();
    if (!/^[A-Za-z_]\w{0,99}$/.test(name))
      throw new RangeError(
        'must be the name of an instruction of the Anchor IDL, or transfer, freezeAccount or setAuthority',
      );
    const idl = idlOf(abi);
    const instruction = idl?.instructions.get(name);
    const builtIn = builtIns[name];
    if (idl && instruction) {
      const accounts = instruction.accounts
        .filter(({ address }) => address === undefined)
        .map((account): Input => ({ name: account.name, type: 'pubkey', internalType: roleOf(account) }));
      const args = instruction.args.map(({ name: argName, type }): Input => {
        const whole = resolve(type, idl.types);
        return {
          name: argName,
          type: typeof whole === 'string' ? whole : 'json',
          internalType: `borsh ${JSON.stringify(whole)}`,
        };
      });
      const fixed = instruction.accounts.map(({ address, ...account }) =>
        address ? `${address} ${roleOf(account)}` : '',
      );
      return toItem(name, [...accounts, ...args], { discriminator: instruction.key, fixed });
    }
    if (builtIn) return toItem(name, builtIn.inputs);
    if (abi.length > 0)
      throw new RangeError(
        `names no instruction of the IDL; it has ${[...(idl?.instructions.keys() ?? [])].join(', ')}, and everywhere there are ${Object.keys(builtIns).join(', ')}`,
      );
    // Without an interface the name alone says which instruction it is.
    return toItem(name, [], {
      discriminator: hashKey(`global:${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`),
    });
  },
  functionKey: ({ name }) => name,
  readValue: (input, value, label = input.name ?? 'value') => readValue(input, value, label),
  encode(item, values, contract) {
    const builtIn = builtIns[item.name];
    const { discriminator, fixed = [] } = item as AnchorItem & { fixed?: string[] };
    if (builtIn && discriminator === undefined) {
      const named = Object.fromEntries(
        item.inputs.map(({ name = '' }, index) => [name, String(values[index])]),
      );
      return toCall(builtIn.make(named, contract));
    }
    const accounts: AccountMeta[] = [];
    const parts: Uint8Array[] = [Buffer.from(discriminator ?? '', 'hex')];
    for (const [index, { internalType = '', name = '' }] of item.inputs.entries()) {
      const borsh = /^borsh (.*)$/s.exec(internalType)?.[1];
      if (borsh === undefined) accounts.push({ key: String(values[index]), ...toRole(internalType) });
      else parts.push(encodeBorsh(JSON.parse(borsh) as IdlType, values[index], new Map(), name));
    }
    for (const [index, text] of fixed.entries()) {
      const [key = '', ...role] = text.split(' ');
      if (key !== '') accounts.splice(index, 0, { key, ...toRole(role.join(' ')) });
    }
    return toCall({ program: contract, accounts, data: concat(...parts) });
  },
  explain: ({ reason }) => reason,
  termsFault({ price, tip }) {
    if (tip !== null)
      return {
        member: 'tip',
        reason: 'must be left out: on Solana the price of a unit is all that is paid beside the fee.',
      };
    const isNamed = ['slow', 'market', 'fast', 'fastest'].includes(price);
    return isNamed || parseDecimal(price).scale === 0
      ? undefined
      : { member: 'price', reason: 'must be a whole number of micro-lamports for a compute unit.' };
  },
};

function toItem(name: string, inputs: readonly Input[], extra: object = {}): FunctionItem {
  return { type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable', ...extra };
}

function toCall({ program: called, accounts, data }: Instruction): { to: string; data: string } {
  const call: SolanaCall = {
    program: called,
    accounts: [...accounts],
    data: Buffer.from(data).toString('hex'),
  };
  return { to: called, data: JSON.stringify(call) };
}

type Role = { isSigner: boolean; isWritable: boolean };
const roleOf = ({ isSigner, isWritable }: Role) =>
  `${isSigner ? 'signer ' : ''}${isWritable ? 'writable' : 'account'}`;
const toRole = (text: string): Role => ({
  isSigner: text.includes('signer'),
  isWritable: text.includes('writable'),
});

function readValue({ type, internalType = '' }: Input, value: unknown, label: string): unknown {
  if (type === 'pubkey' && !internalType.startsWith('borsh')) {
    if (value !== walletKey && !(label === 'next' && value === 'none')) keyBytes(value, label);
    return String(value);
  }
  if (type === 'authority') {
    if (!authorityTypes.some((authority) => authority === value))
      throw new RangeError(`${label} must be one of ${authorityTypes.join(', ')}.`);
    return value;
  }
  if (type === 'tokenProgram') {
    if (value !== 'token' && value !== 'token-2022')
      throw new RangeError(`${label} must be token or token-2022.`);
    return value;
  }
  const borsh = /^borsh (.*)$/s.exec(internalType)?.[1];
  const whole = borsh === undefined ? type : (JSON.parse(borsh) as IdlType);
  const read = type === 'json' && typeof value === 'string' ? readJson(value, label) : value;
  // Encoded once to see that it can be.
  encodeBorsh(whole, read, new Map(), label);
  return read;
}

function readJson(text: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`${label} must be JSON, such as [1, 2] or {"a": 1}.`);
  }
}

const maxDepth = 16;

/** The type without names of others, so that it can be stored by itself. */
function resolve(type: IdlType, types: ReadonlyMap<string, IdlType>, depth = 0): IdlType {
  const inner = (innerType: IdlType) => resolve(innerType, types, depth + 1);
  const fields = (list: readonly BorshField[]) =>
    list.map(({ name, type: fieldType }) => ({ name, type: inner(fieldType) }));
  if (depth > maxDepth) throw new RangeError('uses a type that goes too deep');
  if (typeof type === 'string') return type;
  if ('vec' in type) return { vec: inner(type.vec) };
  if ('option' in type) return { option: inner(type.option) };
  if ('coption' in type) return { coption: inner(type.coption) };
  if ('array' in type) return { array: inner(type.array), length: type.length };
  if ('struct' in type) return { struct: fields(type.struct) };
  if ('enum' in type) return { enum: fields(type.enum) };
  const defined = types.get(type.defined);
  if (defined === undefined)
    throw new RangeError(`uses the type ${type.defined}, which the IDL does not describe`);
  return inner(defined);
}
