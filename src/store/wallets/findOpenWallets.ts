import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** Wallets that may call every contract of their tenant, oldest first; none of a database that is not migrated yet. */
export async function findOpenWallets(db: Db): Promise<{ id: number; name: string; tenantId: number }[]> {
  const [row] = await db.query<{ isThere: boolean }>(
    sql`select exists (select from information_schema.columns
      where table_schema = current_schema() and table_name = 'wallet' and column_name = 'allowed_calls') as "isThere"`,
  );
  if (!row?.isThere) return [];
  return db.query(
    sql`select id, name, tenant_id as "tenantId" from wallet
      where allowed_calls is null and status <> 'DELETED' order by tenant_id, id`,
  );
}
