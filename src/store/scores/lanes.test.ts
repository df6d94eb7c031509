import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import type { Store } from '../db/db.ts';
import { openStore } from '../db/openStore.ts';
import { claimLanes } from './lanes.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

it('takes first the instances of tenants that have fewest at work, however many wait at another', async () => {
  await store.transaction(async (tx) => {
    // Only the queue matters here, not what the instances belong to.
    await tx.query(sql`set local session_replication_role = replica`);
    const lanes = sql`select case when n <= 20 then 1 else n - 19 end as tenant_id, n from generate_series(1, 22) n`;
    await tx.query(
      sql`insert into license_instance (id, tenant_id, project_id, license_id, organisation_id, created_at, updated_at)
        select n, tenant_id, n, 1, 1, 0, 0 from (${lanes}) l`,
    );
    await tx.query(
      sql`insert into score_lane (tenant_id, license_instance_id) select tenant_id, n from (${lanes}) l`,
    );
    await tx.query(
      sql`insert into score_work (tenant_id, license_instance_id, type, at, data, created_at)
        select tenant_id, n, 'tick', 0, '{}', 0 from (${lanes}) l order by n`,
    );
  });
  const claimed = await claimLanes(store, 4);
  expect(tenantsOf(claimed)).toEqual([1, 1, 2, 3]);
  await store.query(sql`update score_lane set lease_until = null where tenant_id > 1`);
  const more = await claimLanes(
    store,
    2,
    claimed.filter(({ tenantId }) => tenantId === 1),
  );
  expect(tenantsOf(more)).toEqual([2, 3]);
});

function tenantsOf(lanes: readonly { tenantId: number }[]): number[] {
  return lanes.map(({ tenantId }) => tenantId).sort((one, other) => one - other);
}
