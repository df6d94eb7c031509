import { type Chain, toChainFacts } from '../chains/chains.ts';

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

/** A detector or trigger that cannot even be made ready. */
export type InvalidSubscriber = { subscriber: SubscriberRef; message: string };

type Kept = { contract: ContractFacts; subscribers: Subscriber[] };
const none: readonly unknown[] = [];

export type WatchList = ReturnType<typeof createWatchList>;

/** Everything that is watched on a chain, kept up to date while it changes. */
export function createWatchList(chain: Chain) {
  const index = createSubscriptionIndex();
  const facts = toChainFacts(chain);
  const contracts = new Map<number, Kept>();
  const subscribersByKey = new Map<string, Subscriber>();
  const uninspected = new Map<number, ContractFacts>();
  let unfit: InvalidSubscriber[] = [];
  let changes = new Set<string>();
  let isStale = true;
  let refreshing: Promise<void> = Promise.resolve();

  function put({ detectors, triggers, inspectedAt, ...rest }: WatchedContract): void {
    drop(rest.id);
    // The same few words for all of them, instead of a copy for each.
    const contract: ContractFacts = {
      ...rest,
      chainUid: chain.uid,
      abi: rest.abi.length === 0 ? none : rest.abi,
    };
    const subscribers: Subscriber[] = [];
    const keep = (
      kind: SubscriberRef['kind'],
      { id, name }: Row,
      make: () => Subscriber | { fault: string },
    ) => {
      const made = tryCompile(make);
      if ('fault' in made) unfit.push({ subscriber: { kind, id, name, contract }, message: made.fault });
      else {
        subscribers.push(made);
        subscribersByKey.set(`${kind} ${id}`, made);
        index.add(made);
      }
    };
    for (const row of detectors) keep('detector', row, () => compileDetector(row, contract, facts));
    for (const row of triggers) keep('trigger', row, () => compileTrigger(row, contract, facts));
    contracts.set(contract.id, { contract, subscribers });
    if (inspectedAt === null) uninspected.set(contract.id, contract);
  }

  function drop(contractId: number): void {
    for (const subscriber of contracts.get(contractId)?.subscribers ?? []) {
      index.remove(subscriber);
      subscribersByKey.delete(`${subscriber.kind} ${subscriber.id}`);
    }
    contracts.delete(contractId);
    uninspected.delete(contractId);
  }

  /** One after the other: an older reading must not overwrite a newer one. */
  function refresh(db: Db): Promise<void> {
    refreshing = refreshing.then(
      () => read(db),
      () => read(db),
    );
    return refreshing;
  }

  /** Reads again what has changed, or everything when that is not known. */
  async function read(db: Db): Promise<void> {
    if (!isStale && changes.size === 0) return;
    const isWhole = isStale;
    const noted = changes;
    isStale = false;
    changes = new Set();
    try {
      const owners = isWhole ? undefined : ownersIn(noted);
      const gone = new Set(owners ? affected(owners) : contracts.keys());
      for await (const page of watchedContracts(db, chain.uid, owners)) {
        for (const contract of page) {
          gone.delete(contract.id);
          put(contract);
        }
      }
      for (const contractId of gone) drop(contractId);
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
    /** Notes that something has changed, in the words of the channel; undefined: anything may have. */
    onNotify(message: string | undefined): void {
      if (message === undefined || message.startsWith('schema ')) isStale = true;
      else if (message !== 'labels') changes.add(message);
    },
    /** Those that could not be made ready since the last time this was asked. */
    takeInvalid(): InvalidSubscriber[] {
      const taken = unfit;
      unfit = [];
      return taken;
    },
    isEmpty: () => contracts.size === 0,
    contracts: () => contracts.values(),
    /** Contracts of which it is not known what stands behind them. */
    uninspected: () => [...uninspected.values()],
    find: (kind: string, id: number) => subscribersByKey.get(`${kind} ${id}`),
  };
}

type Row = { id: number; name: string };

/** One that cannot be made ready must not keep the others from it. */
function tryCompile(make: () => Subscriber | { fault: string }): Subscriber | { fault: string } {
  try {
    return make();
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
