import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';
import { newInstruction } from './messengerBinding.ts';

/** How often the time of the last message is written while nothing else changes. */
const noteEveryMs = 60_000;

/** Longer than the schedule of attempts waits between two: a failure before that is another story. */
const sameFailureMs = 36 * 3_600_000;

/** What was seen of a destination: whether something got through, and how long it wants to be left alone. */
export type Health = { tenantId: number; id: number; isDelivered: boolean; pausedUntil: number | null };
type Failing = { tenantId: number; id: number; type: string; failingSince: number };

/** Notes which destinations something got through to and which not; returns those that fail, with since when. */
export async function noteHealth(tx: Db, seen: readonly Health[], now: number): Promise<Failing[]> {
  return tx
    .prepared<Failing>(
      sql`update destination x set
        failing_since = case when s.is_delivered then null
          when x.last_failed_at > ${now - sameFailureMs} then coalesce(x.failing_since, ${now}) else ${now} end,
        last_failed_at = case when s.is_delivered then x.last_failed_at else ${now} end,
        paused_until = coalesce(s.paused_until, x.paused_until),
        last_sent_at = case when s.is_delivered then ${now} else x.last_sent_at end
      from unnest(${seen.map(({ tenantId }) => tenantId)}::bigint[], ${seen.map(({ id }) => id)}::bigint[],
        ${seen.map(({ isDelivered }) => isDelivered)}::boolean[],
        ${seen.map(({ pausedUntil }) => pausedUntil)}::bigint[]) s(tenant_id, id, is_delivered, paused_until)
      where x.tenant_id = s.tenant_id and x.id = s.id
        and (not s.is_delivered or s.paused_until is not null or x.failing_since is not null or x.last_sent_at is null
          or x.type <> 'HTTP' or x.last_sent_at < ${now - noteEveryMs})
      returning x.tenant_id as "tenantId", x.id, x.type, x.failing_since as "failingSince"`,
    )
    .then((rows) => rows.filter(({ failingSince }) => failingSince !== null));
}

/**
 * False if it was disabled before. Nothing is claimed for it any more; `giveUpDeliveries` settles what still waits. Binding
 * a chat enables it again, so that needs an instruction that was not seen in the last one.
 */
export async function disableDestination(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  reason: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    sql`update destination set status = 'DISABLED', disabled_reason = ${reason}, updated_at = ${now},
        uid = case when type = 'MESSENGER_A' then ${newInstruction()} else uid end
      where tenant_id = ${tenantId} and id = ${id} and status = 'ACTIVE' returning id`,
  );
  return rows.length > 0;
}

/** It leads somewhere else now, where nothing has failed yet. One that the tenant disabled stays so. */
export async function renewDestination(
  db: Db,
  { tenantId, id }: { tenantId: number; id: number },
): Promise<void> {
  await db.query(
    sql`update destination set status = case when disabled_reason is null then status else 'ACTIVE' end,
        disabled_reason = null, failing_since = null, paused_until = null
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

/** A message got through, so it works again. */
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

type Shown = {
  status: string;
  failingSince: number | null;
  disabledReason: string | null;
  groupWindowMs: number;
};

export async function findHealth(db: Db, tenantId: number, id: number): Promise<Shown> {
  const rows = await db.query<Shown>(
    sql`select status, failing_since as "failingSince", disabled_reason as "disabledReason",
        group_window_ms as "groupWindowMs"
      from destination where tenant_id = ${tenantId} and id = ${id}`,
  );
  return onlyRow(rows);
}
