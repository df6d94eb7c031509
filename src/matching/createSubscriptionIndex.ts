import { isDue } from '../lib/schedule.ts';
import type { Block, BlockFrames, Frame, Log, Parties, Transaction } from '../model/block.ts';
import type { Interest, Observation } from '../model/detection.ts';
import type { Subscriber } from './subscriber.ts';

/** The observations of each subscriber, in the order of the block. */
export type Matches = Map<Subscriber, Observation[]>;

type AddressInterest = Extract<Interest, { address: string }>;
type Subscription = { readonly interest: AddressInterest; readonly subscriber: Subscriber };

/** The subscriptions of an address; beyond the threshold they are looked up by key instead of scanned. */
type Entry = { readonly address: string; subscriptions: Subscription[]; lookup?: Lookup | undefined };
type Lookup = ReadonlyMap<string, Subscriber[]>;
const lookupThreshold = 16;
const anyKey = '*';
const none: ReadonlySet<string> = new Set();

type BlockTime = { number: number; timestamp: number };

/**
 * An inverted index from addresses, events and functions to subscribers. A block is matched by looking up what occurs in it,
 * so that the cost depends on the block and its matches, not on the number of subscribers.
 */
export function createSubscriptionIndex() {
  const entries = new Map<string, Entry>();
  /** The entries with an interest in logs of other emitters that name the address. */
  const parties = new Map<string, Entry>();
  /** The entries with an interest in what happens within transactions, and in contracts that name the address. */
  const traced = new Map<string, Entry>();
  const named = new Map<string, Entry>();
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
        const entry = entryFor(interest);
        entry.subscriptions.push({ interest, subscriber });
        entry.lookup = undefined;
      }
    }
  }

  function entryFor(interest: AddressInterest): Entry {
    let entry = entries.get(interest.address);
    if (!entry) {
      entry = { address: interest.address, subscriptions: [] };
      entries.set(interest.address, entry);
    }
    if (interest.on === 'party' || interest.on === 'touch') parties.set(interest.address, entry);
    if (isInner(interest)) traced.set(interest.address, entry);
    if (interest.on === 'deployment') named.set(interest.address, entry);
    return entry;
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
    const touched = new Map<number, Set<Entry>>();
    const touch = (index: number, entry: Entry) => {
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
      if (transaction.to === null && named.size > 0) matchCreation(matches, block, transaction);
      if (transaction.parties) {
        touchParties(transaction.index, transaction.parties);
        continue;
      }
      const from = entries.get(transaction.from);
      if (from) touch(transaction.index, from);
      const to = transaction.to === null ? undefined : entries.get(transaction.to);
      if (to) touch(transaction.index, to);
      for (const address of transaction.others ?? []) {
        const other = parties.get(address);
        if (other) touch(transaction.index, other);
      }
    }
    for (const log of block.logs) {
      const entry = entries.get(log.address);
      if (entry) touch(log.transactionIndex, entry);
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
   * What only traces show: inner calls and transfers, transactions that touch an address only within, and whole transactions
   * for those who want their frames. Nothing of what `match` shows is among it.
   */
  function matchTraces(block: Block, frames: BlockFrames): Matches {
    const matches: Matches = new Map();
    for (const transaction of block.transactions)
      matchTransactionTrace(matches, block, transaction, frames[transaction.index] ?? []);
    return matches;
  }

  function matchTransactionTrace(
    matches: Matches,
    block: Block,
    transaction: Transaction,
    frames: readonly Frame[],
  ): void {
    const touched = new Set<Entry>();
    const shown = new Set<Entry>();
    for (const [position, frame] of frames.entries()) {
      const from = traced.get(frame.from);
      const to = traced.get(frame.to);
      if (from) touched.add(from);
      if (to) touched.add(to);
      if (frame.depth > 0) {
        if (from || to) matchFrame(matches, block, transaction, frames, position, from, to);
        if (frame.mentions && named.size > 0)
          matchInnerCreation(matches, block, transaction, frame, position);
      } else {
        if (from) shown.add(from);
        if (to) shown.add(to);
      }
    }
    for (const log of transaction.logs)
      for (const address of [log.address, ...log.parties]) {
        const entry = traced.get(address);
        if (!entry) continue;
        touched.add(entry);
        shown.add(entry);
      }
    for (const entry of touched) {
      for (const subscriber of subscribersFor(entry, 'trace'))
        addObservation(matches, subscriber, { type: 'trace', block, transaction, frames });
      if (!shown.has(entry))
        for (const subscriber of subscribersFor(entry, 'touch', anyKey, true))
          addObservation(matches, subscriber, { type: 'transaction', block, transaction });
    }
  }

  function matchCreation(matches: Matches, block: Block, transaction: Transaction): void {
    const { from: creator, input: code } = transaction;
    for (const subscriber of namedIn(transaction.mentions?.() ?? []))
      addObservation(matches, subscriber, {
        type: 'deployment',
        block,
        transaction,
        creation: { creator, contract: null, code },
        position: 0,
      });
  }

  function matchInnerCreation(
    matches: Matches,
    block: Block,
    transaction: Transaction,
    { from: creator, to: contract, input: code, isReverted, mentions }: Frame,
    position: number,
  ): void {
    if (isReverted) return;
    for (const subscriber of namedIn(mentions?.() ?? []))
      addObservation(matches, subscriber, {
        type: 'deployment',
        block,
        transaction,
        creation: { creator, contract, code },
        position,
      });
  }

  function namedIn(addresses: readonly string[]): Set<Subscriber> {
    const interested = new Set<Subscriber>();
    for (const address of addresses) {
      const entry = named.get(address);
      if (entry) addAll(interested, subscribersFor(entry, 'deployment'));
    }
    return interested;
  }

  /** Subscribers whose schedule falls between two moments of the clock. */
  function due(previousAt: number, at: number): Subscriber[] {
    return [...clocks].filter((subscriber) => isScheduled(subscriber, 'clock', previousAt, at));
  }

  return {
    add,
    remove,
    match,
    matchTraces,
    wantsTraces: () => traced.size > 0,
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

/**
 * Subscribers with this interest in the address; `key` is that of the event or function where there is one. With `isWithin`
 * only those who want what happens within transactions as well.
 */
function subscribersFor(
  entry: Entry,
  on: AddressInterest['on'],
  key = anyKey,
  isWithin = false,
): readonly Subscriber[] {
  if (entry.subscriptions.length <= lookupThreshold)
    return entry.subscriptions.flatMap(({ interest, subscriber }) =>
      interest.on === on && isKey(interest, key) && (!isWithin || isInner(interest)) ? [subscriber] : [],
    );
  entry.lookup ??= toLookup(entry.subscriptions);
  const name = isWithin ? `inner ${on}` : on;
  return [
    ...(entry.lookup.get(`${name} ${anyKey}`) ?? []),
    ...(key === anyKey ? [] : (entry.lookup.get(`${name} ${key}`) ?? [])),
  ];
}

function isInner(interest: AddressInterest): boolean {
  if (interest.on === 'trace' || interest.on === 'deployment') return true;
  return 'inner' in interest && interest.inner;
}

function keysOf(interest: AddressInterest): readonly string[] | undefined {
  return 'keys' in interest ? interest.keys : undefined;
}

function isKey(interest: AddressInterest, key: string): boolean {
  return keysOf(interest)?.includes(key) ?? true;
}

function toLookup(subscriptions: readonly Subscription[]): Lookup {
  const lookup = new Map<string, Subscriber[]>();
  for (const { interest, subscriber } of subscriptions) {
    for (const key of keysOf(interest) ?? [anyKey])
      for (const on of isInner(interest) ? [interest.on, `inner ${interest.on}`] : [interest.on]) {
        const name = `${on} ${key}`;
        const list = lookup.get(name);
        if (list) list.push(subscriber);
        else lookup.set(name, [subscriber]);
      }
  }
  return lookup;
}

/** First the transaction itself, then its logs, calls, transfers and changes; each once for every subscriber. */
function matchTransaction(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  touched: ReadonlySet<Entry>,
): void {
  const interested = new Set<Subscriber>();
  for (const entry of touched) {
    addAll(interested, subscribersFor(entry, 'touch'));
    const { from, to, parties } = transaction;
    if (parties ? parties.senders.has(entry.address) : entry.address === from)
      addAll(interested, subscribersFor(entry, 'sender'));
    // Where a transaction has calls, each of them is shown by itself.
    if (!transaction.calls && (parties ? parties.recipients.has(entry.address) : entry.address === to))
      addAll(interested, subscribersFor(entry, 'call', transaction.callKey));
  }
  for (const subscriber of interested)
    addObservation(matches, subscriber, { type: 'transaction', block, transaction });
  for (const log of transaction.logs) matchLog(matches, block, transaction, log, touched);
  if (transaction.parties || transaction.changes?.length) matchParts(matches, block, transaction, touched);
}

/** Decoded only where someone has an interest in them. */
function matchParts(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  touched: ReadonlySet<Entry>,
): void {
  const show = (observation: Observation, find: (entry: Entry) => readonly Subscriber[]) => {
    const interested = new Set<Subscriber>();
    for (const entry of touched) addAll(interested, find(entry));
    for (const subscriber of interested) addObservation(matches, subscriber, observation);
  };
  const isWanted = (on: AddressInterest['on']) =>
    [...touched].some(({ subscriptions }) => subscriptions.some(({ interest }) => interest.on === on));
  if (isWanted('call'))
    for (const call of transaction.calls ?? [])
      show({ type: 'call', block, transaction, call }, (entry) =>
        entry.address === call.contract ? subscribersFor(entry, 'call', call.key) : [],
      );
  if (isWanted('transfer'))
    for (const [position, transfer] of transaction.transfers.entries())
      show({ type: 'transfer', block, transaction, transfer, position }, (entry) =>
        [transfer.asset, transfer.from, transfer.to].includes(entry.address)
          ? subscribersFor(entry, 'transfer')
          : [],
      );
  if (isWanted('change'))
    for (const change of transaction.changes ?? [])
      show({ type: 'change', block, transaction, change }, (entry) =>
        entry.address === change.subject ? subscribersFor(entry, 'change', change.what) : [],
      );
}

/** An inner call of one of these addresses, and the coins that it moves; what was reverted never happened. */
function matchFrame(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  frames: readonly Frame[],
  position: number,
  from: Entry | undefined,
  to: Entry | undefined,
): void {
  const { type, from: caller, to: contract, value, input, depth, isReverted } = frames[position]!;
  if (isReverted) return;
  const key = input.slice(0, 10);
  if (to && type === 'CALL')
    for (const subscriber of new Set(subscribersFor(to, 'call', key, true)))
      addObservation(matches, subscriber, {
        type: 'call',
        block,
        transaction,
        call: { contract, key, input, position, caller, value, depth },
        frames,
      });
  if (value === 0n || type === 'CALLCODE') return;
  const interested = new Set<Subscriber>();
  for (const entry of [from, to])
    if (entry) addAll(interested, subscribersFor(entry, 'transfer', anyKey, true));
  for (const subscriber of interested)
    addObservation(matches, subscriber, {
      type: 'transfer',
      block,
      transaction,
      transfer: { asset: 'native', from: caller, to: contract, amount: value },
      position,
      frames,
    });
}

function matchLog(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  log: Log,
  touched: ReadonlySet<Entry>,
): void {
  const interested = new Set<Subscriber>();
  for (const entry of touched) {
    if (entry.address === log.address) addAll(interested, subscribersFor(entry, 'log', log.key));
    if (log.parties.includes(entry.address)) addAll(interested, subscribersFor(entry, 'party', log.key));
  }
  for (const subscriber of interested)
    addObservation(matches, subscriber, { type: 'log', block, transaction, log });
}

function addAll(interested: Set<Subscriber>, subscribers: readonly Subscriber[]): void {
  for (const subscriber of subscribers) interested.add(subscriber);
}

function addObservation(matches: Matches, subscriber: Subscriber, observation: Observation): void {
  const observations = matches.get(subscriber);
  if (observations) observations.push(observation);
  else matches.set(subscriber, [observation]);
}

/** Without a schedule every time; the first block of all counts as due. */
function isScheduled(
  subscriber: Subscriber,
  on: 'block' | 'clock',
  previousAt: number | undefined,
  at: number,
): boolean {
  return subscriber.interests.some(
    (interest) =>
      interest.on === on &&
      (!interest.schedule || previousAt === undefined || isDue(interest.schedule, previousAt, at)),
  );
}
