import type { Db } from '../db.ts';

/** The database for what a call reads: where it is about a single tenant, on that one's worker. */
export function atTenant(db: Db, tenantIds: readonly number[] = []): Db {
  const [tenantId, another] = tenantIds;
  // A transaction sees what it has written itself, where it has written it.
  if (tenantId === undefined || another !== undefined || !db.cacheKey) return db;
  return { ...db, ...db.atTenant?.(tenantId) };
}
