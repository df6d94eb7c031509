import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';
import { termVersion } from './alertTerms.ts';

const complete = new WeakSet<object>();

/** The version of terms that all alerts have, on which searches may rely. */
export async function completeTerms(db: Db): Promise<number> {
  if (db.cacheKey && complete.has(db.cacheKey)) return termVersion;
  const { version } = onlyRow(
    await db.prepared<{ version: number }>(sql`select version from alert_terms_state`),
  );
  if (version >= termVersion && db.cacheKey) complete.add(db.cacheKey);
  return version;
}
