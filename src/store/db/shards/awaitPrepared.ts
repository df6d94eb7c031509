import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../lib/sql.ts';
import type { Db } from '../db.ts';
import { unavailable } from '../toProblem.ts';
import { findShardGroups } from './findShardGroups.ts';

const pollMs = 10;
/** The second phase takes milliseconds; after a crash Citus ends it within a minute, which callers wait for by trying again. */
const limitMs = 5000;

/**
 * Resolves when the tenants' workers show everything committed on the coordinator by now. Citus commits there first, so
 * a worker may lack a row that the coordinator has.
 */
export async function awaitPrepared(db: Db, tenantIds: Iterable<number>): Promise<void> {
  if (!(await db.isDistributed())) return;
  const startedAt = performance.now();
  for (const tenantId of await onePerWorker(db, new Set(tenantIds))) {
    let open = await findPrepared(db, tenantId);
    while (open.length > 0) {
      if (performance.now() - startedAt > limitMs)
        throw unavailable('A worker of the database has yet to commit what was written before.', undefined);
      await sleep(pollMs);
      const left = new Set(await findPrepared(db, tenantId));
      // Only those of the beginning: others begin all the time.
      open = open.filter((gid) => left.has(gid));
    }
  }
}

async function onePerWorker(db: Db, tenantIds: ReadonlySet<number>): Promise<Iterable<number>> {
  if (tenantIds.size < 2) return tenantIds;
  const groups = await findShardGroups(db, tenantIds);
  return new Map(Array.from(groups, ([tenantId, group]) => [group, tenantId])).values();
}

/** The transactions of Citus that are prepared on the tenant's worker; the incident, which is none, leads the statement there. */
async function findPrepared(db: Db, tenantId: number): Promise<string[]> {
  const rows = await db.prepared<{ gid: string }>(
    sql`select p.gid from pg_prepared_xact() p
      join pg_stat_get_activity(pg_backend_pid()) own on own.datid = p.dbid
      left join incident i on i.tenant_id = ${tenantId} and i.uid is null
      where starts_with(p.gid, 'citus_')`,
  );
  return rows.map(({ gid }) => gid);
}
