import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseAll, randomFinding } from '../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import { onlyRow, openStore, type Store } from '../db.ts';
import { compileQuery } from '../documents/compileQuery.ts';
import { alertTable } from './alertTable.ts';
import { completeTerms } from './completeTerms.ts';
import { reindexAlerts } from './reindexAlerts.ts';

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

it('alerts of an earlier version are found before and after they get new terms, wherever that was interrupted', async () => {
  const random = createRandom('reindex');
  const place = { tenantId: 1, projectId: 2, contractId: 3 };
  const times = [Date.UTC(2026, 0, 20), Date.UTC(2026, 2, 10)] as const;
  await raiseAll(
    store,
    Array.from({ length: 600 }, (_, n) =>
      randomFinding(random, { ...place, tenantId: 1 + (n % 3) }, n, ...times),
    ),
  );
  const terms = () =>
    store.query<{ uid: string; terms: number[] }>(
      sql`select uid::text, array(select unnest(terms) order by 1) as terms from alert order by uid`,
    );
  const right = await terms();
  await store.query(sql`update alert set terms = '{}'`);
  await store.query(sql`update alert_terms_state set version = 0`);

  const counted = onlyRow(
    await store.query<{ count: number }>(
      sql`select count(*) as count from alert where meta @> '{"amount":500}' and tenant_id = 1`,
    ),
  );
  expect(counted.count).toBeGreaterThan(0);
  expect(await count('meta.amount:500')).toBe(counted.count);

  const stopping = new AbortController();
  const interrupted = reindexAlerts(store, { signal: stopping.signal, onProgress: () => stopping.abort() });
  expect(await interrupted).toBe(false);
  expect(await completeTerms(store)).toBe(0);
  expect(await count('meta.amount:500')).toBe(counted.count);

  const done: string[] = [];
  expect(await reindexAlerts(store, { onProgress: ({ partition }) => done.push(partition) })).toBe(true);
  expect(done.at(-1)).toBe('alert_2026_01');
  expect(await terms()).toEqual(right);
  expect(await completeTerms(store)).toBe(3);
  expect(await count('meta.amount:500')).toBe(counted.count);
});

async function count(query: string): Promise<number> {
  const scope = { condition: sql`t.tenant_id = 1`, tenantIds: [1] };
  const condition = await compileQuery(store, alertTable, scope, { query }, 0);
  return onlyRow(
    await store.query<{ count: number }>(sql`select count(*) as count from alert t where ${condition}`),
  ).count;
}
