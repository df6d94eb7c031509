import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** The result of an attempt. A failed delivery without `nextAttemptAt` is dead. `isStep`: the attempt counts in the retry schedule. */
export type SettledDelivery = {
  tenantId: number;
  id: number;
  destinationId: number;
  at: number;
  durationMs: number;
  isDelivered: boolean;
  isStep: boolean;
  status: number | null;
  error: string | null;
  nextAttemptAt: number | null;
};

/** A failure does not change a delivery that was cancelled meanwhile; a success does, because the message was received. */
export async function settleDeliveries(
  tx: Db,
  settled: readonly SettledDelivery[],
  now: number,
): Promise<void> {
  const rows = settled.map((item) => ({
    tenant_id: item.tenantId,
    id: item.id,
    at: item.at,
    duration_ms: item.durationMs,
    is_delivered: item.isDelivered,
    is_step: item.isStep,
    status: item.status,
    error: item.error,
    next_at: item.nextAttemptAt,
  }));
  await tx.prepared(
    sql`with s as (select * from json_to_recordset(${storableJson(rows)}::json) as s(tenant_id bigint, id bigint,
      at bigint, duration_ms int, is_delivered boolean, is_step boolean, status int, error text, next_at bigint)),
      changed as (
        update delivery d set attempts = d.attempts + 1, updated_at = ${now},
          last_status = s.status, last_error = s.error, next_attempt_at = coalesce(s.next_at, d.next_attempt_at),
          delivered_at = case when s.is_delivered then s.at else d.delivered_at end,
          state = case when s.is_delivered then 'DELIVERED' when d.state <> 'PENDING' then d.state
            when s.next_at is null then 'DEAD' else 'PENDING' end
        from s where d.tenant_id = s.tenant_id and d.id = s.id
        returning d.tenant_id, d.id, d.attempts, d.state, d.next_attempt_at, s.at, s.duration_ms, s.is_step, s.status,
          s.error),
      requeued as (
        update delivery_queue q set step = q.step + changed.is_step::int, lease_until = null,
          next_attempt_at = changed.next_attempt_at
        from changed where changed.state = 'PENDING' and q.tenant_id = changed.tenant_id and q.id = changed.id),
      dequeued as (
        delete from delivery_queue q using changed
        where changed.state <> 'PENDING' and q.tenant_id = changed.tenant_id and q.id = changed.id)
      insert into delivery_attempt (tenant_id, delivery_id, attempt, at, duration_ms, status, error)
      select tenant_id, id, attempts, at, duration_ms, status, error from changed`,
  );
}
