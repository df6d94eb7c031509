import { groupBy } from '../../lib/groupBy.ts';
import { raw, type Sql, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import type { Scope } from '../../model/principal.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { sendLater } from '../db/sendLater.ts';
import { awaitPrepared } from '../db/shards/awaitPrepared.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { alertTable } from '../search/documents/alertTable.ts';
import { selectDocument } from '../search/searchDocuments.ts';
import { nowMs } from '../tables/fragments.ts';

type AlertEventType = 'raised' | 'retracted' | 'resolved' | 'changed';
/**
 * `id` is its position in the order of all events: transaction id and sequence number of its row, and where more alerts of
 * the row follow, its place among them.
 */
export type AlertEventRow = {
  id: string;
  type: AlertEventType;
  tenantId: number;
  /** Time at which it was written. */
  at: number;
  uid: string;
  /** The alert as JSON; null when retention has removed it. */
  alert: string | null;
};

export const firstAlertEvent = '0-0';

/** One row has so many alerts of a tenant, which stays below what PostgreSQL would store apart. */
const alertsPerRow = 64;

/**
 * A statement that publishes what happened to the alerts of a relation, in their order, for all streams; for the transaction
 * that changes them.
 */
export function publish(alerts: Sql, type: AlertEventType): Sql {
  return sql`insert into alert_event (tenant_id, alert_uids, type, at)
    select tenant_id, array_agg(uid order by place), ${type}, ${nowMs}
    from (select tenant_id, uid, place,
        (row_number() over (partition by tenant_id order by place) - 1) / ${raw(`${alertsPerRow}`)} as part
      from (select tenant_id, uid, row_number() over () as place from ${alerts}) placed) parted
    group by tenant_id, part order by min(place)`;
}

export async function insertAlertEvents(
  tx: Db,
  type: AlertEventType,
  alerts: readonly { tenantId: number; uid: string }[],
): Promise<void> {
  if (alerts.length === 0) return;
  const rows = toEventRows(alerts);
  await sendLater(
    tx,
    sql`insert into alert_event (tenant_id, alert_uids, type, at)
      select tenant_id, uids::uuid[], ${type}, (select ${nowMs})
      from unnest(${rows.map(({ tenantId }) => tenantId)}::bigint[],
        ${rows.map(({ uids }) => `{${uids.join()}}`)}::text[]) e(tenant_id, uids)`,
  );
}

/** As `publish` makes them, which takes PostgreSQL longer than the insertion. */
function toEventRows(alerts: readonly { tenantId: number; uid: string }[]) {
  const rows: { tenantId: number; uids: string[] }[] = [];
  const last = new Map<number, string[]>();
  for (const { tenantId, uid } of alerts) {
    let uids = last.get(tenantId);
    if (!uids || uids.length === alertsPerRow) {
      uids = [];
      last.set(tenantId, uids);
      rows.push({ tenantId, uids });
    }
    uids.push(uid);
  }
  return rows;
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

/** The uid of an alert begins with its time. */
const eventTime = raw(
  `coalesce(e.alert_timestamp, ('x' || left(replace(e.uid::text, '-', ''), 12))::bit(48)::bigint)`,
);

/** Behind all alerts of a row. */
const lastPlace = 2 ** 31 - 1;

function toPosition(id: string): { row: Sql; event: Sql } {
  const [xid = '0', seq = '0', index = lastPlace] = id.split('-');
  const row = sql`${xid}::xid8, ${seq}::bigint`;
  return { row: sql`(${row})`, event: sql`(${row}, ${index}::bigint)` };
}

/**
 * The events after one up to another, in order, with their current alerts: at most `limit`, until these reach `length` characters.
 * `unreadable` gets tenants whose worker is silent; their events lack the alert.
 */
export async function readAlertEvents(
  db: Db,
  scope: Scope,
  range: { after: string; to?: string },
  limit: number,
  length = Number.MAX_SAFE_INTEGER,
  unreadable?: Set<number>,
): Promise<AlertEventRow[]> {
  const mine: Sql = scope.all ? raw('true') : sql`e.tenant_id = any(${scope.tenantIds})`;
  const after = toPosition(range.after);
  const to = range.to === undefined ? undefined : toPosition(range.to);
  const upTo: Sql = to ? sql`(e.xid, e.seq) <= ${to.row}` : sql`e.seq <= ${await findSettled(db)}`;
  const isBefore: Sql = to ? sql`(e.xid, e.seq, a.place) <= ${to.event}` : raw('true');
  // All alerts of the first row may have been read.
  const page = sql`(select e.*, a.uid, a.place, coalesce(cardinality(e.alert_uids), 1) as places
    from (select * from alert_event e where (e.xid, e.seq) >= ${after.row} and ${upTo} and ${mine}
      order by e.xid, e.seq limit ${limit + 1}) e
    cross join lateral unnest(coalesce(e.alert_uids, array[e.alert_uid])) with ordinality a(uid, place)
    where (e.xid, e.seq, a.place) > ${after.event} and ${isBefore}
    order by e.xid, e.seq, a.place limit ${limit}) e`;
  if (await db.isDistributed()) return readOnWorkers(db, page, length, unreadable);
  return db.query<AlertEventRow>(
    sql`select id, type, "tenantId", at, uid, alert from (
        select id, type, "tenantId", at, uid, alert, xid, seq, place,
          sum(length(alert)) over (order by xid, seq, place) - length(alert) as before
        from (select concat_ws('-', e.xid, e.seq, nullif(e.place, e.places)) as id, e.type, e.tenant_id as "tenantId",
            e.at, e.uid::text, e.xid, e.seq, e.place,
            (select row_to_json(d)::text from (select ${documents} from alert t where t.tenant_id = e.tenant_id
              and t.timestamp = ${eventTime} and t.uid = e.uid) d) as alert
          from ${page}) page) page
      where coalesce(before, 0) < ${length} order by xid, seq, place`,
  );
}

type EventKey = Omit<AlertEventRow, 'alert'> & { timestamp: number };

/** Events first, then their alerts, which are not beside them. */
async function readOnWorkers(
  db: Db,
  page: Sql,
  length: number,
  unreadable?: Set<number>,
): Promise<AlertEventRow[]> {
  const events = await db.query<EventKey>(
    sql`select concat_ws('-', e.xid, e.seq, nullif(e.place, e.places)) as id, e.type, e.tenant_id as "tenantId",
        e.at, e.uid::text, ${eventTime} as timestamp
      from ${page} order by e.xid, e.seq, e.place`,
  );
  const alerts = await readAlerts(db, events).catch(async (error: unknown) => {
    if (!unreadable || !isUnavailable(error)) throw error;
    return readTenantByTenant(db, events, unreadable);
  });
  const alertOf = new Map(alerts.map(({ uid, alert }) => [uid, alert]));
  const read: AlertEventRow[] = [];
  let before = 0;
  for (const { timestamp: _timestamp, ...event } of events) {
    if (before >= length) break;
    const alert = alertOf.get(event.uid) ?? null;
    read.push({ ...event, alert });
    before += alert?.length ?? 0;
  }
  return read;
}

async function readAlerts(db: Db, events: readonly EventKey[]): Promise<{ uid: string; alert: string }[]> {
  // Otherwise an alert could be missing, or be shown as it was before the event.
  await awaitPrepared(
    db,
    events.map(({ tenantId }) => tenantId),
  );
  return perTenant(db, events, (of, ofTenant) =>
    db.query<{ uid: string; alert: string }>(
      sql`select t.uid::text, (select row_to_json(d)::text from (select ${documents}) d) as alert
        from (select distinct * from unnest(${of.map(({ timestamp }) => timestamp)}::bigint[],
          ${of.map(({ uid }) => uid)}::uuid[]) k(timestamp, uid)) k
        join alert t on t.timestamp = k.timestamp and t.uid = k.uid and ${ofTenant('t')}`,
    ),
  );
}

async function readTenantByTenant(db: Db, events: readonly EventKey[], unreadable: Set<number>) {
  const read: { uid: string; alert: string }[] = [];
  for (const [tenantId, own] of groupBy(events, (event) => event.tenantId))
    try {
      for (const row of await readAlerts(db, own)) read.push(row);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      unreadable.add(tenantId);
    }
  return read;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'unavailable';
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
