import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { haltedReason, retractedReason } from './insertIntents.ts';

/** Cancels the unsigned intents of these alerts. */
export async function cancelRetracted(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update action_intent i set state = 'CANCELED', reason = ${retractedReason}::text, updated_at = ${now}::bigint
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ uid }) => uid)}::uuid[]) a(tenant_id, uid)
      where i.tenant_id = a.tenant_id and i.alert_uid = a.uid and i.state = 'WAITING'`,
  );
}

/** The tenant's kill switch: no action fires from now on, and unsigned intents are cancelled. */
export async function haltActions(tx: Db, tenantId: number, now: number): Promise<{ canceled: number }> {
  await tx.query(
    sql`update tenant set halted_at = coalesce(halted_at, ${now}), halt_count = halt_count + 1 where id = ${tenantId}`,
  );
  const rows = await tx.query(
    sql`update action_intent set state = 'CANCELED', reason = ${haltedReason}, updated_at = ${now}
      where tenant_id = ${tenantId} and state = 'WAITING' returning 1`,
  );
  return { canceled: rows.length };
}

export async function resumeActions(tx: Db, tenantId: number): Promise<void> {
  await tx.query(sql`update tenant set halted_at = null where id = ${tenantId}`);
}

export async function findHaltedAt(db: Db, tenantId: number): Promise<number | null> {
  const [row] = await db.query<{ haltedAt: number | null }>(
    sql`select halted_at as "haltedAt" from tenant where id = ${tenantId}`,
  );
  return row?.haltedAt ?? null;
}
