import { raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type BindingTable = 'detector_destination' | 'trigger_alert_destination' | 'action_destination';

/** The queries that bindings of a tenant have now, by the id of the binding. */
export async function findStoredQueries(
  db: Db,
  tenantId: number,
  table: BindingTable,
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  const rows = await db.query<{ id: number; query: string | null }>(
    sql`select id, query from ${raw(table)} where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map(({ id, query }) => [id, query]));
}
