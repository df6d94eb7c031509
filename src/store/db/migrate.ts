import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { codeFile } from '../../lib/codeFile.ts';
import { findCoordinator } from './citus/findCoordinator.ts';
import { ensureShardFunctions } from './citus/shardFunctions.ts';
import { grantRows } from './grantRows.ts';
import { type Connection, openClient } from './openClient.ts';

/** An arbitrary advisory lock id: one process migrates at a time. */
const migrationLock = 7_305_113;

type Migration = { name: string; text: string; hash: string };

/** Applies the missing migrations, each in its own transaction, and lets `app` use the rows; returns the names of the migrations. */
export async function migrate(config: Connection, app?: string): Promise<string[]> {
  const client = openClient(config);
  // A connection that breaks would otherwise end the process; the current or the next statement reports it.
  client.on('error', () => {});
  await client.connect();
  try {
    await refuseUnfitServer(client);
    await refuseWorker(client);
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(
      `create table if not exists migration (
        name text primary key, hash text not null, at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from migration');
    const appliedHashes = new Map(rows.map((row) => [row.name, row.hash]));
    const applied: string[] = [];
    await adoptBaseline(client, appliedHashes);
    for (const migration of migrations()) {
      const hash = appliedHashes.get(migration.name);
      if (hash === migration.hash) continue;
      if (hash !== undefined)
        throw new Error(`Migration ${migration.name} was changed after it had been applied.`);
      await apply(client, migration);
      applied.push(migration.name);
    }
    await ensureShardFunctions(client);
    if (app !== undefined && app !== client.user) await grantRows(client, app);
    return applied;
  } finally {
    await client.end();
  }
}

/** Names of the migrations that the database lacks. */
export function missingMigrations(applied: readonly string[]): string[] {
  return migrations()
    .map((migration) => migration.name)
    .filter(
      (name) => !applied.includes(name === baseline && applied.includes(lastFormer) ? lastFormer : name),
    );
}

/** Everything up to 0.17 as one step. 0.17 came to the same schema by 79 steps, of which `lastFormer` is the last. */
const baseline = '0112_baseline.sql';
const lastFormer = '0112_chain_halts.sql';

/** Records the baseline in a database that 0.17 migrated, and changes nothing else in it. */
async function adoptBaseline(client: pg.Client, appliedHashes: Map<string, string>): Promise<void> {
  if (appliedHashes.size === 0 || appliedHashes.has(baseline)) return;
  if (!appliedHashes.has(lastFormer))
    throw new Error(
      'The database is of a version before 0.17. Start Vigil 0.17 on it once, and then this version.',
    );
  const hash = migrations().find(({ name }) => name === baseline)?.hash ?? '';
  await client.query('insert into migration (name, hash) values ($1, $2)', [baseline, hash]);
  appliedHashes.set(baseline, hash);
}

function migrations(): Migration[] {
  const folder = codeFile('store/migrations/');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    });
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.text);
    await client.query('insert into migration (name, hash) values ($1, $2)', [
      migration.name,
      migration.hash,
    ]);
    await client.query('commit');
  } catch (error) {
    // If the rollback fails, the connection is lost and the server rolls back.
    await client.query('rollback').catch(() => undefined);
    throw new Error(`Migration ${migration.name} failed and was undone.`, { cause: error });
  }
}

async function refuseUnfitServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string; name: string }>(
    `select current_setting('server_version_num')::int / 10000 as version,
      current_setting('server_encoding') as encoding, current_database() as name`,
  );
  const { version = 0, encoding = '', name = '' } = rows[0] ?? {};
  if (version < 15) throw new Error(`PostgreSQL ${version} is too old: Vigil needs PostgreSQL 15 or newer.`);
  if (encoding !== 'UTF8')
    throw new Error(
      `The database ${name} has the encoding ${encoding}, which cannot store every text; Vigil needs UTF8. ` +
        `Create one with: create database vigil encoding 'UTF8' template template0 locale 'C.UTF-8'`,
    );
}

/** It has only what its coordinator gives it. One that was too slow to say so when it was asked where to connect comes here. */
async function refuseWorker(client: pg.Client): Promise<void> {
  const coordinator = await findCoordinator(client);
  if (coordinator)
    throw new Error(
      `The server is a worker of Citus; its coordinator is ${coordinator.host}:${coordinator.port}.`,
    );
}
