import type { Chain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { createMutex } from '../../lib/createMutex.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { compileDetector } from '../../matching/compileDetector.ts';
import { compileTrigger } from '../../matching/compileTrigger.ts';
import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import type { Subscriber, SubscriberRef } from '../../matching/subscriber.ts';
import type { ContractFacts } from '../../model/detection.ts';
import { addressTypes } from '../../model/enumerations.ts';
import type { Db } from '../../store/db/db.ts';
import {
  type ContractOwners,
  type WatchedContract,
  watchedContracts,
} from '../../store/watch/watchedContracts.ts';

/** A detector or trigger that cannot be compiled. */
export type InvalidSubscriber = { subscriber: SubscriberRef; message: string };

/**
 * `from`: first block that it watches, null if unknown. `isNew`: it appeared while the chain was followed. `mayWait`:
 * it was created while the chain was followed but had not reached that block.
 */
type Added = { readonly from: number | null; readonly isNew: boolean; readonly mayWait: boolean };
type Entry = { contract: ContractFacts; subscribers: Subscriber[]; watchedFrom: number | null };
type RefreshOptions = {
  isAhead?: boolean;
  /** Awaited after each page that was read: nothing waits for what is read. */
  rest?: ((startedAt: number) => Promise<void>) | undefined;
  signal?: AbortSignal;
};
const none: readonly unknown[] = [];

/** Blocks that what was noticed late is still shown. */
export const maxLateBlocks = 64;

export type WatchList = ReturnType<typeof createWatchList>;

/** Everything that is watched on a chain, refreshed as it changes. */
export function createWatchList(chain: Chain) {
  const index = createSubscriptionIndex();
  const pendingIndex = createSubscriptionIndex();
  const facts = toChainFacts(chain);
  const contracts = new Map<number, Entry>();
  /** Numbers as keys: there can be a hundred thousand. */
  const subscribersById = { detector: new Map<number, Subscriber>(), trigger: new Map<number, Subscriber>() };
  /** By tenant, then by address; shared by all contracts of the tenant. */
  const owned = new Map<number, Record<string, ContractFacts>>();
  const uninspected = new Map<number, ContractFacts>();
  const added = new Map<Subscriber, Added>();
  /**
   * Subscribers from before the chain is followed that need no baseline: a block shows them nothing but itself. Nearly
   * all are, so they are kept apart, because scanning them would hold all chains.
   */
  const settled = new Map<Subscriber, Added>();
  let settledTo = -1;
  /** By contract. */
  const invalid = new Map<number, InvalidSubscriber[]>();
  let changes = new Set<string>();
  let isStale = true;
  let isFirst = true;
  const mutex = createMutex();

  function settle(subscriber: Subscriber, item: Added): void {
    settled.set(subscriber, item);
    settledTo = Math.max(settledTo, item.from ?? -1);
  }

  function unsettle(): void {
    for (const [subscriber, item] of settled) added.set(subscriber, item);
    settled.clear();
    settledTo = -1;
  }

  /** `isOwn`: it, or what belongs to it, was changed, and not only its project or tenant. */
  function put({ contract: row, detectors, triggers }: WatchedContract, isOwn: boolean): void {
    const { id, tenantId, projectId, address, name, implementation, addressType, abi, watchedFrom } = row;
    if (isFirst) drop(id);
    const known = contracts.get(id);
    const former = known && new Map(known.subscribers.map((subscriber) => [keyOf(subscriber), subscriber]));
    const waiting =
      known &&
      new Map(
        known.subscribers.map((subscriber) => [subscriber, added.get(subscriber) ?? settled.get(subscriber)]),
      );
    if (known) drop(id);
    const tenantContracts = owned.get(tenantId) ?? {};
    owned.set(tenantId, tenantContracts);
    // Shared values instead of a copy for each contract.
    const contract: ContractFacts = {
      id,
      tenantId,
      projectId,
      chainUid: chain.uid,
      address,
      name,
      implementation,
      addressType: addressTypes.find((type) => type === addressType) ?? addressType,
      abi: abi.length === 0 ? none : abi,
      own: tenantContracts,
    };
    tenantContracts[address] = contract;
    const subscribers: Subscriber[] = [];
    const faults: InvalidSubscriber[] = [];
    const add = (
      kind: SubscriberRef['kind'],
      { id, name, watchedFrom: ownFrom }: Row,
      compile: () => Subscriber | { fault: string },
    ) => {
      const subscriber = tryCompile(compile);
      if ('fault' in subscriber)
        faults.push({ subscriber: { kind, id, name, contract }, message: subscriber.fault });
      else {
        subscribers.push(subscriber);
        const before = former?.get(keyOf(subscriber));
        subscribersById[kind].set(id, subscriber);
        const from = ownFrom === null ? null : Math.max(ownFrom, watchedFrom ?? ownFrom);
        const isChanged =
          before && subscriber.takesBaseline === true && before.stateKey() !== subscriber.stateKey();
        if (before && !isChanged) {
          const since = waiting?.get(before);
          if (since) added.set(subscriber, since);
        } else if (isFirst && !subscriber.takesBaseline) {
          if (from !== null) settle(subscriber, { from, isNew: false, mayWait: ownFrom !== from });
        } else if (isOwn || subscriber.takesBaseline)
          added.set(subscriber, {
            from: isOwn ? from : null,
            isNew: !isFirst,
            mayWait: ownFrom !== from,
          });
        index.add(subscriber);
        if (subscriber.seesPending) pendingIndex.add(subscriber);
      }
    };
    for (const detector of detectors)
      add('detector', detector, () => compileDetector(detector, contract, facts));
    for (const trigger of triggers) add('trigger', trigger, () => compileTrigger(trigger, contract, facts));
    // A copy, because an array that has grown has room for many more.
    contracts.set(id, { contract, subscribers: [...subscribers], watchedFrom });
    if (faults.length > 0) invalid.set(id, faults);
    if (row.inspectedAt === null) uninspected.set(id, contract);
  }

  function drop(contractId: number): void {
    for (const subscriber of contracts.get(contractId)?.subscribers ?? []) {
      index.remove(subscriber);
      if (subscriber.seesPending) pendingIndex.remove(subscriber);
      added.delete(subscriber);
      settled.delete(subscriber);
      subscribersById[subscriber.kind].delete(subscriber.id);
    }
    const dropped = contracts.get(contractId)?.contract;
    const tenantContracts = dropped && owned.get(dropped.tenantId);
    if (tenantContracts?.[dropped!.address]?.id === contractId)
      Reflect.deleteProperty(tenantContracts, dropped!.address);
    contracts.delete(contractId);
    uninspected.delete(contractId);
    invalid.delete(contractId);
  }

  /**
   * Serialised, so that an older read does not overwrite a newer one. `isAhead`: the chain is not followed yet, and
   * everything counts as read for the first time. Returns the number of contracts read.
   */
  function refresh(db: Db, { isAhead = false, ...options }: RefreshOptions = {}): Promise<number> {
    return mutex.runExclusive(async () => {
      const count = await read(db, options);
      isFirst &&= isAhead;
      return count;
    });
  }

  /** Reads what changed, or everything when that is unknown. */
  async function read(db: Db, { rest, signal }: Omit<RefreshOptions, 'isAhead'>): Promise<number> {
    if (!isStale && changes.size === 0) return 0;
    let count = 0;
    const isWhole = isStale;
    const notified = changes;
    isStale = false;
    changes = new Set();
    try {
      const owners = isWhole ? undefined : ownersIn(notified);
      const shownIds = owners && new Set(owners.contractIds);
      const removed = new Set(owners ? affected(owners) : contracts.keys());
      let startedAt = performance.now();
      for await (const page of watchedContracts(db, chain.uid, owners)) {
        for (const watched of page) {
          const { id } = watched.contract;
          await yieldToEventLoop();
          signal?.throwIfAborted();
          removed.delete(id);
          put(watched, isFirst || (shownIds?.has(id) ?? true));
          count++;
        }
        await rest?.(startedAt);
        startedAt = performance.now();
      }
      for (const contractId of removed) drop(contractId);
      return count;
    } catch (error) {
      isStale = true;
      throw error;
    }
  }

  function affected({ contractIds, projectIds, tenantIds }: ContractOwners): number[] {
    const projects = new Set(projectIds);
    const tenants = new Set(tenantIds);
    const projectContracts = [...contracts.values()].filter(
      ({ contract }) => projects.has(contract.projectId) || tenants.has(contract.tenantId),
    );
    return [...contractIds, ...projectContracts.map(({ contract }) => contract.id)];
  }

  return {
    index,
    /** Those that are shown pending transactions. */
    pendingIndex,
    refresh,
    /**
     * The chain is not followed here for now. Changes count as read for the first time, because the following process
     * shows them to the blocks. Subscribers that saw a block have a stored state.
     */
    standBack(): Promise<void> {
      return mutex.runExclusive(async () => {
        isFirst = true;
        for (const [subscriber, item] of added) added.set(subscriber, { ...item, isNew: false });
      });
    },
    /** Takes a message of the channel; undefined: anything may have changed. */
    onNotify(message: string | undefined): void {
      if (message === undefined || message.startsWith('schema ')) isStale = true;
      else if (message !== 'labels') changes.add(message);
    },
    /** The subscribers that could not be compiled since the last call. */
    takeInvalid(): InvalidSubscriber[] {
      const taken = [...invalid.values()].flat();
      invalid.clear();
      return taken;
    },
    /**
     * Those that were not shown any block since they were read and to which it matters, as the next one follows this number; until
     * `removeAdded`.
     */
    added(tip: number): ReadonlyMap<Subscriber, Added> {
      if (settledTo > tip) unsettle();
      return new Map(added);
    },
    isAdded: (subscriber: Subscriber) => added.has(subscriber),
    /** True if it was created while the chain was followed, and watches only blocks after this one. */
    isYounger(subscriber: Subscriber, number: number): boolean {
      const item = added.get(subscriber);
      return item?.isNew === true && (item.from ?? number) >= number;
    },
    keepAdded(subscriber: Subscriber, from: number): void {
      const item = added.get(subscriber);
      if (item) added.set(subscriber, { ...item, from, isNew: true });
    },
    /** A block was shown to these, and to all to which it does not matter. */
    removeAdded(shown: Iterable<Subscriber>): void {
      for (const subscriber of shown) added.delete(subscriber);
      settled.clear();
      settledTo = -1;
    },
    /** The block with which following a chain starts: the oldest one in which a contract was added of late, or the newest. */
    startAt(latest: number): number {
      unsettle();
      // No one set the first block, so that nothing is shown what was there before it.
      for (const [subscriber, item] of added) added.set(subscriber, { ...item, mayWait: true });
      let first = latest;
      for (const { watchedFrom } of contracts.values())
        if (watchedFrom !== null && watchedFrom >= latest - maxLateBlocks)
          first = Math.min(first, watchedFrom);
      return first;
    },
    contractCount: () => contracts.size,
    contracts: () => contracts.values(),
    /** Contracts whose implementation was not looked up yet. */
    uninspected: () => [...uninspected.values()],
    find: (kind: SubscriberRef['kind'], id: number) => subscribersById[kind].get(id),
  };
}

type Row = { id: number; name: string; watchedFrom: number | null };

function keyOf({ kind, id }: Pick<SubscriberRef, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** One that cannot be compiled must not affect the others. */
function tryCompile(compile: () => Subscriber | { fault: string }): Subscriber | { fault: string } {
  try {
    return compile();
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

function ownersIn(messages: ReadonlySet<string>): ContractOwners {
  const idsOf = (kind: string) =>
    [...messages].flatMap((message) =>
      message.startsWith(`${kind} `) ? [Number(message.slice(kind.length + 1))] : [],
    );
  return { contractIds: idsOf('contract'), projectIds: idsOf('project'), tenantIds: idsOf('tenant') };
}
