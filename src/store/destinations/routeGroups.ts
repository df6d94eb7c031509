import { type Sql, sql, unplanned } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { findCommitted } from '../db/shards/findCommitted.ts';
import { perTenant } from '../db/shards/perTenant.ts';

export type RouteGroupKey = { tenantId: number; routeId: number; key: string };

/** Messages that a route has sent of a group. `sentAt` is 0 before its first message. */
export type RouteGroup = RouteGroupKey & {
  beganAt: number;
  sentAt: number;
  numericSeverity: number;
  repeatAt: number | null;
  /** Time at which `repeatAt` was set; it shows that a clock went back. */
  plannedAt: number;
  repeats: number;
};

const columns = sql`g.tenant_id as "tenantId", g.route_id as "routeId", g.key, g.began_at as "beganAt",
  g.sent_at as "sentAt", g.numeric_severity as "numericSeverity", g.repeat_at as "repeatAt",
  g.planned_at as "plannedAt", g.repeats`;

const keyRows = (
  keys: readonly RouteGroupKey[],
): Sql => sql`unnest(${keys.map(({ tenantId }) => tenantId)}::bigint[],
  ${keys.map(({ routeId }) => routeId)}::bigint[], ${keys.map(({ key }) => key)}::text[]) k(tenant_id, route_id, key)`;

/** Holds groups still until the transaction ends, new ones among them. */
export async function lockGroups(tx: Db, keys: readonly RouteGroupKey[], now: number): Promise<RouteGroup[]> {
  if (keys.length === 0) return [];
  return tx.prepared<RouteGroup>(
    sql`insert into route_group as g (tenant_id, route_id, key, began_at, sent_at, numeric_severity, planned_at)
      select k.tenant_id, k.route_id, k.key, ${now}::bigint, 0, 0, ${now}::bigint
      from (select distinct * from ${keyRows(keys)}) k order by 1, 2, 3
      on conflict (tenant_id, route_id, key) do update set key = excluded.key
      returning ${columns}`,
  );
}

export async function saveGroups(tx: Db, groups: readonly RouteGroup[]): Promise<void> {
  if (groups.length === 0) return;
  await tx.prepared(
    sql`update route_group g set began_at = s.began_at, sent_at = s.sent_at, numeric_severity = s.numeric_severity,
        repeat_at = s.repeat_at, planned_at = s.planned_at, repeats = s.repeats
      from unnest(${groups.map(({ tenantId }) => tenantId)}::bigint[],
        ${groups.map(({ routeId }) => routeId)}::bigint[], ${groups.map(({ key }) => key)}::text[],
        ${groups.map(({ beganAt }) => beganAt)}::bigint[], ${groups.map(({ sentAt }) => sentAt)}::bigint[],
        ${groups.map(({ numericSeverity }) => numericSeverity)}::smallint[],
        ${groups.map(({ repeatAt }) => repeatAt)}::bigint[], ${groups.map(({ plannedAt }) => plannedAt)}::bigint[],
        ${groups.map(({ repeats }) => repeats)}::integer[])
        s(tenant_id, route_id, key, began_at, sent_at, numeric_severity, repeat_at, planned_at, repeats)
      where g.tenant_id = s.tenant_id and g.route_id = s.route_id and g.key = s.key`,
  );
}

/** An alert because of which a group is repeated. */
export type GroupAlert = RouteGroupKey & { uid: string; timestamp: number; numericSeverity: number };

export async function insertGroupAlerts(tx: Db, alerts: readonly GroupAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`insert into route_group_alert (tenant_id, route_id, key, alert_uid, alert_timestamp, numeric_severity)
      select k.tenant_id, k.route_id, k.key, k.uid, k.timestamp, k.numeric_severity
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ routeId }) => routeId)}::bigint[], ${alerts.map(({ key }) => key)}::text[],
        ${alerts.map(({ uid }) => uid)}::uuid[], ${alerts.map(({ timestamp }) => timestamp)}::bigint[],
        ${alerts.map(({ numericSeverity }) => numericSeverity)}::smallint[])
        k(tenant_id, route_id, key, uid, timestamp, numeric_severity)
      order by 1, 2, 3, 4
      on conflict (tenant_id, route_id, key, alert_uid) do nothing`,
  );
}

