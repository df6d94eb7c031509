import type { Chain } from '../chains/chains.ts';
import { toChainFacts } from '../chains/toChainFacts.ts';
import { createMutex } from '../lib/createMutex.ts';
import { messageOf } from '../lib/messageOf.ts';
import { compileDetector } from '../matching/compileDetector.ts';
import { compileTrigger } from '../matching/compileTrigger.ts';
import { createSubscriptionIndex } from '../matching/createSubscriptionIndex.ts';
import type { Subscriber, SubscriberRef } from '../matching/subscriber.ts';
import type { ContractFacts } from '../model/detection.ts';
import type { Db } from '../store/db.ts';
import {
  type ContractOwners,
  type WatchedContract,
  watchedContracts,
} from '../store/watch/watchedContracts.ts';

/** A detector or trigger that cannot be compiled. */
export type InvalidSubscriber = { subscriber: SubscriberRef; message: string };

/**
 * The block from which on it watches, null when that is unknown. `isNew`: it appeared while the chain was followed. `mayWait`:
 * it was created while the chain was processed less far than that block, and not before the chain was followed at all.
 */
type Added = { readonly from: number | null; readonly isNew: boolean; readonly mayWait: boolean };
type Entry = { contract: ContractFacts; subscribers: Subscriber[]; watchedFrom: number | null };
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
  const subscribersByKey = new Map<string, Subscriber>();
  const uninspected = new Map<number, ContractFacts>();
  const added = new Map<Subscriber, Added>();
  let invalid: InvalidSubscriber[] = [];
  let changes = new Set<string>();
  let isStale = true;
  let isFirst = true;
  const mutex = createMutex();

  /** `isOwn`: it, or what belongs to it, was changed, and not only its project or tenant. */
  function put(
    { detectors, triggers, inspectedAt, watchedFrom, ...rest }: WatchedContract,
    isOwn: boolean,
  ): void {
    const former = new Map(contracts.get(rest.id)?.subscribers.map((own) => [keyOf(own), own]));
    const waiting = new Map(Array.from(former.values(), (own) => [own, added.get(own)]));
    drop(rest.id);
    // Shared values instead of a copy for each contract.
    const contract: ContractFacts = {
      ...rest,
      chainUid: chain.uid,
      abi: rest.abi.length === 0 ? none : rest.abi,
    };
    const subscribers: Subscriber[] = [];
    const add = (
      kind: SubscriberRef['kind'],
      { id, name, ...row }: Row,
      compile: () => Subscriber | { fault: string },
    ) => {
      const subscriber = tryCompile(compile);
      if ('fault' in subscriber)
        invalid.push({ subscriber: { kind, id, name, contract }, message: subscriber.fault });
      else {
        subscribers.push(subscriber);
        const key = keyOf(subscriber);
        const before = former.get(key);
        subscribersByKey.set(key, subscriber);
        const from =
          row.watchedFrom === null ? null : Math.max(row.watchedFrom, watchedFrom ?? row.watchedFrom);
        const isChanged =
          before && subscriber.takesBaseline === true && before.stateKey() !== subscriber.stateKey();
        if (before && !isChanged) {
          const since = waiting.get(before);
          if (since) added.set(subscriber, since);
        } else if (isOwn || subscriber.takesBaseline)
          added.set(subscriber, {
            from: isOwn ? from : null,
            isNew: !isFirst,
            mayWait: row.watchedFrom !== from,
          });
        index.add(subscriber);
        if (subscriber.seesPending) pendingIndex.add(subscriber);
      }
    };
    for (const row of detectors) add('detector', row, () => compileDetector(row, contract, facts));
    for (const row of triggers) add('trigger', row, () => compileTrigger(row, contract, facts));
    contracts.set(contract.id, { contract, subscribers, watchedFrom });
    if (inspectedAt === null) uninspected.set(contract.id, contract);
  }

  function drop(contractId: number): void {
    for (const subscriber of contracts.get(contractId)?.subscribers ?? []) {
      index.remove(subscriber);
      if (subscriber.seesPending) pendingIndex.remove(subscriber);
      added.delete(subscriber);
      subscribersByKey.delete(keyOf(subscriber));
    }
    contracts.delete(contractId);
    uninspected.delete(contractId);
  }

  /** One at a time: an older read must not overwrite a newer one. `isAhead`: the chain is not followed yet. */
  function refresh(db: Db, { isAhead = false } = {}): Promise<void> {
    return mutex.runExclusive(async () => {
      await read(db);
      isFirst &&= isAhead;
    });
  }

  /** Reads what changed, or everything when that is unknown. */
  async function read(db: Db): Promise<void> {
    if (!isStale && changes.size === 0) return;
    const isWhole = isStale;
    const notified = changes;
    isStale = false;
    changes = new Set();
    try {
      const owners = isWhole ? undefined : ownersIn(notified);
      const own = owners && new Set(owners.contractIds);
      const removed = new Set(owners ? affected(owners) : contracts.keys());
      for await (const page of watchedContracts(db, chain.uid, owners)) {
        for (const contract of page) {
          removed.delete(contract.id);
          put(contract, own?.has(contract.id) ?? true);
        }
      }
      for (const contractId of removed) drop(contractId);
    } catch (error) {
      isStale = true;
      throw error;
    }
  }

  function affected({ contractIds, projectIds, tenantIds }: ContractOwners): number[] {
    const projects = new Set(projectIds);
    const tenants = new Set(tenantIds);
    const own = [...contracts.values()].filter(
      ({ contract }) => projects.has(contract.projectId) || tenants.has(contract.tenantId),
    );
    return [...contractIds, ...own.map(({ contract }) => contract.id)];
  }

  return {
    index,
    /** Those that are shown pending transactions. */
    pendingIndex,
    refresh,
    /** Takes a message of the channel; undefined: anything may have changed. */
    onNotify(message: string | undefined): void {
      if (message === undefined || message.startsWith('schema ')) isStale = true;
      else if (message !== 'labels') changes.add(message);
    },
    /** The subscribers that could not be compiled since the last call. */
    takeInvalid(): InvalidSubscriber[] {
      const taken = invalid;
      invalid = [];
      return taken;
    },
    /** Those that were not shown any block since they were read, as all at the start; until `removeAdded`. */
    added: (): ReadonlyMap<Subscriber, Added> => new Map(added),
    isAdded: (subscriber: Subscriber) => added.has(subscriber),
    /** Whether it was created while the chain was followed, and watches only blocks after this one. */
    isYounger(subscriber: Subscriber, number: number): boolean {
      const item = added.get(subscriber);
      return item?.isNew === true && (item.from ?? number) >= number;
    },
    keepAdded(subscriber: Subscriber, from: number): void {
      const item = added.get(subscriber);
      if (item) added.set(subscriber, { ...item, from, isNew: true });
    },
    removeAdded(shown: Iterable<Subscriber>): void {
      for (const subscriber of shown) added.delete(subscriber);
    },
    /** The block with which following a chain starts: the oldest one in which a contract was added of late, or the newest. */
    startAt(latest: number): number {
      // No one set the first block, so that nothing is shown what was there before it.
      for (const [subscriber, item] of added) added.set(subscriber, { ...item, mayWait: true });
      return Math.min(
        latest,
        ...Array.from(contracts.values(), ({ watchedFrom }) => watchedFrom ?? latest).filter(
          (from) => from >= latest - maxLateBlocks,
        ),
      );
    },
    isEmpty: () => contracts.size === 0,
    contracts: () => contracts.values(),
    /** Contracts whose implementation was not looked up yet. */
    uninspected: () => [...uninspected.values()],
    find: (kind: string, id: number) => subscribersByKey.get(`${kind} ${id}`),
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
