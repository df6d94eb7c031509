import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columnOf } from '../../src/store/tables/members.ts';
import type { Table } from '../../src/store/tables/table.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';

const folder = join(import.meta.dirname, '../../src/store/tables');
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  client = new Client(database.config);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('has a column for each member of each record that is stored under its own name', async () => {
  const { rows } = await client.query<{ name: string }>(
    "select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'",
  );
  const columns = new Set(rows.map(({ name }) => name));
  const files = (await readdir(folder)).filter((file) => file.endsWith('Table.ts'));
  const tables = await Promise.all(
    files.map(async (file) => Object.values((await import(join(folder, file))) as Record<string, unknown>)),
  );
  const records = tables.flat().filter(isTable);
  expect(records.length).toBeGreaterThan(20);
  const missing = records.flatMap(({ name, members, hidden }) =>
    [...Object.entries(members), ...Object.keys(hidden ?? {}).map((member) => [member, {}] as const)]
      .filter(([, member]) => !('from' in member) && !('as' in member))
      .map(([member]) => `${name.replaceAll(/"/g, '')}.${columnOf(member)}`)
      .filter((column) => !columns.has(column)),
  );
  expect(missing, 'columns that no migration makes').toEqual([]);
});

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && 'members' in value && 'fields' in value;
}
