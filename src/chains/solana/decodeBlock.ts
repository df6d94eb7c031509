import type { Block, Header } from '../../model/block.ts';
import { listOf, numberOf, recordOf, textOf } from '../net/members.ts';
import { SolanaTransaction } from './decodeTransaction.ts';

/** Blocks do not say which slot they are of. */
export function decodeHeader(slot: number, raw: unknown, receivedAt: number): Header {
  const { blockhash, previousBlockhash, blockTime } = recordOf(raw);
  return {
    number: slot,
    hash: textOf(blockhash, 'blockhash'),
    parentHash: textOf(previousBlockhash, 'previousBlockhash'),
    // Unknown where too few validators said when it was.
    timestamp: blockTime === null ? receivedAt : numberOf(blockTime, 'blockTime') * 1000,
  };
}

/** A block with `accounts` detail. */
export function decodeBlock(chainUid: string, slot: number, raw: unknown, receivedAt: number): Block {
  const header = decodeHeader(slot, raw, receivedAt);
  const transactions = listOf(recordOf(raw).transactions, 'transactions').map(
    (item, index) => new SolanaTransaction(recordOf(item), index),
  );
  return toBlock({ ...header, chainUid, receivedAt }, transactions);
}

/** The same block with these transactions. */
export function toBlock(
  {
    chainUid,
    number,
    hash,
    parentHash,
    timestamp,
    receivedAt,
  }: Header & Pick<Block, 'chainUid' | 'receivedAt'>,
  transactions: readonly SolanaTransaction[],
): Block {
  let byHash: ReadonlyMap<string, SolanaTransaction> | undefined;
  let balances: ReturnType<typeof readBalances> | undefined;
  return {
    chainUid,
    number,
    hash,
    parentHash,
    timestamp,
    receivedAt,
    transactions,
    receiptOf(signature) {
      byHash ??= new Map(transactions.map((transaction) => [transaction.hash, transaction]));
      return byHash.get(signature)?.receipt;
    },
    holdingOf(asset, holder, moment) {
      balances ??= readBalances(transactions);
      return balances.get(`${asset} ${holder}`)?.[moment];
    },
    logs: [],
    get upgraded() {
      return transactions.flatMap((transaction) =>
        transaction.isDetailed
          ? transaction.changes.flatMap(({ what, subject }) => (what === 'code' ? [subject] : []))
          : [],
      );
    },
    // Only validators know the capacity of a block.
    used: 0n,
    limit: 0n,
    size: 0,
  };
}

/** Coins of every account, and tokens of every token account; an owner may have others that the block does not mention. */
function readBalances(transactions: readonly SolanaTransaction[]) {
  const balances = new Map<string, { parent: bigint; block: bigint }>();
  const add = (key: string, before: bigint, after: bigint) =>
    balances.set(key, { parent: balances.get(key)?.parent ?? before, block: after });
  for (const transaction of transactions) {
    for (const { account, before, after } of transaction.coins()) add(`native ${account}`, before, after);
    for (const { account, mint, before, after } of transaction.tokens)
      add(`${mint} ${account}`, before, after);
  }
  return balances;
}
