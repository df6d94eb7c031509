import { getOrThrow } from '../../lib/getOrThrow.ts';
import { zip } from '../../lib/zip.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { listOf, recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import {
  metadataAddress,
  readAccount,
  readMint,
  readSymbol,
  readTokenAccount,
  type SolanaAccount,
} from './accounts.ts';
import { confirmed } from './solanaProtocol.ts';

/** Accounts that nodes read at once. */
const maxAccounts = 100;
const options = { ...confirmed, encoding: 'base64' };

/** Answers of the newest state: nodes keep no other. */
export function createStateReader({ request }: Pick<Endpoints, 'request'>): ChainClient['readState'] {
  return async (_block, questions) => {
    const addresses = [...new Set(questions.flatMap(accountsOf))];
    const holders = questions.filter((question) => question.type === 'holding');
    const [accounts, amounts] = await Promise.all([
      readAccounts(addresses),
      Promise.all(holders.map(readHolding)),
    ]);
    const held = new Map<StateRead, bigint | string>(zip(holders, amounts));
    return questions.map((question) =>
      answer(question, (address) => getOrThrow(accounts, address), held.get(question) ?? 0n),
    );
  };

  async function readAccounts(
    addresses: readonly string[],
  ): Promise<ReadonlyMap<string, SolanaAccount | null>> {
    if (addresses.length === 0) return new Map();
    const pages = Array.from({ length: Math.ceil(addresses.length / maxAccounts) }, (_, page) =>
      addresses.slice(page * maxAccounts, (page + 1) * maxAccounts),
    );
    const calls = pages.map((page) => ({ method: 'getMultipleAccounts', params: [page, options] }));
    return request(calls, (replies) => {
      const values = replies.flatMap((reply) => listOf(recordOf(resultOf(reply)).value, 'accounts'));
      return new Map(addresses.map((address, index) => [address, readAccount(values[index] ?? null)]));
    });
  }

  /** All token accounts of an owner together. */
  function readHolding({ asset, holder }: Extract<StateRead, { type: 'holding' }>): Promise<bigint | string> {
    const call = { method: 'getTokenAccountsByOwner', params: [holder, { mint: asset }, options] };
    return request([call], ([reply]) => {
      // It is no mint at all.
      if (reply && 'error' in reply && reply.error.code === -32602) return reply.error.message;
      return listOf(recordOf(resultOf(reply)).value, 'accounts').reduce<bigint>(
        (sum, item) => sum + (readTokenAccount(readAccount(recordOf(item).account))?.amount ?? 0n),
        0n,
      );
    });
  }
}

/** The accounts that an answer needs. */
function accountsOf(question: StateRead): string[] {
  switch (question.type) {
    case 'balance':
      return [question.address];
    // The holder may be a token account itself.
    case 'holding':
      return [question.holder];
    case 'supply':
    case 'decimals':
      return [question.asset];
    case 'symbol':
      return [question.asset, metadataAddress(question.asset)];
    case 'call':
    case 'code':
    case 'storage':
    case 'receipt':
    case 'trace':
    case 'replay':
      return [];
  }
}

function answer(
  question: StateRead,
  accountOf: (address: string) => SolanaAccount | null,
  held: bigint | string,
): StateResult {
  switch (question.type) {
    case 'balance':
      return { value: accountOf(question.address)?.lamports ?? 0n };
    case 'holding': {
      if (typeof held === 'string') return { missing: held, isGone: true };
      const tokenAccount = readTokenAccount(accountOf(question.holder));
      return { value: held + (tokenAccount?.mint === question.asset ? tokenAccount.amount : 0n) };
    }
    case 'supply':
    case 'decimals': {
      const mint = readMint(accountOf(question.asset));
      return mint
        ? { value: mint[question.type] }
        : { missing: `${question.asset} is no token`, isGone: true };
    }
    case 'symbol': {
      const { asset } = question;
      return { value: readSymbol(accountOf(asset), accountOf(metadataAddress(asset))) ?? '' };
    }
    case 'call':
    case 'code':
    case 'storage':
    case 'receipt':
    case 'trace':
    case 'replay':
      return { missing: `Solana has no ${question.type} to read`, isGone: true };
  }
}
