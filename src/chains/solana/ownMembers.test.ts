import { base58 } from '@scure/base';
import { expect, it } from 'vitest';
import { nativeInterface } from '../../codecs/solana/nativeInstructions.ts';
import { loaderProgram, systemProgram, tokenProgram } from '../../codecs/solana/programs.ts';
import { functionShape } from '../../evidence/contractInterface.ts';
import { SolanaTransaction } from './decodeTransaction.ts';

const keys = ['Payer', 'Receiver', 'Mint'].map((name, place) =>
  base58.encode(new Uint8Array(32).fill(place + 1).fill(name.length, 0, 1)),
) as [string, string, string];
const accountKeys = [...keys, systemProgram, tokenProgram, loaderProgram];
const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

/** A transfer of coins, a checked transfer of tokens and an upgrade, without an IDL anywhere. */
function transaction(): SolanaTransaction {
  const balances = accountKeys.map(() => 1_000_000);
  const meta = { err: null, fee: 5000, preBalances: balances, postBalances: balances };
  const bare = new SolanaTransaction(
    {
      transaction: {
        signatures: ['5'.repeat(64)],
        accountKeys: accountKeys.map((pubkey, place) => ({ pubkey, signer: place === 0 })),
      },
      meta,
    },
    0,
  );
  const instruction = (program: number, accounts: number[], ...data: Uint8Array[]) => ({
    programIdIndex: program,
    accounts,
    data: base58.encode(Buffer.concat(data)),
  });
  return bare.withDetail({
    transaction: {
      message: {
        accountKeys,
        instructions: [
          instruction(3, [0, 1], Uint8Array.of(2, 0, 0, 0), u64(42n)),
          instruction(4, [0, 2, 1, 0], Uint8Array.of(12), u64(7n), Uint8Array.of(6)),
          instruction(5, [0, 1], Uint8Array.of(3, 0, 0, 0)),
        ],
      },
    },
    meta: { ...meta, logMessages: ['Program log: Deposit', `Upgraded program ${keys[1]}`] },
  });
}

it('expressions see what programs wrote, every account, and instructions of native programs by name', () => {
  expect(transaction().ownMembers()).toMatchObject({
    logs: ['Program log: Deposit', `Upgraded program ${keys[1]}`],
    accounts: accountKeys,
    instructions: [
      { program: systemProgram, programName: 'system', name: 'transfer', accounts: [keys[0], keys[1]] },
      { program: tokenProgram, programName: 'token', name: 'transferChecked' },
      { program: loaderProgram, programName: 'loader', name: 'upgrade' },
    ],
  });
});

it('functions of native programs are found by their names without an IDL', () => {
  const { calls } = transaction();
  const read = (program: string, name: string, place: number) => {
    const shape = functionShape(name, nativeInterface(program) ?? []);
    const call = calls[place]!;
    expect(call.key).toBe(shape.key);
    return shape.decode(call.input, call.accounts);
  };
  expect(read(systemProgram, 'transfer', 0)).toEqual({
    lamports: 42n,
    accounts: { from: keys[0], to: keys[1] },
  });
  expect(read(tokenProgram, 'transferChecked', 1)).toMatchObject({ amount: 7n, accounts: { mint: keys[2] } });
  expect(() => functionShape('transfr', nativeInterface(systemProgram) ?? [])).toThrow(/transferWithSeed/);
});
