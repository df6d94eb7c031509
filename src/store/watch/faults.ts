import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

export type FaultRow = {
  kind: string;
  id: number;
  tenantId: number;
  contractId: number;
  message: string;
  at: number;
};

/** Counts faults in a row; returns those that have just come to `alarmAt` in a row. */
export async function noteFaults(
  tx: Db,
  faults: readonly FaultRow[],
  alarmAt: number,
): Promise<{ kind: string; id: number }[]> {
  if (faults.length === 0) return [];
  const rows = faults.map(({ kind, id, tenantId, contractId, message, at }) => ({
    kind,
    id,
    tenant_id: tenantId,
    contract_id: contractId,
    message,
    at,
  }));
  const noted = await tx.prepared<{ kind: string; id: number; count: number }>(
    sql`insert into watch_fault as f (kind, id, tenant_id, contract_id, message, count, first_at, last_at)
      select distinct on (r.kind, r.id) r.kind, r.id, r.tenant_id, r.contract_id, r.message, 1, r.at, r.at
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(kind text, id bigint, tenant_id bigint, contract_id bigint, message text, at bigint)
      order by r.kind, r.id, r.at desc
      on conflict (kind, id) do update
        set count = f.count + 1, message = excluded.message, last_at = excluded.last_at
      returning kind, id, count`,
  );
  return noted.filter(({ count }) => count === alarmAt);
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
