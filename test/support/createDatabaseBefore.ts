import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';

const folder = new URL('../../src/store/migrations/', import.meta.url);

/** A database as it was before a migration, as `migrate` would have left it, and a connection to it. */
export async function createDatabaseBefore(step: string) {
  const { config, drop } = await createTestDatabase('empty');
  const client = new Client(config);
  await client.connect();
  await client.query(
    'create table migration (name text primary key, hash text not null, at timestamptz not null default now())',
  );
  for (const name of readdirSync(folder).sort()) {
    if (name >= step) continue;
    const text = readFileSync(new URL(name, folder), 'utf8');
    await client.query(text);
    const hash = createHash('sha256').update(text).digest('hex');
    await client.query('insert into migration (name, hash) values ($1, $2)', [name, hash]);
  }
  return {
    client,
    config,
    async drop(): Promise<void> {
      await client.end();
      await drop();
    },
  };
}
