import type { Finding } from '../model/alert.ts';
import type { AlertWrite } from '../model/alertWrite.ts';
import { Problem } from '../model/errors.ts';
import {
  deleteGroupWrites,
  findLaterRetractions,
  findWaitingTenants,
  type GroupKey,
  type GroupWrite,
  listGroupWrites,
  listWaitingGroups,
  readGroupWrites,
  type StoredWrite,
  type WaitingTenants,
} from '../store/alerts/groupWrites.ts';
import type { Store } from '../store/db/db.ts';
import { rememberWords } from '../store/search/terms/findingTerms.ts';
import { applyWrite, type WriteHooks } from './applyWrite.ts';
import { prepareRaise } from './raiseAlerts.ts';

/** `tenants`: those whose findings wait; undefined if the coordinator does not answer either. */
export type GroupFailure = GroupKey & { error: unknown; tenants: WaitingTenants | undefined };

type Options = WriteHooks & {
  store: Store;
  now: () => number;
  onGroupFailure: (failure: GroupFailure) => void;
  /** Limit of waiting writes of a chain for one group; the chain stops until the group is written. */
  maxWaitingBytes?: number | undefined;
};

/** A chain waits for its alerts to be written at most this long, and then goes on without the groups that are late. */
export const maxWaitMs = 1000;
/** Rows that one transaction writes. */
const maxRows = 50;
const pollMs = 1000;
const maxRetryMs = 5000;
const defaultMaxWaitingBytes = 4096 * 1024 * 1024;

/** A chain's rows of one group. */
type Lane = {
  key: GroupKey;
  /** Rows of this process that are not written yet, with findings whose terms are worked out. */
  own: Map<number, GroupWrite>;
  /** One of them that nothing waits before, so that it need not be looked for. */
  next: number | undefined;
  running: Promise<void> | undefined;
  /** Start of its transaction. */
  since: number;
  isDue: boolean;
  failures: number;
  retryAt: number;
};

