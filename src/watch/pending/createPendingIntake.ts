import { createFairQueue } from '../../lib/createFairQueue.ts';
import type { Block } from '../../model/block.ts';
import type { PendingTransaction } from '../../model/pending.ts';
import { createPendingFilter } from './createPendingFilter.ts';
import { createTransactionTable } from './createTransactionTable.ts';

type Options = {
  index: Parameters<typeof createPendingFilter>[0];
  now: () => number;
  /**
   * Simulates a transaction and raises its findings; false when a later block may change the result. Raises nothing
   * more once `isWanted` is false: a block has the transaction or a replacement.
   */
  work: (transaction: PendingTransaction, isWanted: () => boolean) => Promise<boolean>;
};

type Held = {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
  readonly transaction: PendingTransaction;
  readonly key: number;
  readonly until: number;
  isSimulated: boolean;
};

const queueIsFull = new Error('Too many pending transactions wait.');
/** Simulations that run at once, those of one tenant, and those of a tenant that wait. */
const queueSizes = { slots: 8, slotsPerKey: 4, waitingPerKey: 128, full: () => queueIsFull };
/** Transactions that name no watched contract are simulated too, as many a second: an attacker's contract is known to no one. */
const unknownPerSecond = 50;
const unknownKey = 0;
/** Limits over all tenants; transactions beyond them are dropped. The largest transactions have 128 kB. */
const maxHeld = 4096;
const maxHeldBytes = 64 * 1024 * 1024;
const ownBytes = 2048;
/** Transactions that stay pending are tried again after the next blocks, so many of a tenant. */
const maxIdle = 128;
const repeatMs = 120_000;
const leastRepeatMs = 1000;
/** The transactions of so many of the last blocks are remembered: endpoints may announce one late. */
const maxRecent = 200_000;

/** Takes pending transactions in, thousands a second: chooses those that are worth a simulation, and bounds what they cost. */
export function createPendingIntake({ index, now, work }: Options) {
  const filter = createPendingFilter(index);
  const queue = createFairQueue(queueSizes);
  /** Those that wait, are worked on or are tried again later. */
  const held = createTransactionTable<Held>();
  const idle = new Map<number, Set<Held>>();
  const recent = new Set<string>();
  let heldBytes = 0;
  let unknown = { second: 0, count: 0 };
  let dropped = 0;
  let fault: string | null = null;
  let repeatedAt = 0;

  function take(transaction: PendingTransaction): void {
    const { hash, from, nonce, maxFee } = transaction;
    if (recent.has(hash) || held.has(hash)) return;
    for (const rival of held.rivals(transaction)) if (maxFee > rival.transaction.maxFee) release(rival);
    const key = filter.judge(transaction);
    if (key === undefined) return;
    const isFull = held.size >= maxHeld || heldBytes + bytesOf(transaction) > maxHeldBytes;
    if (isFull || (key === 'unknown' && !isAffordable())) {
      dropped++;
      return;
    }
    const until = now() + repeatMs;
    const owner = key === 'unknown' ? unknownKey : key;
    const one: Held = { hash, from, nonce, transaction, key: owner, until, isSimulated: false };
    held.set(one);
    heldBytes += bytesOf(transaction);
    start(one);
  }

  function isAffordable(): boolean {
    const second = Math.floor(now() / 1000);
    if (unknown.second !== second) unknown = { second, count: 0 };
    return unknown.count++ < unknownPerSecond;
  }

  function start(one: Held): void {
    const isWanted = () => held.get(one.hash) === one;
    queue
      .run(one.key, async () => {
        if (!isWanted()) return;
        const isOver = await work(one.transaction, isWanted);
        one.isSimulated = true;
        fault = null;
        if (isOver) release(one);
        else rest(one);
      })
      .catch((error: unknown) => {
        if (error !== queueIsFull) fault = error instanceof Error ? error.message : String(error);
        rest(one);
      });
  }

  /** Until after the next blocks: what it needs may be mined first, or nodes may be able to run it then. */
  function rest(one: Held): void {
    if (held.get(one.hash) !== one) return;
    const queue = idle.get(one.key) ?? new Set();
    idle.set(one.key, queue.add(one));
    const [oldest] = queue;
    if (oldest && queue.size > maxIdle) giveUp(oldest);
  }

  function giveUp(one: Held): void {
    if (!one.isSimulated) dropped++;
    release(one);
  }

  function release(one: Held): void {
    if (held.get(one.hash) !== one) return;
    held.delete(one.hash);
    heldBytes -= bytesOf(one.transaction);
    const queue = idle.get(one.key);
    queue?.delete(one);
    if (queue?.size === 0) idle.delete(one.key);
  }

  /** After blocks are stored. */
  function learn(blocks: readonly Block[]): void {
    for (const block of blocks) {
      filter.learn(block);
      for (const { hash } of block.transactions) {
        recent.add(hash);
        const one = held.get(hash);
        if (one) release(one);
      }
    }
    for (const hash of recent) {
      if (recent.size <= maxRecent) break;
      recent.delete(hash);
    }
    if (now() - repeatedAt < leastRepeatMs) return;
    repeatedAt = now();
    const waiting = Array.from(idle.values(), (queue) => [...queue]).flat();
    idle.clear();
    for (const one of waiting) {
      if (one.until <= now()) giveUp(one);
      else start(one);
    }
  }

  return {
    take,
    learn,
    /** These vanished, and are not tried again unless they are announced again. */
    forget(hashes: readonly string[]): void {
      for (const hash of hashes) {
        const one = held.get(hash);
        if (one) release(one);
      }
    },
    /** Everything may be pending again. */
    forgetBlocks: () => recent.clear(),
    /** `fault`: why nodes did not run the last one. */
    state: () => ({ held: held.size, heldBytes, dropped, fault }),
  };
}

function bytesOf({ input }: PendingTransaction): number {
  return ownBytes + input.length;
}
