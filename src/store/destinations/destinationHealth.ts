import type { DestinationType } from '../../destinations/destinationKinds.ts';
import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { isBoundByChatType, isGroupedType } from '../tables/kindConditions.ts';
import { createBindCommand } from './messengerBinding.ts';

/** While nothing else changes, the time of the last message is written this often. */
const recordEveryMs = 60_000;

/** Longer than any delay of the retry schedule: failures further apart are separate ones. */
const failureGapMs = 36 * 3_600_000;

/** Result of a message, and the end of the pause that the receiver asks for. */
export type Health = { tenantId: number; id: number; isDelivered: boolean; pausedUntil: number | null };
type Failing = { tenantId: number; id: number; type: DestinationType; failingSince: number };

/** Records successes and failures of destinations; returns those that fail, with since when. */
export async function recordHealth(tx: Db, observed: readonly Health[], now: number): Promise<Failing[]> {
  return tx
    .prepared<Failing>(
      sql`update destination x set
        failing_since = case when s.is_delivered then null
          when x.last_failed_at > ${now - failureGapMs} then coalesce(x.failing_since, ${now}) else ${now} end,
        last_failed_at = case when s.is_delivered then x.last_failed_at else ${now} end,
        paused_until = coalesce(s.paused_until, x.paused_until),
        last_sent_at = case when s.is_delivered then ${now} else x.last_sent_at end
      from unnest(${observed.map(({ tenantId }) => tenantId)}::bigint[], ${observed.map(({ id }) => id)}::bigint[],
        ${observed.map(({ isDelivered }) => isDelivered)}::boolean[],
        ${observed.map(({ pausedUntil }) => pausedUntil)}::bigint[]) s(tenant_id, id, is_delivered, paused_until)
      where x.tenant_id = s.tenant_id and x.id = s.id
        and (not s.is_delivered or s.paused_until is not null or x.failing_since is not null or x.last_sent_at is null
          or ${isGroupedType()} or x.last_sent_at < ${now - recordEveryMs})
      returning x.tenant_id as "tenantId", x.id, x.type, x.failing_since as "failingSince"`,
    )
    .then((rows) => rows.filter(({ failingSince }) => failingSince !== null));
}

/**
 * Returns false if it was disabled before. Its deliveries are no longer claimed, and `deadLetterDeliveries` settles
 * pending ones. Binding a chat enables it with a new command, because the old chat knows the former one.
 */
export async function disableDestination(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  reason: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    sql`update destination set status = 'DISABLED', disabled_reason = ${reason}, updated_at = ${now},
        uid = case when ${isBoundByChatType('type')} then ${createBindCommand()} else uid end
      where tenant_id = ${tenantId} and id = ${id} and status = 'ACTIVE' returning id`,
  );
  return rows.length > 0;
}

/** For a destination with a new address, where nothing has failed yet. One that the tenant disabled stays disabled. */
export async function resetHealth(db: Db, { tenantId, id }: { tenantId: number; id: number }): Promise<void> {
  await db.query(
    sql`update destination set status = case when disabled_reason is null then status else 'ACTIVE' end,
        disabled_reason = null, failing_since = null, paused_until = null
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

export async function enableDestination(
  db: Db,
  { tenantId, id }: { tenantId: number; id: number },
  now: number,
): Promise<void> {
  await db.query(
    sql`update destination set status = 'ACTIVE', disabled_reason = null, failing_since = null, paused_until = null,
        last_sent_at = ${now}
      where tenant_id = ${tenantId} and id = ${id} and status <> 'DELETED'`,
  );
}

type ShownHealth = {
  status: string;
  failingSince: number | null;
  disabledReason: string | null;
  groupWindowMs: number;
};

export async function findHealth(db: Db, tenantId: number, id: number): Promise<ShownHealth> {
  const rows = await db.query<ShownHealth>(
    sql`select status, failing_since as "failingSince", disabled_reason as "disabledReason",
        group_window_ms as "groupWindowMs"
      from destination where tenant_id = ${tenantId} and id = ${id}`,
  );
  return onlyRow(rows);
}
