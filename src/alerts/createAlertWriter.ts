import { settleWithin } from '../lib/withTimeLimit.ts';
import type { Finding } from '../model/alert.ts';
import type { AlertWrite } from '../model/alertWrite.ts';
import { Problem } from '../model/errors.ts';
import { prepareTerms, rememberWords } from '../store/alerts/findingTerms.ts';
import { flushPendingTerms } from '../store/alerts/flushPendingTerms.ts';
import {
  beginGroupWrite,
  type FindGroups,
  findLaneGroups,
  findWaitingGroups,
  type GroupKey,
  type GroupWrite,
  insertGroupWrites,
} from '../store/alerts/groupWrites.ts';
import type { Db, Store } from '../store/db.ts';
import { isWorkerDown } from '../store/toProblem.ts';
import { applyWrite, type WriteHooks } from './applyWrite.ts';
import { createGroupLanes, findingsOf, type GroupFailure } from './createGroupLanes.ts';
import { prepareRaise } from './raiseAlerts.ts';
import { splitByGroup } from './splitByGroup.ts';

type Options = WriteHooks & {
  store: Store;
  /** Undefined while one database has all alerts. */
  shardGroups: () => Promise<FindGroups | undefined>;
  now: () => number;
  /** Called when the alerts of a group cannot be written; they wait and are written later. */
  onGroupFailure: (failure: GroupFailure) => void;
};

export type AlertWriter = ReturnType<typeof createAlertWriter>;

/** A chain waits for its alerts to be written at most this long, and then goes on without the groups that are late. */
const maxWaitMs = 1000;
/** The same for a statement of a group that is written with the step itself, before that group has to wait. */
const maxStatementMs = 2000;

type Work<T> = (tx: Db) => Promise<{ result: T; writes: readonly AlertWrite[] }>;

/**
 * Writes what steps of chains do to alerts. In one database the step and its alerts are one transaction. Where alerts are
 * distributed, so they are while all alerts are of one shard group, which can be written. Otherwise the step stores what each
 * group has to write, and one transaction for each group follows, so that a server that is down stops neither the chain nor
 * other tenants.
 */
export function createAlertWriter(options: Options) {
  const { store, shardGroups, now } = options;
  const lanes = createGroupLanes(options);

  /** Prepares the store for alerts that the next steps raise. */
  async function prepare(findings: readonly Finding[]): Promise<void> {
    if (!(await shardGroups())) return prepareRaise(store, findings);
    // What asks a group's server, which may be down, is left to the group's own transaction, and so are the words of its tenants.
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
    const { result, rows } = await commitStep(findGroups, chainUid, work);
    if (rows.length > 0) {
      const written = Promise.all(rows.map(({ group, ...row }) => lanes.write({ chainUid, group }, row)));
      await settleWithin(maxWaitMs, written, () => undefined);
    }
    return result;
  }

  /** Returns the rows that are still to be written. */
  async function commitStep<T>(
    findGroups: FindGroups,
    chainUid: string,
    work: Work<T>,
  ): Promise<{ result: T; rows: (GroupWrite & { group: number })[] }> {
    let attempt: { key: GroupKey; isApplied: boolean } | undefined;
    try {
      const step = await store.transaction(async (tx) => {
        attempt = undefined;
        const { result, writes } = await work(tx);
        const split = await splitByGroup(tx, findGroups, chainUid, writes);
        lanes.assertRoom(chainUid, split.keys());
        const at = now();
        const [group] = split.keys();
        const key = { chainUid, group: group! };
        const findings = findingsOf(writes);
        if (
          split.size !== 1 ||
          !lanes.isFree(key) ||
          !(await beginGroupWrite(tx, key, findings, maxStatementMs))
        )
          return { result, rows: await insertGroupWrites(tx, chainUid, split, at) };
        attempt = { key, isApplied: false };
        for (const write of split.get(key.group)!) await applyWrite(tx, options, { chainUid, at }, write);
        attempt.isApplied = true;
        return { result, rows: [], written: { tx, count: findings.length, group: key.group } };
      });
      if (step.written) {
        const { tx, count, group } = step.written;
        rememberWords(store, tx);
        await settleWithin(maxWaitMs, flushPendingTerms(store, count, group), () => undefined);
      }
      return step;
    } catch (error) {
      // Nothing is left of it, unless no one knows what became of its commit.
      if (!attempt || (attempt.isApplied && !isWorkerDown(error instanceof Problem ? error.cause : error)))
        throw error;
      lanes.fail(attempt.key, error);
      return commitStep(findGroups, chainUid, work);
    }
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
