import { sql } from '../../lib/sql.ts';
import { storableJson } from '../../lib/storableJson.ts';
import type { Db } from '../db.ts';

export type FaultRow = {
  kind: string;
  id: number;
  tenantId: number;
  contractId: number;
  message: string;
  /** How many there were, and when the first and the last of them. */
  count: number;
  firstAt: number;
  lastAt: number;
};

/** Counts faults in a row; returns those that have just come to `alarmAt` in a row. */
export async function noteFaults(
  tx: Db,
  faults: readonly FaultRow[],
  alarmAt: number,
): Promise<{ kind: string; id: number }[]> {
  if (faults.length === 0) return [];
  const noted = await tx.prepared<{ kind: string; id: number; before: number; count: number }>(
    sql`with r as (select * from json_to_recordset(${storableJson(faults)}::json) as r(kind text, id bigint,
        "tenantId" bigint, "contractId" bigint, message text, count int, "firstAt" bigint, "lastAt" bigint)),
      noted as (
        insert into watch_fault as f (kind, id, tenant_id, contract_id, message, count, first_at, last_at)
        select * from r order by kind, id
        on conflict (kind, id) do update
          set count = f.count + excluded.count, message = excluded.message, last_at = excluded.last_at
        returning f.kind, f.id, f.count)
      select n.kind, n.id, n.count - r.count as before, n.count from noted n join r using (kind, id)`,
  );
  return noted.filter(({ before, count }) => before < alarmAt && count >= alarmAt);
}

/** They work again. */
export async function clearFaults(tx: Db, keys: readonly { kind: string; id: number }[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    sql`delete from watch_fault f using unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id)}::bigint[]) k(kind, id)
      where f.kind = k.kind and f.id = k.id`,
  );
}

export async function listFaulty(db: Db, chainUid: string): Promise<{ kind: string; id: number }[]> {
  return db.query(
    sql`select f.kind, f.id from watch_fault f join contract c on c.tenant_id = f.tenant_id and c.id = f.contract_id
      where c.chain_uid = ${chainUid}`,
  );
}

export async function findFault(
  db: Db,
  tenantId: number,
  kind: string,
  id: number,
): Promise<{ message: string; count: number; firstAt: number; lastAt: number } | undefined> {
  const rows = await db.query<{ message: string; count: number; firstAt: number; lastAt: number }>(
    sql`select message, count, first_at as "firstAt", last_at as "lastAt" from watch_fault
      where tenant_id = ${tenantId} and kind = ${kind} and id = ${id}`,
  );
  return rows[0];
}
