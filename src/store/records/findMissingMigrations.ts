import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { missingMigrations } from '../db/migrate.ts';

/** Throws when the store cannot be reached. */
export async function findMissingMigrations(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from migration`);
  return missingMigrations(rows.map((row) => row.name));
}
