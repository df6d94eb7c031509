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
  const rows = await perTenant(db, keys, find);
  if (!(await db.isDistributed())) return rows;
  const uids = new Set(rows.map(({ uid }) => uid));
  const missing = keys.filter(({ uid }) => !uids.has(uid));
  if (missing.length === 0) return rows;
  await awaitPrepared(
    db,
    missing.map(({ tenantId }) => tenantId),
  );
  return [...rows, ...(await perTenant(db, missing, find))];
}
