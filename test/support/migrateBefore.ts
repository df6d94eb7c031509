import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';

const folder = new URL('../../src/store/migrations/', import.meta.url);

/** Makes an empty database what it was before a migration, as `migrate` would have left it. */
export async function migrateBefore(client: Client, step: string): Promise<void> {
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
}
