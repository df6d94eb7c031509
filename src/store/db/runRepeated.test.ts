import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { runRepeated } from './runRepeated.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  client = new Client(database.config);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Shape n, which adds it to the bound number. */
const ask = async (n: number, value: number) =>
  (await runRepeated(client, { text: `select $1::int + ${n} as sum`, values: [value] })).rows[0].sum;
const prepared = async () =>
  (await client.query(`select statement from pg_prepared_statements where name like 'repeated%'`)).rows.map(
    (row) => row.statement,
  );

it('prepares what is asked again, and no more than the last few', async () => {
  expect(await ask(0, 1)).toBe(1);
  expect(await prepared()).toEqual([]);
  expect(await ask(0, 2)).toBe(2);
  expect(await prepared()).toEqual(['select $1::int + 0 as sum']);
  for (let round = 0; round < 3; round++)
    for (let n = 0; n < 30; n++) expect(await ask(n, round)).toBe(n + round);
  const last = Array.from({ length: 24 }, (_, n) => `select $1::int + ${n + 6} as sum`);
  expect(new Set(await prepared())).toEqual(new Set(last));
  const { parsedStatements } = (client as unknown as { connection: { parsedStatements: object } }).connection;
  expect(Object.keys(parsedStatements)).toHaveLength(24);
});

it('goes on after a statement that fails every time', async () => {
  const failing = { text: 'select 1 / $1::int as sum', values: [0] };
  const wrong = { text: 'select no_such_column', values: [] };
  for (let n = 0; n < 3; n++) {
    await expect(runRepeated(client, failing)).rejects.toThrow('division by zero');
    await expect(runRepeated(client, wrong)).rejects.toThrow('does not exist');
  }
  for (let round = 0; round < 3; round++)
    for (let n = 0; n < 30; n++) expect(await ask(n, round)).toBe(n + round);
  expect(await prepared()).toHaveLength(24);
});
