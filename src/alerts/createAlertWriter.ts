import { settleWithin } from '../lib/withTimeLimit.ts';
import type { Finding } from '../model/alert.ts';
import type { AlertWrite } from '../model/alertWrite.ts';
import {
  type FindGroups,
  findLaneGroups,
  findWaitingGroups,
  insertGroupWrites,
} from '../store/alerts/groupWrites.ts';
import type { Db, Store } from '../store/db/db.ts';
import { prepareTerms } from '../store/search/terms/findingTerms.ts';
import { applyWrite, type WriteHooks } from './applyWrite.ts';
import { createGroupLanes, type GroupFailure, maxWaitMs } from './createGroupLanes.ts';
import { prepareRaise } from './raiseAlerts.ts';
import { splitByGroup } from './splitByGroup.ts';

type Options = WriteHooks & {
  store: Store;
  /** Undefined while one database has all alerts. */
  shardGroups: () => Promise<FindGroups | undefined>;
  now: () => number;
  /** Called when the alerts of a group cannot be written; they wait and are written later. */
  onGroupFailure: (failure: GroupFailure) => void;
  maxWaitingBytes?: number | undefined;
};

export type AlertWriter = ReturnType<typeof createAlertWriter>;

type Work<T> = (tx: Db) => Promise<{ result: T; writes: readonly AlertWrite[] }>;

/**
 * Writes the alerts of chain steps, in one transaction with the step. With distributed alerts the step stores them, and
 * each shard group follows in its own transaction, so no failing server stops the chain.
 */
export function createAlertWriter(options: Options) {
  const { store, shardGroups, now } = options;
  const lanes = createGroupLanes(options);

  /** Prepares the store for alerts that the next steps raise. */
  async function prepare(findings: readonly Finding[]): Promise<void> {
    if (!(await shardGroups())) return prepareRaise(store, findings);
    // Reads on a group's server, which may be down, and its tenants' words are left to the group's transaction.
    await prepareTerms(store, findings, true);
  }

  /** `work` holds the chain's cursor and returns what happens to alerts. */
  async function commit<T>(chainUid: string, work: Work<T>): Promise<T> {
    const findGroups = await shardGroups();
    if (findGroups) return commitByGroup(findGroups, chainUid, work);
    return store.transaction(async (tx) => {
      const { result, writes } = await work(tx);
      for (const write of writes) await applyWrite(tx, options, { chainUid, at: now() }, write);
      return result;
    });
  }

  async function commitByGroup<T>(findGroups: FindGroups, chainUid: string, work: Work<T>): Promise<T> {
    const { result, rows } = await storeByGroup(findGroups, chainUid, work).catch((error: unknown) => {
      if (!(error instanceof Behind)) throw error;
      const findLanes: FindGroups = (db, tenantIds) => findLaneGroups(db, findGroups, chainUid, tenantIds);
      return storeByGroup(findLanes, chainUid, work, true);
    });
    if (rows.length > 0) {
      const written = Promise.all(rows.map(({ group, ...row }) => lanes.write({ chainUid, group }, row)));
      await settleWithin(maxWaitMs, written, () => undefined);
    }
    return result;
  }

  async function storeByGroup<T>(
    findGroups: FindGroups,
    chainUid: string,
    work: Work<T>,
    isBehindAllowed = false,
  ) {
    return store.transaction(async (tx) => {
      const { result, writes } = await work(tx);
      const split = await splitByGroup(tx, findGroups, chainUid, writes);
      lanes.assertRoom(chainUid, split.keys());
      const rows = await insertGroupWrites(tx, chainUid, split, now());
      if (!isBehindAllowed && rows.some(({ isBehind }) => isBehind)) throw new Behind();
      return { result, rows };
    });
  }

  /** These tenants by their groups, without groups that have something of the chain to write; all as one in one database. */
  async function settledTenants(
    chainUid: string,
    tenantIds: readonly number[],
  ): Promise<(readonly number[] | undefined)[]> {
    const findGroups = await shardGroups();
    if (!findGroups) return [undefined];
    const waiting = await findWaitingGroups(store, chainUid);
    const settled = new Map<number, number[]>();
    for (const [tenantId, group] of await findLaneGroups(store, findGroups, chainUid, tenantIds))
      if (!waiting.has(group)) settled.set(group, [...(settled.get(group) ?? []), tenantId]);
    return [...settled.values()];
  }

  return {
    prepare,
    commit,
    settledTenants,
    start: (onError: (error: unknown) => void) =>
      lanes.start(async () => (await shardGroups()) !== undefined, onError),
    stop: lanes.stop,
  };
}

/** Rare, so that only then it is looked for where each tenant's writes wait. */
class Behind extends Error {
  override readonly name = 'Behind';
}