export async function deleteGroupAlerts(
  tx: Db,
  alerts: readonly (RouteGroupKey & { uid: string })[],
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`delete from route_group_alert a
      using unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ routeId }) => routeId)}::bigint[], ${alerts.map(({ key }) => key)}::text[],
        ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, route_id, key, uid)
      where a.tenant_id = k.tenant_id and a.route_id = k.route_id and a.key = k.key and a.alert_uid = k.uid`,
  );
}

/** Deletes the alerts of groups that are not repeated any more. */
export async function clearGroups(tx: Db, keys: readonly RouteGroupKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.prepared(
    sql`delete from route_group_alert a using ${keyRows(keys)}
      where a.tenant_id = k.tenant_id and a.route_id = k.route_id and a.key = k.key`,
  );
}

/** True if a repeat is due, or planned by a clock that went back since. */
export const isRepeatDue = (now: number) => sql`exists (${tenantsDue(now)})
  or (select max(planned_at) from route_group where repeat_at is not null) > ${unplanned(now + clockSlackMs)}`;

/** Tenants with repeats that are due: one look-up in the index for each tenant that has any. */
export async function findDueTenants(db: Db, now: number): Promise<number[]> {
  const rows = await db.prepared<{ id: number }>(tenantsDue(now));
  return rows.map(({ id }) => id);
}

const tenantsDue = (now: number) => sql`with recursive waiting (id) as (
    (select min(tenant_id) from route_group where repeat_at is not null)
    union all
    select (select min(tenant_id) from route_group where repeat_at is not null and tenant_id > w.id)
    from waiting w where w.id is not null)
  select w.id from waiting w where ${unplanned(now)} >=
    (select min(g.repeat_at) from route_group g where g.tenant_id = w.id and g.repeat_at is not null)`;

/** The groups of a tenant whose repeats have been due for longest, without those that another process works on. */
export async function claimDueGroups(
  tx: Db,
  tenantId: number,
  now: number,
  limit: number,
): Promise<RouteGroup[]> {
  return tx.prepared<RouteGroup>(
    sql`select ${columns} from route_group g
      where g.tenant_id = ${tenantId} and g.repeat_at is not null and g.repeat_at <= ${now}
      order by g.repeat_at, g.route_id, g.key limit ${limit} for update skip locked`,
  );
}

/** Plans repeats again that were planned later than now, by a clock that went back since. */
export async function replanGroups(db: Db, now: number): Promise<void> {
  await db.prepared(
    sql`update route_group set repeat_at = ${now}::bigint + greatest(repeat_at - planned_at, 0), planned_at = ${now}
      where (tenant_id, route_id, key) in (
        select tenant_id, route_id, key from route_group
        where repeat_at is not null and planned_at > ${now + clockSlackMs} for update skip locked)`,
  );
}

/** The clocks of servers differ a little. */
const clockSlackMs = 5000;

/** Alerts of a group that are looked at: the worst and newest. */
const maxLookedAt = 1000;

export async function findGroupAlerts(tx: Db, keys: readonly RouteGroupKey[]): Promise<GroupAlert[]> {
  return tx.prepared<GroupAlert>(
    sql`select a.tenant_id as "tenantId", a.route_id as "routeId", a.key, a.alert_uid::text as uid,
        a.alert_timestamp as timestamp, a.numeric_severity as "numericSeverity"
      from ${keyRows(keys)} cross join lateral (
        select * from route_group_alert a
        where a.tenant_id = k.tenant_id and a.route_id = k.route_id and a.key = k.key
        order by a.numeric_severity desc, a.alert_timestamp desc limit ${maxLookedAt}) a`,
  );
}

