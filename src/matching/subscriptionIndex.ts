import { addressTopic, isAddressTopic } from '../lib/abi.ts';
import { isDue } from '../lib/schedule.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
import type { Interest, Observation } from '../model/detection.ts';
import type { Subscriber } from './subscriber.ts';

/** What each subscriber is to be shown, in the order of the block. */
export type Matches = Map<Subscriber, Observation[]>;

/**
 * Who cares about which address, topic and selector. A block is matched by looking up what occurs in it, so that its cost
 * depends on the block and on what it matches, not on how many subscribers there are.
 */
export type SubscriptionIndex = ReturnType<typeof createSubscriptionIndex>;

/** Made only as far as needed: most addresses have one or two subscribers. */
type Entry = {
  readonly address: string;
  logs?: Map<string, Subscriber[]>;
  parties?: Map<string, Subscriber[]>;
  calls?: Map<string, Subscriber[]>;
  senders?: Subscriber[];
  touches?: Subscriber[];
};

const any = '*';
type BlockTime = { number: number; timestamp: number };

export function createSubscriptionIndex() {
  const entries = new Map<string, Entry>();
  /** The same entries by the address as an indexed value, for those who want to know of logs that name it. */
  const byTopic = new Map<string, Entry>();
  const everyBlock = new Set<Subscriber>();
  const reorgs = new Set<Subscriber>();
  const clocks = new Set<Subscriber>();

  function add(subscriber: Subscriber): void {
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
      default:
        listsOf(entryFor(interest), interest, (list) => {
          if (!list.includes(subscriber)) list.push(subscriber);
        });
    }
  }

  function entryFor(interest: AddressInterest): Entry {
    let entry = entries.get(interest.address);
    if (!entry) {
      entry = { address: interest.address };
      entries.set(interest.address, entry);
    }
    if (interest.on === 'party' || interest.on === 'touch')
      byTopic.set(addressTopic(interest.address), entry);
    return entry;
  }

  function remove(subscriber: Subscriber): void {
    everyBlock.delete(subscriber);
    reorgs.delete(subscriber);
    clocks.delete(subscriber);
    for (const interest of subscriber.interests) {
      const entry = 'address' in interest ? entries.get(interest.address) : undefined;
      if (!entry || !('address' in interest)) continue;
      listsOf(entry, interest, (list) => {
        const place = list.indexOf(subscriber);
        if (place >= 0) list.splice(place, 1);
      });
      if (isUnused(entry)) {
        entries.delete(entry.address);
        byTopic.delete(addressTopic(entry.address));
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
    for (const transaction of block.transactions) {
      const from = entries.get(transaction.from);
      if (from) touch(transaction.index, from);
      const to = transaction.to === null ? undefined : entries.get(transaction.to);
      if (to) touch(transaction.index, to);
    }
    for (const log of block.logs) {
      const entry = entries.get(log.address);
      if (entry) touch(log.transactionIndex, entry);
      for (let place = 1; place < log.topics.length; place++) {
        const topic = log.topics[place]!;
        const party = isAddressTopic(topic) ? byTopic.get(topic) : undefined;
        if (party) touch(log.transactionIndex, party);
      }
    }
    for (const [index, set] of [...touched].sort(([a], [b]) => a - b)) {
      matchTransaction(matches, block, block.transactions[index]!, set);
    }
    for (const subscriber of everyBlock) {
      if (isWanted(subscriber, 'block', previous?.timestamp, block.timestamp))
        show(matches, subscriber, { type: 'block', block, previous });
    }
    return matches;
  }

  /** Subscribers whose schedule has come between two moments of the clock. */
  function due(previousAt: number, at: number): Subscriber[] {
    return [...clocks].filter((subscriber) => isWanted(subscriber, 'clock', previousAt, at));
  }

  return {
    add,
    remove,
    match,
    due,
    reorgs: () => [...reorgs],
    has: (address: string) => entries.has(address),
  };
}

type AddressInterest = Extract<Interest, { address: string }>;

function listsOf(entry: Entry, interest: AddressInterest, use: (list: Subscriber[]) => void): void {
  switch (interest.on) {
    case 'log':
      entry.logs ??= new Map();
      for (const topic of interest.topics ?? [any]) use(listIn(entry.logs, topic));
      return;
    case 'party':
      entry.parties ??= new Map();
      for (const topic of interest.topics) use(listIn(entry.parties, topic));
      return;
    case 'call':
      entry.calls ??= new Map();
      for (const selector of interest.selectors ?? [any]) use(listIn(entry.calls, selector));
      return;
    case 'sender':
      entry.senders ??= [];
      use(entry.senders);
      return;
    case 'touch':
      entry.touches ??= [];
      use(entry.touches);
  }
}

function listIn(map: Map<string, Subscriber[]>, key: string): Subscriber[] {
  let list = map.get(key);
  if (!list) {
    list = [];
    map.set(key, list);
  }
  return list;
}

function isUnused({ logs, parties, calls, senders, touches }: Entry): boolean {
  const isEmpty = (map: Map<string, Subscriber[]> | undefined) =>
    !map || [...map.values()].every((list) => list.length === 0);
  return isEmpty(logs) && isEmpty(parties) && isEmpty(calls) && !senders?.length && !touches?.length;
}

/** First the transaction itself, then its logs; each of them once for every subscriber. */
function matchTransaction(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  touched: ReadonlySet<Entry>,
): void {
  const seen = new Set<Subscriber>();
  const showTransaction = (subscribers: readonly Subscriber[] | undefined) => {
    for (const subscriber of subscribers ?? []) {
      if (seen.has(subscriber)) continue;
      seen.add(subscriber);
      show(matches, subscriber, { type: 'transaction', block, transaction });
    }
  };
  for (const entry of touched) {
    showTransaction(entry.touches);
    if (entry.address === transaction.from) showTransaction(entry.senders);
    if (entry.address === transaction.to && entry.calls) {
      showTransaction(entry.calls.get(any));
      showTransaction(entry.calls.get(transaction.input.slice(0, 10)));
    }
  }
  for (const log of transaction.logs) matchLog(matches, block, transaction, log, touched);
}

function matchLog(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  log: Log,
  touched: ReadonlySet<Entry>,
): void {
  const seen = new Set<Subscriber>();
  const showLog = (subscribers: readonly Subscriber[] | undefined) => {
    for (const subscriber of subscribers ?? []) {
      if (seen.has(subscriber)) continue;
      seen.add(subscriber);
      show(matches, subscriber, { type: 'log', block, transaction, log });
    }
  };
  const topic = log.topics[0] ?? '';
  for (const entry of touched) {
    if (entry.logs && entry.address === log.address) {
      showLog(entry.logs.get(any));
      showLog(entry.logs.get(topic));
    }
    const interested = entry.parties?.get(topic);
    if (interested && log.topics.includes(addressTopic(entry.address), 1)) showLog(interested);
  }
}

function show(matches: Matches, subscriber: Subscriber, observation: Observation): void {
  const shown = matches.get(subscriber);
  if (shown) shown.push(observation);
  else matches.set(subscriber, [observation]);
}

/** Without a schedule every time; the very first block counts as due. */
function isWanted(
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
