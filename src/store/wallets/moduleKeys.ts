import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type ModuleKey = { label: string; id: string };

/** Called before a key is created, outside the transaction that will use it, so that the key can be found if that fails. */
export async function recordPendingKey(db: Db, { label, id }: ModuleKey, now: number): Promise<void> {
  await db.query(
    sql`insert into module_key_making (module_key_id, label, created_at) values (${id}, ${label}, ${now})`,
  );
}

/** Called in the transaction that stores the wallet with the key. */
export async function removePendingKey(tx: Db, id: string): Promise<void> {
  await tx.query(sql`delete from module_key_making where module_key_id = ${id}`);
}

/** Removes and returns a pending key that no transaction has used. */
export async function claimOrphanKey(tx: Db, before: number): Promise<ModuleKey | undefined> {
  const rows = await tx.query<ModuleKey>(
    sql`delete from module_key_making where module_key_id = (
        select module_key_id from module_key_making where created_at < ${before}
        order by created_at limit 1 for update skip locked)
      returning label, module_key_id as id`,
  );
  return rows[0];
}
