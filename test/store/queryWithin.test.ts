import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { openStore, type Store } from '../../src/store/db.ts';
import { createTestDatabase } from '../harness/database.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  store = openStore({ ...database.config, max: 1 }, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

describe('a statement with a time limit', () => {
  it('is ended by it, and leaves the connection as it was', async () => {
    const startedAt = performance.now();
    await expect(store.queryWithin!(sql`select pg_sleep(20)`, 100)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('time limit'),
    });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    const [row] = await store.query<{ limit: string }>(
      sql`select current_setting('statement_timeout') as limit`,
    );
    expect(row!.limit).toBe('15s');
  });

  it('answers like any other, and changes nothing', async () => {
    expect(await store.queryWithin!(sql`select ${3}::int as n`, 5_000)).toEqual([{ n: 3 }]);
    await store.query(sql`create table kept (n int)`);
    await expect(store.queryWithin!(sql`insert into kept values (1)`, 5_000)).rejects.toThrow();
    expect(await store.query(sql`select n from kept`)).toEqual([]);
  });
});
