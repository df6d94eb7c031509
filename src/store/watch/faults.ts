import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';

export type FaultRow = {
  kind: string;
  id: number;
  tenantId: number;
  contractId: number;
  message: string;
  /** Number of faults, and the times of the first and last. */
  count: number;
  firstAt: number;
  lastAt: number;
  /** Number of script timeouts among them, and the block of the first. */
  looped: number;
  loopedFrom: number | null;
};

export type RecordedFault = {
  kind: string;
  id: number;
  before: number;
  count: number;
  /** Blocks in a row in which its script timed out, and the first of them. */
  looped: number;
  loopedFrom: number | null;
};

/** Adds to the faults in a row of each subscriber; returns the counts before and after. */
export async function recordFaults(tx: Db, faults: readonly FaultRow[]): Promise<RecordedFault[]> {
  if (faults.length === 0) return [];
  return tx.prepared<RecordedFault>(
    sql`with r as (select * from json_to_recordset(${storableJson(faults)}::json) as r(kind text, id bigint,
        "tenantId" bigint, "contractId" bigint, message text, count int, "firstAt" bigint, "lastAt" bigint,
        looped int, "loopedFrom" bigint)),
      recorded as (
        insert into watch_fault as f (kind, id, tenant_id, contract_id, message, count, first_at, last_at, looped,
          looped_from)
        select * from r order by kind, id
        on conflict (kind, id) do update
          set count = f.count + excluded.count, message = excluded.message, last_at = excluded.last_at,
            looped = case when excluded.looped = 0 then 0 else f.looped + excluded.looped end,
            looped_from = case when excluded.looped = 0 then null
              else coalesce(case when f.looped > 0 then f.looped_from end, excluded.looped_from) end
        returning f.kind, f.id, f.count, f.looped, f.looped_from)
      select n.kind, n.id, n.count - r.count as before, n.count, n.looped, n.looped_from as "loopedFrom"
      from recorded n join r using (kind, id)`,
  );
}

/** Records why a subscriber was switched off, and resets its count of script timeouts. */
export async function recordSwitchOff(
  tx: Db,
  {
    kind,
    id,
    tenantId,
    contractId,
    message,
    at,
  }: { kind: string; id: number; tenantId: number; contractId: number; message: string; at: number },
): Promise<void> {
  await tx.prepared(
    sql`insert into watch_fault (kind, id, tenant_id, contract_id, message, count, first_at, last_at)
      values (${kind}, ${id}, ${tenantId}, ${contractId}, ${message}, 1, ${at}, ${at})
      on conflict (kind, id) do update
        set message = excluded.message, last_at = excluded.last_at, looped = 0, looped_from = null`,
  );
}

/** The subscribers succeeded again. */
export async function clearFaults(tx: Db, keys: readonly { kind: string; id: number }[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    sql`delete from watch_fault f using unnest(${keys.map(({ kind }) => kind)}::text[],
      ${keys.map(({ id }) => id)}::bigint[]) k(kind, id)
      where f.kind = k.kind and f.id = k.id`,
  );
}

export async function listFaultySubscribers(
  db: Db,
  chainUid: string,
): Promise<{ kind: string; id: number; looped: number }[]> {
  return db.query(
    sql`select f.kind, f.id, f.looped from watch_fault f
      join contract c on c.tenant_id = f.tenant_id and c.id = f.contract_id
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

/** Number of the caller's failing detectors and triggers on each chain. */
export async function countFaultsByChain(db: Db, scope: Scope): Promise<Map<string, number>> {
  const rows = await db.query<{ chainUid: string; count: number }>(
    sql`select t.chain_uid as "chainUid", count(*) as count from watch_fault f
      join contract t on t.tenant_id = f.tenant_id and t.id = f.contract_id
      where t.status = 'ACTIVE' and ${scope.all ? raw('true') : sql`f.tenant_id = any(${scope.tenantIds})`} group by 1`,
  );
  return new Map(rows.map(({ chainUid, count }) => [chainUid, count]));
}
