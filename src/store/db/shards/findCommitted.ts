import type { Db } from '../db.ts';
import { awaitPrepared } from './awaitPrepared.ts';
import { type OfTenant, perTenant } from './perTenant.ts';

/** As `perTenant`, for rows that the coordinator knows of: those that are missing are read again once all is committed. */
export async function findCommitted<
  Key extends { tenantId: number; uid: string },
  Row extends { uid: string },
>(
  db: Db,
  keys: readonly Key[],
  find: (keys: readonly Key[], ofTenant: OfTenant) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found = await perTenant(db, keys, find);
  if (!(await db.isDistributed())) return found;
  const uids = new Set(found.map(({ uid }) => uid));
  const missing = keys.filter(({ uid }) => !uids.has(uid));
  if (missing.length === 0) return found;
  await awaitPrepared(
    db,
    missing.map(({ tenantId }) => tenantId),
  );
  return [...found, ...(await perTenant(db, missing, find))];
}
