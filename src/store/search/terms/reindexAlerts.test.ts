import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseAll, randomFinding } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { sql } from '../../../lib/sql.ts';
import { createCoarseHashes } from '../../../query/coarseHashes.ts';
import { textTerm } from '../../../query/memberTerms.ts';
import { numberTerms } from '../../../query/numberTerms.ts';
import { termHash } from '../../../query/termHash.ts';
import { onlyRow, type Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { compileQuery } from '../compile/compileQuery.ts';
import { alertTable } from '../documents/alertTable.ts';
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
  expect(await completeTerms(store)).toBe(5);
  expect(await count('meta.amount:500')).toBe(counted.count);
});

it('texts that are numbers are found as such while alerts of an earlier version get the terms of numbers', async () => {
  const tenant = { tenantId: 11, projectId: 2, contractId: 3 };
  const amounts = ['46.461', '1000000', '250000', '1000000000000000000000', 'none', 500_000];
  // Of an earlier try.
  await store.query(sql`delete from alert where tenant_id = 11`);
  await raiseAll(
    store,
    amounts.map((amount, n) => ({
      ...randomFinding(createRandom(`amount ${n}`), tenant, n, Date.UTC(2026, 0, 20), Date.UTC(2026, 2, 10)),
      meta: { amount },
    })),
  );
  const terms = async () =>
    onlyRow(
      await store.query<{ terms: number }>(
        sql`select sum(cardinality(terms))::int as terms from alert where tenant_id = 11`,
      ),
    ).terms;
  const right = await terms();
  // The terms that version 4 gave.
  const numbers = amounts
    .filter((amount) => typeof amount === 'string')
    .flatMap((amount) => {
      const { member, any } = numberTerms(Number(amount));
      const hashes = member.flatMap((term) => createCoarseHashes(11, 'meta.amount')(term));
      return [...hashes, ...createCoarseHashes(11, 'meta')(any)];
    });
  await store.query(
    sql`update alert set terms = array(select unnest(terms) except select unnest(${numbers}::int4[]))
      where tenant_id = 11 and jsonb_typeof(meta -> 'amount') = 'string'`,
  );
  expect(await terms()).toBeLessThan(right);
  await store.query(sql`update alert_terms_state set version = 4`);
  const before = openStore(database.config, () => {});
  const expectRight = async (of: Store) => {
    const found: [string, number][] = [
      ['meta.amount:>300000', 3],
      ['meta.amount:>=1000000', 2],
      ['meta.amount:250000.0', 1],
      ['250000.0', 1],
      ['NOT meta.amount:<300000', 4],
    ];
    for (const [query, hits] of found) expect([query, await count(query, of, 11)]).toEqual([query, hits]);
  };
  await expectRight(before);
  expect(await reindexAlerts(before)).toBe(true);
  expect(await terms()).toBe(right);
  expect(await completeTerms(before)).toBe(5);
  await expectRight(before);
  await before.close();
});

it('alerts of a version without coarse hashes are found beside new ones', async () => {
  const [txHash, from] = [`0x${'5c'.repeat(32)}`, `0x${'a7'.repeat(20)}`];
  const tenant = { tenantId: 9, projectId: 2, contractId: 3 };
  const of = (n: number) => ({
    ...randomFinding(createRandom(`coarse ${n}`), tenant, n, Date.UTC(2026, 0, 20), Date.UTC(2026, 2, 10)),
    eid: 'seen before',
    message: `from ${from}`,
    meta: { from, amount: 8092.58 },
    txHash,
  });
  // Of an earlier try.
  await store.query(sql`delete from alert where tenant_id = 9`);
  await raiseAll(store, [of(1), of(2)]);
  const single = [
    termHash(9, 'txHash', txHash),
    termHash(9, 'eid', 'seen before'),
    termHash(9, 'message', from),
    termHash(9, 'meta', from),
    ...numberTerms(8092.58).member.map((term) => termHash(9, 'meta.amount', term)),
    ...[numberTerms(8092.58).any, '0x a7a'].map((term) => termHash(9, 'meta', term)),
    termHash(9, 'meta.from', textTerm),
  ];
  await store.query(sql`update alert set terms = ${single}::int4[]
    where (tenant_id, timestamp, uid) = (select tenant_id, timestamp, uid from alert where tenant_id = 9 limit 1)`);
  await store.query(sql`update alert_terms_state set version = 3`);
  const before = openStore(database.config, () => {});
  const queries = [
    `txHash:${txHash}`,
    'eid:"seen before"',
    `message:${from}`,
    from,
    'meta.amount:8092.58',
    '8092.58',
    'meta.from:0xa7a*',
  ];
  for (const query of queries) expect([query, await count(query, before, 9)]).toEqual([query, 2]);
  await before.close();
});

it('an alert with thousands of addresses is found by each, and is no candidate of searches for others', async () => {
  const random = createRandom('many addresses');
  const address = (name: string) => `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
  const holders = Array.from({ length: 3000 }, (_, n) => address(`holder ${n}`));
  const tenant = { tenantId: 10, projectId: 2, contractId: 3 };
  const finding = randomFinding(random, tenant, 1, Date.UTC(2026, 0, 20), Date.UTC(2026, 2, 10));
  // Of an earlier try.
  await store.query(sql`delete from alert where tenant_id = 10`);
  await raiseAll(store, [{ ...finding, meta: { holders, amounts: holders.map((_, n) => n + 0.5) } }]);
  const [first = '', last = ''] = [holders[0], holders.at(-1)];
  const queries = [
    first,
    last,
    `meta.holders:${last}`,
    `meta.holders:${first.slice(0, 8)}*`,
    '2999.5',
    'meta.amounts:[7 TO 8]',
  ];
  for (const query of queries) expect([query, await count(query, store, 10)]).toEqual([query, 1]);
  const others = Array.from({ length: 200 }, (_, n) => address(`other ${n}`));
  const candidates = await Promise.all(
    others.map(async (other) => {
      const [one = 0, two = 0] = createCoarseHashes(10, 'meta')(other);
      const rows = await store.query(
        sql`select 1 from alert where tenant_id = 10 and terms && ${[one]}::int4[] and terms && ${[two]}::int4[]`,
      );
      return rows.length;
    }),
  );
  expect(candidates.filter((found) => found > 0)).toEqual([]);
});

async function count(query: string, of = store, tenantId = 1): Promise<number> {
  const scope = { condition: sql`t.tenant_id = ${tenantId}`, tenantIds: [tenantId] };
  const condition = await compileQuery(of, alertTable, scope, { query }, 0);
  return onlyRow(
    await of.query<{ count: number }>(sql`select count(*) as count from alert t where ${condition}`),
  ).count;
}
