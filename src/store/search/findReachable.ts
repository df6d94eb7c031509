import { type Sql, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import type { Store } from '../db/db.ts';
import type { DocumentScope } from './documents/documentTable.ts';

/** `missing`: names of the workers that do not answer. */
export type Reachable = { scope: DocumentScope; missing: string[] };

/**
 * Of a scope of all tenants, the part whose workers answer; undefined where all of them do, or where nothing is distributed. Takes
 * up to a second.
 */
export async function findReachable(store: Store, scope: DocumentScope): Promise<Reachable | undefined> {
  const silent = (await store.silentWorkers?.()) ?? [];
  if (silent.length === 0) return undefined;
  const listed = scope.tenantIds && new Set(scope.tenantIds);
  const reachable = await findTenants(store, sql`p.groupid <> all(${silent}::int[])`);
  const tenantIds = reachable.filter((id) => listed?.has(id) !== false);
  const condition = sql`(${scope.condition}) and t.tenant_id = any(${tenantIds}::bigint[])`;
  return { scope: { condition, tenantIds, isPartial: true }, missing: silent.map((id) => `worker ${id}`) };
}

/** The tenants whose worker does not answer, where that may be why something has failed. */
export async function findUnreachable(store: Store, error: unknown): Promise<number[]> {
  if (!(error instanceof Problem) || error.code !== 'unavailable') return [];
  const silent = (await store.silentWorkers?.()) ?? [];
  return silent.length === 0 ? [] : findTenants(store, sql`p.groupid = any(${silent}::int[])`);
}

async function findTenants(store: Store, onPlacement: Sql): Promise<number[]> {
  const rows = await store.query<{ id: number }>(
    sql`select t.id from tenant t
      join pg_dist_shard s on s.logicalrelid = 'alert'::regclass
        and worker_hash(t.id) between s.shardminvalue::int and s.shardmaxvalue::int
      join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1 and ${onPlacement}`,
  );
  return rows.map(({ id }) => id);
}
