import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from './createTestDatabase.ts';

describe('createTestDatabase', () => {
  it('gives each caller a database of its own, also when many ask for a migrated one at once', async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, () => createTestDatabase('migrated')));
    expect(new Set(databases.map(({ config }) => config.database)).size).toBe(6);
    for (const { config, drop } of databases) {
      expect(await query(config, 'select count(*)::int as n from migration')).not.toEqual([{ n: 0 }]);
      await drop();
    }
  });

  it('gives an empty database without a table, and drops it although a client is connected', async () => {
    const { config, drop } = await createTestDatabase('empty');
    expect(await query(config, "select from pg_tables where schemaname = 'public'")).toEqual([]);
    const client = new Client(config);
    // It gets two errors: the server's word and the closed socket.
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await drop();
    expect(await ended).toMatchObject({ code: '57P01' });
    await expect(query(config, 'select')).rejects.toMatchObject({ code: '3D000' });
  });
});

async function query(config: ConstructorParameters<typeof Client>[0], text: string): Promise<unknown[]> {
  const client = new Client(config);
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
