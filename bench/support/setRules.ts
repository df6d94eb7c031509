import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';

const rules = 1000;

/** Replaces the silences of the first tenant by a thousand with these queries; `n` tells them apart. */
export async function setSilences(store: Store, query: ((n: number) => string) | undefined): Promise<void> {
  await store.query(sql`update silence set ends_at = starts_at + 1 where ends_at > starts_at + 1`);
  if (!query) return;
  const queries = Array.from({ length: rules }, (_, n) => query(n));
  await store.query(
    sql`insert into silence (tenant_id, created_at, updated_at, query, starts_at, ends_at, include_critical, reason,
        author, cost)
      select 1, 1, 1, q, 1, ${Date.now() + 86_400_000}, false, 'bench', 'bench', 4
      from unnest(${queries}::text[]) q`,
  );
}

/** Replaces its routes by a thousand below a root that notifies these destinations, or all. */
export async function setRoutes(
  store: Store,
  query: ((n: number) => string) | undefined,
  repeatSeconds: number | null,
  destinationIds?: readonly number[],
): Promise<void> {
  await store.query(sql`update route set status = 'DELETED' where status <> 'DELETED'`);
  if (!query) return;
  const queries = Array.from({ length: rules }, (_, n) => query(n));
  await store.query(
    sql`with root as (
        insert into route (tenant_id, created_at, updated_at, status, position, name, goes_on, group_by, wait_seconds,
          repeat_seconds, destination_ids, cost)
        select 1, 1, 1, 'ACTIVE', 0, 'root', false, 'INCIDENT', 0, ${repeatSeconds}::integer,
          coalesce(${destinationIds ?? null}::bigint[], (select array_agg(id) from destination where tenant_id = 1)), 0 returning id)
      insert into route (tenant_id, created_at, updated_at, status, parent_id, position, name, query, goes_on, group_by,
        wait_seconds, destination_ids, cost)
      select 1, 1, 1, 'ACTIVE', root.id, n, 'bench', q, false, 'INCIDENT', 0, '{}', 4
      from root, unnest(${queries}::text[]) with ordinality q(q, n)`,
  );
}

/** Gives the first routes the destinations to which the detectors are bound, so that alerts spread as they do without routes. */
export async function spreadRoutes(store: Store, detectors: number): Promise<void> {
  await store.query(
    sql`update route set query = 'detectorId:' || position,
        destination_ids = array[2 * position - 1, 2 * position]::bigint[]
      where parent_id is not null and status <> 'DELETED' and position between 1 and ${detectors}`,
  );
}
