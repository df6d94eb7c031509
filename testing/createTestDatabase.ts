import { randomBytes } from 'node:crypto';
import { Client, type PoolConfig } from 'pg';
import { inject } from 'vitest';
import { migrate } from '../src/store/db/migrate.ts';
import { openPool } from '../src/store/db/openPool.ts';
import { createStore } from '../src/store/db/openStore.ts';
import { distribute } from '../src/store/db/shards/distribute.ts';
import { ensurePartitionsAhead } from '../src/store/search/months/partitions.ts';
import { ask, createCitusDatabase } from './createCitusDatabase.ts';
import { template } from './templateDatabase.ts';

let templateReady: Promise<void> | undefined;

/** A database of the test's own: `migrated` is a clone of one that is migrated once in a run. */
export async function createTestDatabase(
  kind: 'empty' | 'migrated',
): Promise<{ config: PoolConfig; url: string; drop: () => Promise<void> }> {
  const database = `vigil_test_${randomBytes(8).toString('hex')}`;
  const workers = inject('citusWorkers');
  if (kind === 'migrated' && workers.length > 0) return createDistributed(database, workers);
  if (kind === 'migrated') {
    templateReady ??= onMaintenanceDatabase(prepareTemplate);
    await templateReady;
  }
  const source = kind === 'migrated' ? template : 'template0';
  // Copying files is ten times faster here than writing them through the log.
  await onMaintenanceDatabase((client) =>
    client.query(`create database ${database} template ${source} strategy file_copy`),
  );
  return {
    config: { ...inject('postgres'), database },
    url: urlOf(database),
    async drop() {
      await onMaintenanceDatabase((client) => client.query(`drop database ${database} with (force)`));
    },
  };
}

/** A clone would lead to the shards of its template. */
async function createDistributed(database: string, workers: readonly { host: string; port: number }[]) {
  const config = { ...inject('postgres'), database };
  const nodes = workers.map((worker) => ({ ...config, ...worker }));
  await createCitusDatabase(config, nodes);
  await migrate(config);
  await distribute(config, () => {}, 4);
  return {
    config,
    url: urlOf(database),
    async drop() {
      for (const node of [config, ...nodes])
        await ask({ ...node, database: 'postgres' }, `drop database ${database} with (force)`);
    },
  };
}

/** For DATABASE_URL. */
function urlOf(database: string): string {
  const { host, port, user, password } = inject('postgres');
  return `postgres://${user}:${encodeURIComponent(password ?? '')}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

/** The lock makes other workers wait; the rename at the end makes a half migrated template impossible. */
async function prepareTemplate(client: Client): Promise<void> {
  await client.query(`select pg_advisory_lock(hashtext('${template}'))`);
  const found = await client.query('select from pg_database where datname = $1', [template]);
  if (found.rowCount !== 0) return;
  const draft = `${template}_draft`;
  await client.query(`drop database if exists ${draft}`);
  await client.query(`create database ${draft} template template0`);
  const config = { ...inject('postgres'), database: draft };
  await migrate(config);
  // Nearly every test would make these, which takes longer than all the rest of its database.
  const pool = openPool(config, () => {});
  await ensurePartitionsAhead(createStore(pool), Date.now());
  await pool.end();
  await client.query(`alter database ${draft} rename to ${template}`);
}

/** Its end also gives up the advisory lock. */
export async function onMaintenanceDatabase(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ ...inject('postgres'), database: 'postgres' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
