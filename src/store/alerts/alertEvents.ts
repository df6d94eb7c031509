import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import { type Db, onlyRow } from '../db.ts';
import { selectDocument } from '../documents/searchDocuments.ts';
import { nowMs } from '../fragments.ts';
import { inChunks } from '../inChunks.ts';
import { alertTable } from './alertTable.ts';

type AlertEventType = 'raised' | 'retracted' | 'resolved' | 'changed';
/** `id` is its position in the order of all events: transaction id and sequence number. */
export type AlertEvent = {
  id: string;
  type: AlertEventType;
  tenantId: number;
  /** The alert as JSON; null when retention has removed it. */
  alert: string | null;
};

export const firstAlertEvent = '0-0';

type Key = { tenantId: number; contractId: number; uid: string; timestamp: number };

/** Inserted in the transaction that changes the alerts, for all streams. */
export async function insertAlertEvents(
  tx: Db,
  type: 'raised' | 'retracted' | 'changed',
  alerts: readonly Key[],
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`insert into alert_event (tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
      select k.tenant_id, k.contract_id, k.uid, k.timestamp, ${type}, ${nowMs}
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ contractId }) => contractId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[],
        ${alerts.map(({ timestamp }) => timestamp)}::bigint[]) k(tenant_id, contract_id, uid, timestamp)`,
  );
}

/** Inserted before the alerts are marked, because afterwards those that change cannot be found. */
export async function insertStatusEvents(tx: Db, condition: Sql, isResolved: boolean): Promise<void> {
  await tx.query(
    sql`insert into alert_event (tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
      select t.tenant_id, t.contract_id, t.uid, t.timestamp, ${isResolved ? 'resolved' : 'changed'}, ${nowMs}
      from alert t where ${condition} and t.is_resolved <> ${isResolved} and t.retracted_at is null`,
  );
}

/**
 * The sequence number up to which every event is committed: transactions that are still open may insert theirs after
 * it. Only a statement that starts afterwards sees all of them.
 */
async function findSettled(db: Db): Promise<number> {
  const rows = await db.query<{ seq: number }>(sql`select settled_alert_event() as seq`);
  return onlyRow(rows).seq;
}

const documents = selectDocument(alertTable, [...alertTable.columns.keys()]);

function toPosition(id: string): Sql {
  const [xid = '0', seq = '0'] = id.split('-');
  return sql`(${xid}::xid8, ${seq}::bigint)`;
}

/**
 * The events after one up to another, in order, each with its current alert: at most `limit`, and none after the one
 * with which the alerts together reach `length` characters.
 */
export async function readAlertEvents(
  db: Db,
  scope: Scope,
  range: { after: string; to?: string },
  limit: number,
  length = Number.MAX_SAFE_INTEGER,
): Promise<AlertEvent[]> {
  const mine: Sql = scope.all ? raw('true') : sql`e.tenant_id = any(${scope.tenantIds})`;
  const upTo: Sql =
    range.to === undefined
      ? sql`e.seq <= ${await findSettled(db)}`
      : sql`(e.xid, e.seq) <= ${toPosition(range.to)}`;
  return db.query<AlertEvent>(
    sql`select id, type, "tenantId", alert from (
        select id, type, "tenantId", alert, xid, seq,
          sum(length(alert)) over (order by xid, seq) - length(alert) as before
        from (select e.xid::text || '-' || e.seq as id, e.type, e.tenant_id as "tenantId", e.xid, e.seq,
            (select row_to_json(d)::text from (select ${documents} from alert t where t.tenant_id = e.tenant_id
              and t.timestamp = e.alert_timestamp and t.uid = e.alert_uid) d) as alert
          from (select * from alert_event e where (e.xid, e.seq) > ${toPosition(range.after)} and ${upTo} and ${mine}
            order by e.xid, e.seq limit ${limit}) e) page) page
      where coalesce(before, 0) < ${length} order by xid, seq`,
  );
}

/** The id of the newest committed event. */
export async function lastAlertEvent(db: Db): Promise<string> {
  const rows = await db.query<{ id: string }>(
    sql`select e.xid::text || '-' || e.seq as id from alert_event e where e.seq <= ${await findSettled(db)}
      order by e.xid desc, e.seq desc limit 1`,
  );
  return rows[0]?.id ?? firstAlertEvent;
}

/** Deletes from the oldest on, by the index on the order of events. */
export async function purgeAlertEvents(db: Db, before: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with first as (select xid, seq, at from alert_event order by xid, seq limit ${limit}),
        forgotten as (
          delete from alert_event e using first
          where e.xid = first.xid and e.seq = first.seq and first.at < ${before} returning 1)
        select count(*) as count from forgotten`,
    );
    return onlyRow(rows).count;
  });
}
