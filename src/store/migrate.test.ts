import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { until } from '../../testing/until.ts';
import { migrate } from './migrate.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let holder: Client;
let watcher: Client;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  [holder, watcher] = [new Client(database.config), new Client(database.config)];
  await Promise.all([holder.connect(), watcher.connect()]);
});
afterAll(async () => {
  await Promise.all([holder.end(), watcher.end()]);
  await database.drop();
});

it('says what happened when its connection is lost midway, does not end the process, and goes on later', async () => {
  // What the first migration makes is in its way until this ends, so that it waits inside its transaction.
  await holder.query('begin');
  await holder.query('create table plan (id bigint)');
  const migrating = migrate(database.config);
  const outcome = expect(migrating).rejects.toThrow('Migration 0001_foundation.sql failed and was undone.');
  const blocked = "wait_event_type = 'Lock' and datname = current_database()";
  await until(async () => (await watcher.query(`select from pg_stat_activity where ${blocked}`)).rowCount);
  await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${blocked}`);
  await outcome;
  await holder.query('rollback');
  expect((await migrate(database.config))[0]).toBe('0001_foundation.sql');
});
