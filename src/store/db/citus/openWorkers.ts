import pg from 'pg';
import type { ServerUse } from './createHangWatch.ts';
import { distributedTables } from './distributedTables.ts';
import type { Placement, Placements, WorkerServer } from './openPlacements.ts';
import { toShardText } from './toShardText.ts';

type Query = { text: string; values: unknown[] };
type Ask = (query: Query, use?: ServerUse) => Promise<pg.QueryResult>;

export type Workers = {
  /** The answer of a tenant's worker; undefined if it cannot be asked, and the coordinator must be. */
  ask(tenantId: number, query: Query, use?: ServerUse): Promise<pg.QueryResult | undefined>;
  close(): Promise<void>;
};

/** Connections to one worker. */
type Worker = { ask: Ask; close(): Promise<void> };

/** Time for which the coordinator replaces a worker that could not be reached. */
const avoidMs = 30_000;

/**
 * Asks workers directly, because the coordinator's planning and copying takes longer than most questions. A worker that
 * is unreachable, or no longer has the tenant, is not asked.
 */
export function openWorkers(
  placements: Placements,
  open: (server: WorkerServer) => Worker,
  onUnreachable: (error: Error) => void,
): Workers {
  const workers = new Map<string, Worker>();
  const avoidedUntil = new Map<string, number>();

  return {
    async ask(tenantId, query, use) {
      const placement = await placements.find(tenantId);
      if (!placement) return undefined;
      const name = `${placement.host}:${placement.port}`;
      if ((avoidedUntil.get(name) ?? 0) > performance.now()) return undefined;
      const worker = workers.get(name) ?? open(placement);
      workers.set(name, worker);
      try {
        const answer = await readShard((text) => worker.ask(text, use), placement, query);
        avoidedUntil.delete(name);
        if (answer) return answer;
      } catch (error) {
        // Of one that hangs the caller has the words, and the coordinator would wait for it too.
        if (use?.cutBy || !isUnreachable(error)) throw error;
        // Once until it answers again: where workers are closed to this process, nothing is wrong.
        if (!avoidedUntil.has(name))
          onUnreachable(
            new Error(`The worker ${name} cannot be asked directly; the coordinator is.`, { cause: error }),
          );
        avoidedUntil.set(name, performance.now() + avoidMs);
      }
      placements.forget(tenantId);
      return undefined;
    },
    async close() {
      await Promise.all(Array.from(workers.values(), (worker) => worker.close()));
    },
  };
}

/**
 * A moved shard stays on its old worker for a while, outdated. So the worker confirms in the same snapshot that it has
 * the shard; undefined if it does not.
 */
async function readShard(
  ask: Ask,
  { groupId, shardIds }: Placement,
  { text, values }: Query,
): Promise<pg.QueryResult | undefined> {
  const isHere = `exists (select from pg_dist_placement where shardid = ${shardIds[distributedTables[0]]}
    and groupid = ${groupId} and shardstate = 1)`;
  // A row for the shard itself, so that it is known without rows too.
  const answer = await ask({
    text: `select q.*, shard.is_here as shard_is_here from (select ${isHere} as is_here) shard
      left join (select q.*, true as is_shard_row from (${toShardText(text, shardIds)}) q) q on true`,
    values,
  });
  const { rows } = answer;
  if (rows[0]?.shard_is_here !== true) return undefined;
  if (rows[0].is_shard_row !== true) return { ...answer, rows: [] };
  for (const row of rows) {
    delete row.shard_is_here;
    delete row.is_shard_row;
  }
  return answer;
}

/** Connection lost or refused, server stopping, too many connections, no such user or database; or the shard is gone. */
const unreachable = /^(08|57P0|53|28|3D|42P01)/;

function isUnreachable(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || unreachable.test(error.code ?? '');
}