/** Writes the rows of each chain and group in their order, one transaction after the other; groups do not wait for each other. */
export function createGroupLanes(options: Options) {
  const { store, now, maxWaitingBytes = defaultMaxWaitingBytes } = options;
  const lanes = new Map<string, Lane>();
  const full = new Map<string, WaitingTenants>();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  const stopping = new AbortController();

  function laneOf(key: GroupKey): Lane {
    const name = nameOf(key);
    const lane = lanes.get(name) ?? {
      key,
      own: new Map(),
      next: undefined,
      running: undefined,
      since: 0,
      isDue: false,
      failures: 0,
      retryAt: 0,
    };
    lanes.set(name, lane);
    return lane;
  }

  /** Resolves when it is written, or when it has to wait because its group cannot be written. */
  async function write(key: GroupKey, { isOldest, ...row }: StoredWrite): Promise<void> {
    const lane = laneOf(key);
    if (lane.failures > 0) return;
    if (lane.running && performance.now() - lane.since > maxWaitMs) {
      // Its server hangs: the next blocks neither wait for it nor are kept here for it.
      lane.isDue = true;
      return;
    }
    lane.own.set(row.id, row);
    if (isOldest) lane.next = row.id;
    await run(lane);
  }

  function run(lane: Lane): Promise<void> {
    lane.isDue = true;
    lane.running ??= drain(lane);
    return lane.running;
  }

  async function drain(lane: Lane): Promise<void> {
    try {
      while (lane.isDue && !stopping.signal.aborted) {
        lane.isDue = false;
        while (!stopping.signal.aborted && (await writeOldest(lane)));
      }
      lane.failures = 0;
    } catch (error) {
      lane.own.clear();
      lane.next = undefined;
      lane.retryAt = now() + Math.min(maxRetryMs, pollMs * 2 ** lane.failures);
      lane.failures++;
      const tenants = await findWaitingTenants(store, lane.key).catch(() => undefined);
      options.onGroupFailure({ ...lane.key, error, tenants });
    } finally {
      lane.running = undefined;
    }
  }

  /** True if there may be more; writes added by this process meanwhile make the lane due again. */
  async function writeOldest(lane: Lane): Promise<boolean> {
    const { key, own: ownWrites, next } = lane;
    lane.next = undefined;
    lane.since = performance.now();
    const ids = next === undefined ? await listGroupWrites(store, key, maxRows) : [next];
    const last = ids.at(-1);
    if (last === undefined) return false;
    const stored = await readGroupWrites(
      store,
      ids.filter((id) => !ownWrites.has(id)),
    );
    const byId = new Map([...ownWrites, ...stored.map((row) => [row.id, row] as const)]);
    const rows = ids.flatMap((id) => byId.get(id) ?? []);
    const findings = rows.flatMap(({ writes }) => findingsOf(writes));
    const tenantIds = [...new Set(findings.map(({ tenantId }) => tenantId))];
    // The words go to the same server as the alerts, where a transaction of their own would cost as much as theirs.
    await prepareRaise(store, findings, true);
    const isWritten = await store
      .transaction(async (tx) => {
        // Another process has written some of them.
        const gone = await deleteGroupWrites(tx, ids, tenantIds);
        if (gone < ids.length || rows.length < ids.length) throw new Taken();
        // An action must not fire for what is known to be taken back.
        const later = ids.length === maxRows ? await findLaterRetractions(tx, key, last) : [];
        for (const { writes, at } of [...rows, ...later])
          for (const write of writes) await applyWrite(tx, options, { chainUid: key.chainUid, at }, write);
        return tx;
      })
      .then(
        (tx) => {
          rememberWords(store, tx);
          return true;
        },
        (error: unknown) => {
          if (error instanceof Taken) return false;
          throw error;
        },
      );
    for (const id of ids) ownWrites.delete(id);
    return !isWritten || ids.length === maxRows;
  }

  /** Writes what earlier processes left, and what waits for a group that can be written again. */
  async function poll(): Promise<void> {
    const waiting = await listWaitingGroups(store);
    const fullNow = waiting.filter(({ bytes }) => bytes > maxWaitingBytes);
    const tenants = await Promise.all(fullNow.map((key) => findWaitingTenants(store, key)));
    full.clear();
    for (const [index, key] of fullNow.entries()) full.set(nameOf(key), tenants[index]!);
    for (const { chainUid, group, since } of waiting) {
      const lane = laneOf({ chainUid, group });
      // A younger row may be about to be written by the process that stored it.
      if (now() >= lane.retryAt && now() - since >= pollMs) void run(lane);
    }
  }

  return {
    write,

    assertRoom(chainUid: string, groups: Iterable<number>): void {
      for (const group of groups) {
        const tenants = full.get(nameOf({ chainUid, group }));
        if (tenants)
          throw new Problem(
            'unavailable',
            `Findings of ${describeTenants(tenants)} wait for the database worker ${group}, and are more than ` +
              'VIGIL_MAX_UNWRITTEN_MIB allows. The chain stops for all tenants until the worker is back or more is allowed.',
          );
      }
    },

    /** Polls while alerts are distributed, and once in any case. */
    start(isDistributed: () => Promise<boolean>, onError: (error: unknown) => void): void {
      let isFirst = true;
      const pollIfDistributed = async () => {
        if ((await isDistributed()) || isFirst) await poll();
        isFirst = false;
      };
      timer = setInterval(() => {
        polling ??= pollIfDistributed()
          .catch(onError)
          .finally(() => {
            polling = undefined;
          });
      }, pollMs);
    },

    /** Nothing is written any more once this resolves. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      await polling;
      for (const { running } of lanes.values()) await running;
    },
  };
}

class Taken extends Error {
  override readonly name = 'Taken';
}

function describeTenants({ count, first }: WaitingTenants): string {
  const names = first.join(', ');
  if (count > first.length) return `${count} tenants (${names} …)`;
  return `${count === 1 ? 'tenant' : 'tenants'} ${names}`;
}

function nameOf({ chainUid, group }: GroupKey): string {
  return `${chainUid} ${group}`;
}

function findingsOf(writes: readonly AlertWrite[]): Finding[] {
  return writes.flatMap((write) => (write.type === 'raise' ? write.findings : []));
}
