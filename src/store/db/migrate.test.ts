import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, onMaintenanceDatabase } from '../../../testing/createTestDatabase.ts';
import { until } from '../../../testing/until.ts';
import { migrate, missingMigrations } from './migrate.ts';

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

it.each(['LATIN1', 'SQL_ASCII'])('refuses a database in %s before it changes anything', async (encoding) => {
  const name = `${database.config.database}_${encoding.toLowerCase()}`;
  const config = { ...database.config, database: name };
  await onMaintenanceDatabase((client) =>
    client.query(
      `create database ${name} encoding '${encoding}' template template0 locale_provider libc locale 'C'`,
    ),
  );
  const client = new Client(config);
  try {
    await expect(migrate(config)).rejects.toThrow(
      `The database ${name} has the encoding ${encoding}, which cannot store every text; Vigil needs UTF8.`,
    );
    await client.connect();
    const { rows } = await client.query("select from pg_class where relnamespace = 'public'::regnamespace");
    expect(rows).toEqual([]);
  } finally {
    await client.end();
    await onMaintenanceDatabase((admin) => admin.query(`drop database ${name}`));
  }
});

it('says what happened when its connection is lost midway, does not end the process, and goes on later', async () => {
  // What the first migration makes is in its way until this ends, so that it waits inside its transaction.
  await holder.query('begin');
  await holder.query('create table plan (id bigint)');
  const migrating = migrate(database.config);
  const outcome = expect(migrating).rejects.toThrow('Migration 0112_baseline.sql failed and was undone.');
  const blocked = "wait_event_type = 'Lock' and datname = current_database()";
  await until(async () => (await watcher.query(`select from pg_stat_activity where ${blocked}`)).rowCount);
  await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${blocked}`);
  await outcome;
  await holder.query('rollback');
  expect((await migrate(database.config))[0]).toBe('0112_baseline.sql');
});

it('takes a database of 0.17 as it is, and sends an older one through 0.17 first', async () => {
  const rows = async () => (await watcher.query('select name from migration order by name')).rows;
  const names = await rows();
  const columns = 'select table_name, column_name, data_type from information_schema.columns order by 1, 2';
  const before = (await watcher.query(columns)).rows;
  await watcher.query(
    "update migration set name = '0111_destination_gets.sql' where name = '0112_baseline.sql'",
  );
  await expect(migrate(database.config)).rejects.toThrow(
    'The database is of a version before 0.17. Start Vigil 0.17 on it once, and then this version.',
  );
  await watcher.query("insert into migration (name, hash) values ('0112_chain_halts.sql', 'that of 0.17')");
  const applied = (await rows()).map(({ name }) => name);
  expect(missingMigrations(applied)).toEqual([]);
  expect(await migrate(database.config)).toEqual([]);
  expect(await rows()).toEqual(expect.arrayContaining(names));
  expect((await watcher.query(columns)).rows).toEqual(before);
});
