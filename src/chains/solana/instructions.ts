import { base58 } from '@scure/base';
import { concat, uint } from '../../codecs/solana/borsh.ts';
import { computeBudgetProgram, systemProgram } from '../../codecs/solana/programs.ts';
import type { Instruction } from './message.ts';

/** Pays lamports. */
export function transferCoins(from: string, to: string, lamports: bigint): Instruction {
  return {
    program: systemProgram,
    accounts: [
      { key: from, isSigner: true, isWritable: true },
      { key: to, isWritable: true },
    ],
    data: concat(uint(2n, 4), uint(lamports, 8)),
  };
}

/** Kinds of authority that the token programs know, in their order. */
export const authorityTypes = ['mint', 'freeze', 'owner', 'close'] as const;

/** Hands the authority over a mint or token account on, or gives it up for good. */
export function setAuthority(
  program: string,
  account: string,
  type: (typeof authorityTypes)[number],
  current: string,
  next: string | null,
): Instruction {
  return {
    program,
    accounts: [
      { key: account, isWritable: true },
      { key: current, isSigner: true },
    ],
    data: concat(
      Uint8Array.of(6, authorityTypes.indexOf(type), next === null ? 0 : 1),
      next === null ? new Uint8Array() : base58.decode(next),
    ),
  };
}

export function freezeAccount(
  program: string,
  account: string,
  mint: string,
  authority: string,
): Instruction {
  return {
    program,
    accounts: [{ key: account, isWritable: true }, { key: mint }, { key: authority, isSigner: true }],
    data: Uint8Array.of(10),
  };
}

/** Limits a transaction's work, and sets its price of a unit in millionths of a lamport. */
export function computeBudget(units: bigint, price: bigint): Instruction[] {
  return [
    { program: computeBudgetProgram, accounts: [], data: concat(Uint8Array.of(2), uint(units, 4)) },
    { program: computeBudgetProgram, accounts: [], data: concat(Uint8Array.of(3), uint(price, 8)) },
  ];
}
