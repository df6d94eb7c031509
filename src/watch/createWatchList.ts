import { type Chain, toChainFacts } from '../chains/chains.ts';
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

type Entry = { contract: ContractFacts; subscribers: Subscriber[] };
const none: readonly unknown[] = [];

export type WatchList = ReturnType<typeof createWatchList>;

/** Everything that is watched on a chain, refreshed as it changes. */
export function createWatchList(chain: Chain) {
  const index = createSubscriptionIndex();
  const facts = toChainFacts(chain);
  const contracts = new Map<number, Entry>();
  const subscribersByKey = new Map<string, Subscriber>();
  const uninspected = new Map<number, ContractFacts>();
  let added = new Set<Subscriber>();
  let invalid: InvalidSubscriber[] = [];
  let changes = new Set<string>();
  let isStale = true;
  const mutex = createMutex();

  function put({ detectors, triggers, inspectedAt, ...rest }: WatchedContract): void {
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
      { id, name }: Row,
      compile: () => Subscriber | { fault: string },
    ) => {
      const subscriber = tryCompile(compile);
      if ('fault' in subscriber)
        invalid.push({ subscriber: { kind, id, name, contract }, message: subscriber.fault });
      else {
        subscribers.push(subscriber);
        subscribersByKey.set(`${kind} ${id}`, subscriber);
        if (subscriber.takesBaseline) added.add(subscriber);
        index.add(subscriber);
      }
    };
    for (const row of detectors) add('detector', row, () => compileDetector(row, contract, facts));
    for (const row of triggers) add('trigger', row, () => compileTrigger(row, contract, facts));
    contracts.set(contract.id, { contract, subscribers });
    if (inspectedAt === null) uninspected.set(contract.id, contract);
  }

  function drop(contractId: number): void {
    for (const subscriber of contracts.get(contractId)?.subscribers ?? []) {
      index.remove(subscriber);
      added.delete(subscriber);
      subscribersByKey.delete(`${subscriber.kind} ${subscriber.id}`);
    }
    contracts.delete(contractId);
    uninspected.delete(contractId);
  }

  /** One at a time: an older read must not overwrite a newer one. */
  function refresh(db: Db): Promise<void> {
    return mutex.runExclusive(() => read(db));
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
      const removed = new Set(owners ? affected(owners) : contracts.keys());
      for await (const page of watchedContracts(db, chain.uid, owners)) {
        for (const contract of page) {
          removed.delete(contract.id);
          put(contract);
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
    /** Those that may need a baseline: compiled since `clearAdded`, as all are at the start. */
    added: (): readonly Subscriber[] => [...added],
    clearAdded(): void {
      added = new Set();
    },
    isEmpty: () => contracts.size === 0,
    contracts: () => contracts.values(),
    /** Contracts whose implementation was not looked up yet. */
    uninspected: () => [...uninspected.values()],
    find: (kind: string, id: number) => subscribersByKey.get(`${kind} ${id}`),
  };
}

type Row = { id: number; name: string };

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
