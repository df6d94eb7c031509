import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { loadConfig } from '../../src/runtime/config/loadConfig.ts';
import { type Database, openDatabase } from '../../src/runtime/database.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';

const folder = mkdtempSync(join(tmpdir(), 'vigil-pools-'));
let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const made = await createTestDatabase('migrated');
  drop = made.drop;
  const config = loadConfig({ DATABASE_URL: made.url, VIGIL_DATA_DIR: folder });
  database = await openDatabase(config, pino({ level: 'silent' }));
});
afterAll(async () => {
  await database?.close();
  await drop?.();
  rmSync(folder, { recursive: true });
});

it('logins, chain following and firing go on while requests and reports hold all their connections', async () => {
  const { store, reports, logins, watching, firing, work } = database;
  // A report may run for two seconds, so that none of these does.
  const held = [...repeat(20, store), ...repeat(12, reports)].map((pool) =>
    pool.query(sql`select pg_sleep(1.5)`),
  );
  let ended = 0;
  for (const query of held) void query.then(() => ended++);
  await Promise.all([logins, watching, firing, work].map((pool) => pool.query(sql`select 1`)));
  expect([store.stats().total, reports.stats().total]).toEqual([14, 8]);
  // Whoever had to wait for a connection of these pools would come after those that wait for one already.
  expect(ended).toBeLessThanOrEqual(14 + 8);
  await Promise.all(held);
});

const repeat = <T>(count: number, item: T) => Array.from({ length: count }, () => item);
