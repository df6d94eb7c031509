import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

export type ModuleKey = { label: string; id: string };

/** Told before a key is made, outside the transaction that will use it: what becomes of that, the key can be found again. */
export async function announceKey(db: Db, { label, id }: ModuleKey, now: number): Promise<void> {
  await db.query(
    sql`insert into module_key_making (module_key_id, label, created_at) values (${id}, ${label}, ${now})`,
  );
}

/** Told in the transaction that takes the key into use. */
export async function adoptKey(tx: Db, id: string): Promise<void> {
  await tx.query(sql`delete from module_key_making where module_key_id = ${id}`);
}

/** A key that no transaction took into use; its row is gone once this transaction is done. */
export async function takeOrphanKey(tx: Db, before: number): Promise<ModuleKey | undefined> {
  const rows = await tx.query<ModuleKey>(
    sql`delete from module_key_making where module_key_id = (
        select module_key_id from module_key_making where created_at < ${before}
        order by created_at limit 1 for update skip locked)
      returning label, module_key_id as id`,
  );
  return rows[0];
}
