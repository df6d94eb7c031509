import type { TransactionCall } from '../../model/block.ts';
import {
  computeBudgetProgram,
  loaderProgram,
  systemProgram,
  token2022Program,
  tokenProgram,
} from './programs.ts';

/** A program of the chain itself, whose instructions begin with their number instead of a discriminator. */
type NativeProgram = {
  readonly name: string;
  /** Hexadecimal digits of the number, little-endian. */
  readonly keyDigits: number;
  /** By their numbers: names, and the accounts and arguments of those that people watch. */
  readonly instructions: readonly Instruction[];
};

type Instruction = {
  readonly name: string;
  readonly accounts?: readonly string[];
  readonly args?: readonly (readonly [name: string, type: string])[];
};

const amount = ['amount', 'u64'] as const;
const decimals = ['decimals', 'u8'] as const;
const lamports = ['lamports', 'u64'] as const;
const named = (...names: string[]): Instruction[] => names.map((name) => ({ name }));

const token: NativeProgram = {
  name: 'token',
  keyDigits: 2,
  instructions: [
    ...named('initializeMint', 'initializeAccount', 'initializeMultisig'),
    { name: 'transfer', accounts: ['source', 'destination', 'authority'], args: [amount] },
    { name: 'approve', accounts: ['source', 'delegate', 'owner'], args: [amount] },
    { name: 'revoke', accounts: ['source', 'owner'] },
    { name: 'setAuthority', accounts: ['account', 'authority'] },
    { name: 'mintTo', accounts: ['mint', 'account', 'authority'], args: [amount] },
    { name: 'burn', accounts: ['account', 'mint', 'authority'], args: [amount] },
    { name: 'closeAccount', accounts: ['account', 'destination', 'owner'] },
    { name: 'freezeAccount', accounts: ['account', 'mint', 'authority'] },
    { name: 'thawAccount', accounts: ['account', 'mint', 'authority'] },
    {
      name: 'transferChecked',
      accounts: ['source', 'mint', 'destination', 'authority'],
      args: [amount, decimals],
    },
    { name: 'approveChecked', accounts: ['source', 'mint', 'delegate', 'owner'], args: [amount, decimals] },
    { name: 'mintToChecked', accounts: ['mint', 'account', 'authority'], args: [amount, decimals] },
    { name: 'burnChecked', accounts: ['account', 'mint', 'authority'], args: [amount, decimals] },
    ...named(
      'initializeAccount2',
      'syncNative',
      'initializeAccount3',
      'initializeMultisig2',
      'initializeMint2',
      'getAccountDataSize',
      'initializeImmutableOwner',
      'amountToUiAmount',
      'uiAmountToAmount',
    ),
  ],
};

export const nativePrograms: ReadonlyMap<string, NativeProgram> = new Map([
  [
    systemProgram,
    {
      name: 'system',
      keyDigits: 8,
      instructions: [
        {
          name: 'createAccount',
          accounts: ['from', 'account'],
          args: [lamports, ['space', 'u64'], ['owner', 'pubkey']],
        },
        { name: 'assign', accounts: ['account'], args: [['owner', 'pubkey']] },
        { name: 'transfer', accounts: ['from', 'to'], args: [lamports] },
        ...named('createAccountWithSeed'),
        { name: 'advanceNonceAccount', accounts: ['nonceAccount'] },
        { name: 'withdrawNonceAccount', accounts: ['nonceAccount', 'to'], args: [lamports] },
        { name: 'initializeNonceAccount', accounts: ['nonceAccount'], args: [['authority', 'pubkey']] },
        { name: 'authorizeNonceAccount', accounts: ['nonceAccount'], args: [['authority', 'pubkey']] },
        { name: 'allocate', accounts: ['account'], args: [['space', 'u64']] },
        ...named('allocateWithSeed', 'assignWithSeed'),
        { name: 'transferWithSeed', accounts: ['from', 'base', 'to'], args: [lamports] },
        ...named('upgradeNonceAccount'),
      ],
    },
  ],
  [tokenProgram, token],
  [token2022Program, { ...token, name: 'token2022' }],
  [
    loaderProgram,
    {
      name: 'loader',
      keyDigits: 8,
      instructions: [
        ...named('initializeBuffer', 'write'),
        {
          name: 'deployWithMaxDataLen',
          accounts: ['payer', 'programData', 'program', 'buffer'],
          args: [['maxDataLen', 'u64']],
        },
        { name: 'upgrade', accounts: ['programData', 'program', 'buffer', 'spill'] },
        { name: 'setAuthority', accounts: ['account', 'authority', 'newAuthority'] },
        { name: 'close', accounts: ['account', 'recipient', 'authority'] },
        { name: 'extendProgram', accounts: ['programData', 'program'] },
        { name: 'setAuthorityChecked', accounts: ['account', 'authority', 'newAuthority'] },
      ],
    },
  ],
  [
    computeBudgetProgram,
    {
      name: 'computeBudget',
      keyDigits: 2,
      instructions: [
        ...named('requestUnitsDeprecated', 'requestHeapFrame'),
        { name: 'setComputeUnitLimit', args: [['units', 'u32']] },
        { name: 'setComputeUnitPrice', args: [['microLamports', 'u64']] },
        ...named('setLoadedAccountsDataSizeLimit'),
      ],
    },
  ],
]);

const interfaces = new Map<string, readonly unknown[]>();

/** The interface of a program of the chain itself in the form of an Anchor IDL; undefined for any other. */
export function nativeInterface(address: string): readonly unknown[] | undefined {
  const program = nativePrograms.get(address);
  if (!program) return undefined;
  const cached = interfaces.get(address);
  if (cached) return cached;
  const made = [
    {
      instructions: program.instructions.map(({ name, accounts = [], args = [] }, number) => ({
        name,
        discriminator: toBytes(number, program.keyDigits / 2),
        accounts: accounts.map((account) => ({ name: account })),
        args: args.map(([arg, type]) => ({ name: arg, type })),
      })),
      events: [],
    },
  ];
  interfaces.set(address, made);
  return made;
}

/** An instruction as expressions see it; programs of the chain itself, and their instructions, by name. */
export function showInstruction({
  contract,
  input,
  accounts = [],
}: TransactionCall): Record<string, unknown> {
  const program = nativePrograms.get(contract);
  const digits = program ? input.slice(0, program.keyDigits) : '';
  const number = program && digits.length === program.keyDigits ? fromBytes(digits) : undefined;
  const name = number === undefined ? undefined : program?.instructions[number]?.name;
  return {
    program: contract,
    ...(program && { programName: program.name }),
    ...(name !== undefined && { name }),
    accounts,
    data: input,
  };
}

function toBytes(number: number, length: number): number[] {
  return Array.from({ length }, (_item, index) => (number >> (8 * index)) & 0xff);
}

function fromBytes(digits: string): number {
  return Buffer.from(digits, 'hex').readUIntLE(0, digits.length / 2);
}
