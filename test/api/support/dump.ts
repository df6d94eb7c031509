import { raw, sql } from '../../../src/lib/sql.ts';
import type { TestApi } from '../../../testing/startTestApi.ts';

/** Every row of every table as text, in an order that does not depend on where the rows lie. */
export async function dump({ store }: TestApi): Promise<Record<string, string[]>> {
  const tables = await store.query<{ name: string }>(
    sql`select quote_ident(table_name) as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const contents: Record<string, string[]> = {};
  for (const { name } of tables) {
    const rows = await store.query<{ row: string }>(
      sql`select to_jsonb(t)::text as row from ${raw(name)} t order by 1`,
    );
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}
