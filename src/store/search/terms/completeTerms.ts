import { sql } from '../../../lib/sql.ts';
import { type Db, onlyRow } from '../../db/db.ts';
import { termVersion } from './alertTerms.ts';

const cached = new WeakMap<object, number>();

/** The version of terms that all alerts have, on which searches may rely. */
export async function completeTerms(db: Db): Promise<number> {
  const known = db.cacheKey && cached.get(db.cacheKey);
  if (known !== undefined) return known;
  const { version } = onlyRow(
    await db.prepared<{ version: number }>(sql`select version from alert_terms_state`),
  );
  if (version >= termVersion && db.cacheKey) cached.set(db.cacheKey, version);
  return version;
}