type AlertRef = { tenantId: number; uid: string; timestamp: number };

export type AlertState = {
  uid: string;
  /** Resolved or retracted. */
  isClosed: boolean;
  acknowledgedAt: number | null;
  acknowledgedUntil: number | null;
};

/** The states of alerts; those that retention has removed are missing. */
export async function findAlertStates(tx: Db, alerts: readonly AlertRef[]): Promise<AlertState[]> {
  return findCommitted(tx, alerts, (of, ofTenant) =>
    tx.prepared<AlertState>(sql`select ${stateColumns} from ${alertsOf(of)} and ${ofTenant('t')}`),
  );
}

/**
 * Holds alerts as they are until the transaction ends, and returns their states. Those that someone changes at this moment are
 * missing: waiting for them could lock both out.
 */
export async function lockAlerts(tx: Db, alerts: readonly AlertRef[]): Promise<AlertState[]> {
  return perTenant(tx, alerts, (of, ofTenant) =>
    tx.prepared<AlertState>(
      sql`select ${stateColumns} from ${alertsOf(of)} and ${ofTenant('t')} for share of t skip locked`,
    ),
  );
}

const stateColumns = sql`t.uid::text, t.is_resolved or t.retracted_at is not null as "isClosed",
  t.acknowledged_at as "acknowledgedAt", t.acknowledged_until as "acknowledgedUntil"`;

const alertsOf = (alerts: readonly AlertRef[]): Sql => sql`unnest(
    ${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ timestamp }) => timestamp)}::bigint[],
    ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, timestamp, uid)
  join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid where true`;

type AlertKey = { tenantId: number; uid: string };

/** Cancels repeats of these alerts that are not sent yet; the transaction has changed the alerts. */
export async function cancelRepeats(tx: Db, alerts: readonly AlertKey[], now: number): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`with affected as (
        select d.tenant_id, d.id from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)
        join delivery d on d.tenant_id = k.tenant_id and d.alert_uid = k.uid
        where d.type = 'alert.repeated' and d.state = 'PENDING' order by d.id for update of d),
      dequeued as (
        delete from delivery_queue q using affected where q.tenant_id = affected.tenant_id and q.id = affected.id)
      update delivery d set state = 'CANCELED', updated_at = ${now},
        last_error = 'Someone answered before it was sent.'
      from affected where d.tenant_id = affected.tenant_id and d.id = affected.id`,
  );
}

/** Makes the repeats of groups with these alerts due now, because an acknowledgement was taken back. */
export async function resumeRepeats(tx: Db, alerts: readonly AlertKey[], now: number): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`update route_group g set repeat_at = ${now}, planned_at = ${now}
      where (g.tenant_id, g.route_id, g.key) in (
        select g.tenant_id, g.route_id, g.key from route_group g
        where g.repeat_at > ${now} and (g.tenant_id, g.route_id, g.key) in (
          select a.tenant_id, a.route_id, a.key from route_group_alert a
          join unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
            ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)
            on a.tenant_id = k.tenant_id and a.alert_uid = k.uid)
        for update skip locked)`,
  );
}

/** Deletes groups of which nothing was sent since; those that are repeated stop then. */
export async function purgeGroups(db: Db, before: { quiet: number; repeated: number }): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with old as (
          select tenant_id, route_id, key from route_group
          where (sent_at < ${before.quiet} and repeat_at is null)
            or (greatest(sent_at, began_at) < ${before.repeated})
          limit ${limit} for update skip locked),
        alerts as (
          delete from route_group_alert a using old
          where a.tenant_id = old.tenant_id and a.route_id = old.route_id and a.key = old.key),
        purged as (
          delete from route_group g using old
          where g.tenant_id = old.tenant_id and g.route_id = old.route_id and g.key = old.key returning 1)
        select count(*) as count from purged`,
    );
    return onlyRow(rows).count;
  });
}
