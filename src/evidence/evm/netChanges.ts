import { decodeTransfer, transferTopic } from '../../codecs/evm/erc20Transfer.ts';
import { topicAddress } from '../../codecs/evm/words.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import type { Frame, Log, Transaction } from '../../model/block.ts';
import { addCoins } from '../../model/frames.ts';
import { native } from '../amounts.ts';
import { decodeMultiTransfers } from './multiTokens.ts';
import { wrappingsIn } from './wrappedCoins.ts';

/** By how much a party has more or less of an asset after a transaction, in smallest units. */
export type NetChange = {
  readonly party: string;
  /** `native`, or the address of a token. */
  readonly asset: string;
  /** Of a token that has several kinds or pieces. */
  readonly tokenId: bigint | null;
  readonly amount: bigint;
};

type Move = { asset: string; tokenId: bigint | null; from: string; to: string; amount: bigint };

/** Frames between two looks at the clock. */
const turnFrames = 1024;

/**
 * Net change of each party, in order of appearance: coins by frames, without fees, and tokens by logs. `isUnique`: the amount is a
 * token id. Yields, because a transaction may pay a hundred thousand.
 */
export async function netChanges(
  { logs }: Pick<Transaction, 'logs'>,
  frames: readonly Frame[],
  isUnique: (log: Log) => boolean = () => false,
): Promise<NetChange[]> {
  const coins = new Map<string, bigint>();
  for (const [index, frame] of frames.entries()) {
    if (index % turnFrames === 0) await yieldToEventLoop();
    addCoins(coins, frame);
  }
  const changes: NetChange[] = [];
  for (const [party, amount] of coins) {
    if (changes.length % turnFrames === 0) await yieldToEventLoop();
    if (amount !== 0n) changes.push({ party, asset: native, tokenId: null, amount });
  }
  return changes.concat(tokenChanges(logs, coins, isUnique));
}

function tokenChanges(
  logs: readonly Log[],
  coins: ReadonlyMap<string, bigint>,
  isUnique: (log: Log) => boolean,
): NetChange[] {
  const sums = new Map<string, NetChange>();
  const add = (party: string, asset: string, tokenId: bigint | null, amount: bigint) => {
    const key = `${party} ${asset} ${tokenId ?? ''}`;
    const before = sums.get(key)?.amount ?? 0n;
    sums.set(key, { party, asset, tokenId, amount: before + amount });
  };
  for (const { asset, tokenId, from, to, amount } of logs.flatMap((log) => movesOf(log, isUnique))) {
    if (from === to) continue;
    add(from, asset, tokenId, -amount);
    add(to, asset, tokenId, amount);
  }
  // A reported wrapping counts up to the coins that the token received.
  const wrappings = wrappingsIn(logs);
  const wrapped = new Map<string, bigint>();
  for (const { token, amount } of wrappings) wrapped.set(token, (wrapped.get(token) ?? 0n) + amount);
  for (const { token, account, amount } of wrappings)
    if ((coins.get(token) ?? 0n) === wrapped.get(token)) add(account, token, null, amount);
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

function movesOf(log: Log, isUnique: (log: Log) => boolean): Move[] {
  const { address: asset } = log;
  const fungible = decodeTransfer(log);
  if (fungible && isUnique(log)) return [{ asset, ...fungible, tokenId: fungible.amount, amount: 1n }];
  if (fungible) return [{ asset, tokenId: null, ...fungible }];
  const [from, to, id] = log.indexed;
  if (log.key === transferTopic && from !== undefined && to !== undefined && id !== undefined)
    return [{ asset, tokenId: BigInt(id), from: topicAddress(from), to: topicAddress(to), amount: 1n }];
  return decodeMultiTransfers(log).map((move) => ({ asset, ...move }));
}
