import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import type { Store } from './db.ts';
import { dryRun } from './dryRun.ts';
import { openStore } from './openStore.ts';
import { sendLater } from './sendLater.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  await store.query(sql`create table thing (id int primary key, value int not null)`);
});
beforeEach(async () => {
  await store.query(sql`truncate thing`);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const insert = (id: number) => sql`insert into thing (id, value) values (${id}, 0)`;
const ids = async (db: Pick<Store, 'query'> = store) =>
  (await db.query<{ id: number }>(sql`select id from thing order by id`)).map(({ id }) => id);

test('a statement that is sent later runs before those after it and is committed with them', async () => {
  const seen = await store.transaction(async (tx) => {
    await sendLater(tx, insert(1));
    await sendLater(tx, insert(2));
    return ids(tx);
  });
  expect(seen).toEqual([1, 2]);
  expect(await ids()).toEqual([1, 2]);
});

test('one that fails undoes the transaction, whose error is its own', async () => {
  const atTheEnd = store.transaction(async (tx) => {
    await tx.query(insert(1));
    await sendLater(tx, insert(1));
  });
  await expect(atTheEnd).rejects.toMatchObject({ code: '23505' });
  const inTheMiddle = store.transaction(async (tx) => {
    await sendLater(tx, insert(2));
    await sendLater(tx, insert(2));
    await tx.query(insert(3));
  });
  await expect(inTheMiddle).rejects.toMatchObject({ code: '23505' });
  expect(await ids()).toEqual([]);
  // The connection is whole.
  await store.transaction((tx) => sendLater(tx, insert(4)));
  expect(await ids()).toEqual([4]);
});

test('a statement that is sent later is undone with work that fails', async () => {
  const refused = store.transaction(async (tx) => {
    await sendLater(tx, insert(1));
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(await ids()).toEqual([]);
});

test('a transaction runs again after a deadlock of such statements', async () => {
  await store.query(sql`insert into thing (id, value) values (1, 0), (2, 0)`);
  const raise = (id: number) => sql`update thing set value = value + 1 where id = ${id}`;
  let arrived = 0;
  let letGo = () => {};
  const both = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const inOrder = (first: number, second: number) =>
    store.transaction(async (tx) => {
      await tx.query(raise(first));
      arrived += 1;
      if (arrived === 2) letGo();
      await both;
      await sendLater(tx, raise(second));
    });
  await Promise.all([inOrder(1, 2), inOrder(2, 1)]);
  // The one that runs again may be first at its row once more, and end in another deadlock.
  expect(arrived).toBeGreaterThanOrEqual(3);
  expect(await store.query(sql`select id, value from thing order by id`)).toEqual([
    { id: 1, value: 2 },
    { id: 2, value: 2 },
  ]);
});

test('a dry run reports one that fails', async () => {
  const tried = store.transaction(async (tx) => {
    await tx.query(insert(1));
    await dryRun(tx, () => sendLater(tx, insert(1)));
    await tx.query(insert(2));
  });
  await expect(tried).rejects.toMatchObject({ code: '23505' });
  expect(await ids()).toEqual([]);
});
