import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** How often the time of the last message is written while nothing else changes. */
const noteEveryMs = 60_000;

type Failing = { tenantId: number; id: number; type: string; failingSince: number };

/** Notes which destinations something got through to and which not; returns those that fail, with since when. */
export async function noteHealth(
  tx: Db,
  seen: readonly { tenantId: number; id: number; isDelivered: boolean }[],
  now: number,
): Promise<Failing[]> {
  return tx
    .prepared<Failing>(
      sql`update destination x set
        failing_since = case when s.is_delivered then null else coalesce(x.failing_since, ${now}) end,
        last_sent_at = case when s.is_delivered then ${now} else x.last_sent_at end
      from unnest(${seen.map(({ tenantId }) => tenantId)}::bigint[], ${seen.map(({ id }) => id)}::bigint[],
        ${seen.map(({ isDelivered }) => isDelivered)}::boolean[]) s(tenant_id, id, is_delivered)
      where x.tenant_id = s.tenant_id and x.id = s.id
        and (not s.is_delivered or x.failing_since is not null or x.last_sent_at is null or x.type <> 'HTTP'
          or x.last_sent_at < ${now - noteEveryMs})
      returning x.tenant_id as "tenantId", x.id, x.type, x.failing_since as "failingSince"`,
    )
    .then((rows) => rows.filter(({ failingSince }) => failingSince !== null));
}

/** False if it was disabled before. What was still to be sent to it is given up. */
export async function disableDestination(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  reason: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    sql`update destination set status = 'DISABLED', disabled_reason = ${reason}, updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${id} and status = 'ACTIVE' returning id`,
  );
  if (rows.length === 0) return false;
  await tx.query(
    sql`update delivery set state = 'DEAD', last_error = ${reason}, updated_at = ${now}
      where tenant_id = ${tenantId} and destination_id = ${id} and state = 'PENDING'`,
  );
  return true;
}

/** A message got through, so it works again. */
export async function enableDestination(
  db: Db,
  { tenantId, id }: { tenantId: number; id: number },
  now: number,
): Promise<void> {
  await db.query(
    sql`update destination set status = 'ACTIVE', disabled_reason = null, failing_since = null, last_sent_at = ${now}
      where tenant_id = ${tenantId} and id = ${id} and status <> 'DELETED'`,
  );
}

export type Health = {
  status: string;
  failingSince: number | null;
  disabledReason: string | null;
  groupWindowMs: number;
};

export async function findHealth(db: Db, tenantId: number, id: number): Promise<Health> {
  const rows = await db.query<Health>(
    sql`select status, failing_since as "failingSince", disabled_reason as "disabledReason",
        group_window_ms as "groupWindowMs"
      from destination where tenant_id = ${tenantId} and id = ${id}`,
  );
  return rows[0]!;
}
