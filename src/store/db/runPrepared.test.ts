import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import type { Store } from './db.ts';
import { openStore } from './openStore.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore({ ...database.config, max: 1 }, () => {});
});

afterAll(async () => {
  await store.close();
  await database.drop();
});

it('reads the same rows when the columns are no longer described', async () => {
  const ask = (rows: number) =>
    store.prepared(
      sql`select n, n::bigint as big, n::text as word, null as nothing, array[n] as list, '\\x01'::bytea as bytes,
        json_build_object('n', n) as json from generate_series(1, ${rows}::int) n`,
    );
  const row = (n: number) => ({
    n,
    big: n,
    word: String(n),
    nothing: null,
    list: [n],
    bytes: Buffer.from([1]),
    json: { n },
  });
  for (const rows of [2, 0, 3, 1])
    expect(await ask(rows)).toEqual(Array.from({ length: rows }, (_, index) => row(index + 1)));
  expect(await Promise.all([ask(1), ask(2)])).toEqual([[row(1)], [row(1), row(2)]]);
});

it('keeps what it knows of statements that fail, return nothing or are sent before the first is answered', async () => {
  const divide = (by: number) => store.prepared<{ result: number }>(sql`select 6 / ${by}::int as result`);
  await expect(divide(0)).rejects.toThrow('division by zero');
  expect(await divide(2)).toEqual([{ result: 3 }]);
  await expect(divide(0)).rejects.toThrow('division by zero');
  expect(await divide(3)).toEqual([{ result: 2 }]);
  await store.query(sql`create table kept (n int)`);
  const found = await store.transaction(async (tx) => {
    const insert = (n: number) => tx.prepared(sql`insert into kept values (${n})`);
    const list = () => tx.prepared<{ n: number }>(sql`select n from kept order by n`);
    const all = await Promise.all([insert(1), list(), insert(2), list(), insert(3), list()]);
    return [...all, await insert(4), await list()];
  });
  const upTo = (n: number) => Array.from({ length: n }, (_, index) => ({ n: index + 1 }));
  expect(found).toEqual([[], upTo(1), [], upTo(2), [], upTo(3), [], upTo(4)]);
});

it('refuses a statement whose columns have changed, as PostgreSQL does', async () => {
  await store.query(sql`create table grown (a int)`);
  await store.query(sql`insert into grown values (1)`);
  const read = () => store.prepared(sql`select * from grown`);
  expect(await read()).toEqual([{ a: 1 }]);
  expect(await read()).toEqual([{ a: 1 }]);
  await store.query(sql`alter table grown add b text`);
  await expect(read()).rejects.toThrow('cached plan must not change result type');
});
