import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

type Period = { startDate: number; expirationDate: number };

/** An active subscription of the tenant that shares time with the period; `id` is the one that is being changed. */
export async function findOverlapping(
  db: Db,
  tenantId: number,
  { startDate, expirationDate }: Period,
  id: number | undefined,
): Promise<({ id: number } & Period) | undefined> {
  const rows = await db.query<{ id: number } & Period>(
    sql`select id, start_date as "startDate", expiration_date as "expirationDate" from subscription
      where tenant_id = ${tenantId} and status = 'ACTIVE' and id is distinct from ${id ?? null}::bigint
        and start_date < ${expirationDate} and expiration_date > ${startDate}
      order by start_date limit 1`,
  );
  return rows[0];
}
