import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import { unpackedRollups } from '../../src/store/search/rollups/rollups.ts';

/** Every count of the roll-ups. Tenant by tenant: Citus unpacks months only where one server has them. */
export async function readRollups(store: Store, tenantIds?: readonly number[]): Promise<unknown[]> {
  const all = await store.query<{ id: number }>(
    sql`select distinct tenant_id as id from alert_rollup order by 1`,
  );
  const own = all.filter(({ id }) => tenantIds?.includes(id) ?? true);
  const counts = await Promise.all(
    own.map(({ id }) =>
      store.query(sql`select * from ${unpackedRollups} r where tenant_id = ${id} order by 1, 2, 3, 4, 5, 6`),
    ),
  );
  return counts.flat();
}
