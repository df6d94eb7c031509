import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** Due time of a delivery that waits for confirmations: never, before it is released. */
export const heldUntil = Date.UTC(9999, 11, 31);

/** Of these chains, those that are or were followed: on others no block would ever confirm anything. */
export async function findFollowedChains(db: Db, chainUids: readonly string[]): Promise<Set<string>> {
  const rows = await db.prepared<{ uid: string }>(
    sql`select chain_uid as uid from chain_cursor where chain_uid = any(${chainUids}::text[])`,
  );
  return new Set(rows.map(({ uid }) => uid));
}

/** Says which block has alerts that were raised while their transactions were pending. */
export async function setHeldBlocks(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; blockNumber: number }[],
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`update held_delivery h set due_block = b.number + h.confirmations
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[],
        ${alerts.map(({ blockNumber }) => blockNumber)}::bigint[]) b(tenant_id, uid, number)
      where h.tenant_id = b.tenant_id and h.alert_uid = b.uid`,
  );
}

const maxReleased = 5000;

/** True if a delivery has waited for enough blocks. */
export const isHeldDue = sql`exists (select from held_delivery h
  join chain_cursor k on k.chain_uid = h.chain_uid and k.processed >= h.due_block)`;

/**
 * Releases deliveries whose alerts have enough blocks above, and wakes the senders. Dropped alerts are cancelled by the
 * transaction that moves the chain; until that is written, nothing is released.
 */
export async function releaseHeld(db: Db, now: number): Promise<number> {
  const rows = await db.prepared<{ count: number }>(
    sql`with due as (
        select h.tenant_id, h.delivery_id from held_delivery h
        join chain_cursor k on k.chain_uid = h.chain_uid and k.processed >= h.due_block
        where not exists (select from group_write g where g.chain_uid = h.chain_uid)
        order by h.due_block, h.delivery_id limit ${maxReleased} for update of h skip locked),
      gone as (
        delete from held_delivery h using due
        where h.tenant_id = due.tenant_id and h.delivery_id = due.delivery_id
        returning h.tenant_id, h.delivery_id),
      released as (
        update delivery d set next_attempt_at = ${now}, updated_at = ${now}
        from gone where d.tenant_id = gone.tenant_id and d.id = gone.delivery_id and d.state = 'PENDING'
        returning d.tenant_id, d.id),
      queued as (
        update delivery_queue q set next_attempt_at = ${now}
        from released where q.tenant_id = released.tenant_id and q.id = released.id returning 1),
      woken as (select announce('vigil_work') from queued limit 1)
    select (select count(*) from gone) as count, (select count(*) from woken) as woken`,
  );
  return rows[0]?.count ?? 0;
}
