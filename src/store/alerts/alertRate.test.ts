import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import type { Store } from '../db/db.ts';
import { openStore } from '../db/openStore.ts';
import { addToAlertRates, readAlertRates } from './alertRate.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  await store.query(
    sql`insert into tenant (id, created_at, updated_at, name) select n, 0, 0, 'Tenant ' || n from generate_series(1, 3) n`,
  );
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const hour = 3_600_000;
const now = 100 * hour + 5;

/** Of one tenant. */
async function add(tenantId: number, counts: number[], at = now) {
  const windows = await readAlertRates(store, [tenantId], at);
  return (await addToAlertRates(store, windows, new Map([[tenantId, counts]])))[0];
}

it('adds up what a tenant has in the window', async () => {
  expect(await add(1, [1, 0, 0, 0, 2])).toEqual({
    tenantId: 1,
    before: [0, 0, 0, 0, 0],
    limit: 1000,
    durationMs: hour,
    start: 100 * hour,
    noticed: 0,
  });
  expect(await add(1, [0, 3, 0, 0, 0])).toMatchObject({ before: [1, 0, 0, 0, 2] });
  expect(await readAlertRates(store, [1], now)).toMatchObject([{ before: [1, 3, 0, 0, 2] }]);
  expect(await add(2, [1, 0, 0, 0, 0])).toMatchObject({ before: [0, 0, 0, 0, 0] });
  expect(await add(1, [1, 0, 0, 0, 0], now + hour)).toMatchObject({ before: [0, 0, 0, 0, 0] });
});

it('returns a window as it is when it is counted, whatever was read before', async () => {
  const windows = await readAlertRates(store, [1], now);
  await add(1, [0, 0, 4, 0, 0]);
  const noticed = windows.map((window) => ({ ...window, noticed: 70 }));
  const counted = await addToAlertRates(store, noticed, new Map([[1, [0, 0, 0, 0, 1]]]));
  expect(counted).toMatchObject([{ before: [1, 3, 4, 0, 2] }]);
  expect(await readAlertRates(store, [1], now)).toMatchObject([{ before: [1, 3, 4, 0, 3], noticed: 70 }]);
});

it('goes by the plan of the newest running subscription, else by the free one', async () => {
  await store.query(sql`with made as (
      insert into plan (id, created_at, updated_at, name, max_users, max_contracts, max_projects, max_triggers,
        max_detectors, max_wallets, max_actions, max_api_keys, detector_rate_limit, detector_rate_limit_duration)
      select 100 + n, 0, 0, 'Plan ' || n, 1, 1, 1, 1, 1, 1, 1, 1, n, 60000 * n from generate_series(1, 5) n returning id)
    insert into subscription (tenant_id, created_at, updated_at, status, plan_id, start_date, expiration_date)
    select 3, 0, 0, case when id = 104 then 'DISABLED' else 'ACTIVE' end, id,
      case id when 105 then ${now + 1}::bigint else 10 * id end, case id when 103 then ${now}::bigint else ${now + 2}::bigint end
    from made`);
  const both = await readAlertRates(store, [3, 2], now);
  expect(new Map(both.map(({ tenantId, limit, durationMs }) => [tenantId, { limit, durationMs }]))).toEqual(
    new Map([
      [2, { limit: 1000, durationMs: hour }],
      [3, { limit: 2, durationMs: 120_000 }],
    ]),
  );
  expect(await add(3, [0, 1, 0, 0, 0], now + 1)).toMatchObject({ limit: 5 });
  expect(await add(3, [0, 1, 0, 0, 0], now + 2)).toMatchObject({ limit: 1000 });
});
