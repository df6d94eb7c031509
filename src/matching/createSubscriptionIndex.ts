import { yieldToEventLoop } from '../lib/eventLoop.ts';
import { isDue } from '../lib/schedule.ts';
import type { Block, BlockFrames, Parties, Transaction } from '../model/block.ts';
import type { Interest } from '../model/detection.ts';
import { matchCreation } from './matchCreation.ts';
import { addObservation, type Matches } from './matches.ts';
import { matchFrames } from './matchFrames.ts';
import { matchTransaction } from './matchTransaction.ts';
import type { Subscriber } from './subscriber.ts';
import { type AddressInterest, isInner, type SubscriptionEntry } from './subscriptions.ts';

const none: ReadonlySet<string> = new Set();

type BlockTime = { number: number; timestamp: number };

/**
 * An inverted index from addresses, events and functions to subscribers. A block looks up its own content, so the cost
 * depends on the block and its matches, not on the number of subscribers.
 */
export function createSubscriptionIndex() {
  const entries = new Map<string, SubscriptionEntry>();
  /** The entries with an interest in logs of other emitters that name the address. */
  const parties = new Map<string, SubscriptionEntry>();
  /** The entries with an interest in what happens within transactions, and in contracts that name the address. */
  const traced = new Map<string, SubscriptionEntry>();
  const named = new Map<string, SubscriptionEntry>();
  const everyBlock = new Set<Subscriber>();
  const reorgs = new Set<Subscriber>();
  const clocks = new Set<Subscriber>();
  let version = 0;

  function add(subscriber: Subscriber): void {
    version++;
    for (const interest of subscriber.interests) addInterest(subscriber, interest);
  }

  function addInterest(subscriber: Subscriber, interest: Interest): void {
    switch (interest.on) {
      case 'block':
        everyBlock.add(subscriber);
        return;
      case 'reorg':
        reorgs.add(subscriber);
        return;
      case 'clock':
        clocks.add(subscriber);
        return;
      case 'log':
      case 'party':
      case 'call':
      case 'sender':
      case 'touch':
      case 'transfer':
      case 'change':
      case 'trace':
      case 'deployment': {
        addSubscription(interest, subscriber);
      }
    }
  }

  function addSubscription(interest: AddressInterest, subscriber: Subscriber): void {
    const subscription = { interest, subscriber };
    let entry = entries.get(interest.address);
    if (entry) {
      entry.subscriptions.push(subscription);
      entry.lookup = undefined;
    } else {
      // Most addresses have one, and an array that has grown has room for many.
      entry = { address: interest.address, subscriptions: [subscription], lookup: undefined };
      entries.set(interest.address, entry);
    }
    if (interest.on === 'party' || interest.on === 'touch') parties.set(interest.address, entry);
    if (isInner(interest)) traced.set(interest.address, entry);
    if (interest.on === 'deployment') named.set(interest.address, entry);
  }

  function remove(subscriber: Subscriber): void {
    version++;
    everyBlock.delete(subscriber);
    reorgs.delete(subscriber);
    clocks.delete(subscriber);
    for (const interest of subscriber.interests) {
      const entry = 'address' in interest ? entries.get(interest.address) : undefined;
      if (!entry) continue;
      entry.subscriptions = entry.subscriptions.filter(
        (subscription) => subscription.subscriber !== subscriber,
      );
      entry.lookup = undefined;
      if (entry.subscriptions.length === 0) {
        entries.delete(entry.address);
        parties.delete(entry.address);
        traced.delete(entry.address);
        named.delete(entry.address);
      }
    }
  }

  function match(block: Block, previous: BlockTime | undefined): Matches {
    const matches: Matches = new Map();
    const touched = new Map<number, Set<SubscriptionEntry>>();
    const touch = (index: number, entry: SubscriptionEntry) => {
      const set = touched.get(index);
      if (set) set.add(entry);
      else touched.set(index, new Set([entry]));
    };
    const touchParties = (index: number, { senders, recipients, others = none }: Parties) => {
      for (const addresses of [senders, recipients, others])
        for (const address of addresses) {
          const entry = entries.get(address);
          if (entry) touch(index, entry);
        }
    };
    for (const transaction of block.transactions) {
      if (transaction.to === null && named.size > 0) matchCreation(matches, block, transaction, named);
      if (transaction.parties) {
        touchParties(transaction.index, transaction.parties);
        continue;
      }
      const from = entries.get(transaction.from);
      if (from) touch(transaction.index, from);
      const target = transaction.to ?? transaction.created;
      const to = target === undefined ? undefined : entries.get(target);
      if (to) touch(transaction.index, to);
      for (const address of transaction.others ?? []) {
        const party = parties.get(address);
        if (party) touch(transaction.index, party);
      }
    }
    for (const log of block.logs) {
      const entry = entries.get(log.address);
      if (entry) touch(log.transactionIndex, entry);
      // Reading them out of the topics costs as much as all the rest.
      if (parties.size === 0) continue;
      for (const address of log.parties) {
        const party = parties.get(address);
        if (party) touch(log.transactionIndex, party);
      }
    }
    for (const [index, set] of [...touched].sort(([a], [b]) => a - b)) {
      const transaction = block.transactions[index];
      // Some chains have logs of no transaction at all.
      if (transaction) matchTransaction(matches, block, transaction, set);
    }
    for (const subscriber of everyBlock) {
      if (isScheduled(subscriber, 'block', previous?.timestamp, block.timestamp))
        addObservation(matches, subscriber, { type: 'block', block, previous });
    }
    return matches;
  }

  /**
   * Matches that only traces show: inner calls and transfers, transactions that touch an address only within, and whole
   * transactions for subscribers to frames. None of them is in `match`.
   */
  function matchTraces(block: Block, frames: BlockFrames): Matches {
    const matches: Matches = new Map();
    const turns = matchInTurns(matches, block, frames);
    while (!turns.next().done);
    return matches;
  }

  /** The same, in which others take turns: a block may have hundreds of thousands of frames. */
  async function matchTracesInTurns(block: Block, frames: BlockFrames): Promise<Matches> {
    for (;;) {
      const before = version;
      const matches: Matches = new Map();
      for (const turns = matchInTurns(matches, block, frames); !turns.next().done; ) await yieldToEventLoop();
      // A subscriber added or removed meanwhile would have seen only a part of the block.
      if (version === before) return matches;
    }
  }

  function* matchInTurns(matches: Matches, block: Block, frames: BlockFrames): Generator<undefined, void> {
    for (const transaction of block.transactions) {
      yield;
      yield* matchFrames(matches, block, transaction, frames[transaction.index] ?? [], traced, named);
    }
  }

  /** Subscribers that need traces and whose address the transaction touches as far as its block shows. */
  function tracing(transaction: Transaction): Set<Subscriber> {
    const { from, to, created = null, others = [], logs } = transaction;
    const subscribers = new Set<Subscriber>();
    const add = (address: string | null) => {
      const entry = address === null ? undefined : traced.get(address);
      for (const { interest, subscriber } of entry?.subscriptions ?? [])
        if (isInner(interest)) subscribers.add(subscriber);
    };
    for (const address of [from, to, created, ...others]) add(address);
    for (const { address, parties: named } of logs) for (const party of [address, ...named]) add(party);
    return subscribers;
  }

  /** Subscribers whose schedule falls between two moments of the clock. */
  function due(previousAt: number, time: number): Subscriber[] {
    return [...clocks].filter((subscriber) => isScheduled(subscriber, 'clock', previousAt, time));
  }

  return {
    add,
    remove,
    match,
    matchTraces,
    matchTracesInTurns,
    wantsTraces: () => traced.size > 0,
    tracing,
    due,
    reorgs: () => [...reorgs],
    has: (address: string) => entries.has(address),
    /** A tenant that watches the address; undefined where no one does. */
    tenantOf: (address: string) => entries.get(address)?.subscriptions[0]?.subscriber.contract.tenantId,
    isEmpty: () => entries.size === 0,
    /** Also those of contracts that are only looked at now and then. */
    *addresses() {
      yield* entries.keys();
      for (const { contract } of everyBlock) if (!entries.has(contract.address)) yield contract.address;
    },
    version: () => version,
  };
}

/** Without a schedule every time; the first block of all counts as due. */
function isScheduled(
  subscriber: Subscriber,
  on: 'block' | 'clock',
  previousAt: number | undefined,
  time: number,
): boolean {
  return subscriber.interests.some(
    (interest) =>
      interest.on === on &&
      (!interest.schedule || previousAt === undefined || isDue(interest.schedule, previousAt, time)),
  );
}
