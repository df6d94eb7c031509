import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';

/** An alert that a rule counts in a group. */
export type RateHit = {
  ruleId: number;
  groupKey: string;
  timestamp: number;
  alertUid: string;
  valueKey: string;
  value: string | null;
};

/** A stretch of a group's hits: those from `from` to `to`, as many before and after as matter. */
export type RateRange = {
  ruleId: number;
  groupKey: string;
  from: number;
  to: number;
  windowMs: number;
  isDistinct: boolean;
  /** Most that matter before `from`, and after `to`. */
  before: number;
  after: number;
};

/** A time in which a group was above its limit. */
export type RateCrossing = {
  id: number;
  ruleId: number;
  groupKey: string;
  from: number;
  until: number;
  alertAt: number | null;
  alertUid: string | null;
};

/** The stored hits of these alerts. */
export async function findHitsOf(db: Db, tenantId: number, uids: readonly string[]): Promise<RateHit[]> {
  if (uids.length === 0) return [];
  return db.prepared<RateHit>(
    sql`select rule_id as "ruleId", group_key::text as "groupKey", timestamp, alert_uid::text as "alertUid",
        value_key::text as "valueKey", value
      from alert_rate_hit where tenant_id = ${tenantId} and alert_uid = any(${uids}::uuid[])`,
  );
}

/** The hits that decide what a change between `from` and `to` makes of each group, in the order of time. */
export async function readHits(db: Db, tenantId: number, ranges: readonly RateRange[]): Promise<RateHit[]> {
  if (ranges.length === 0) return [];
  return db.prepared<RateHit>(
    sql`select g.rule_id as "ruleId", g.group_key::text as "groupKey", h.timestamp, h.alert_uid::text as "alertUid",
        h.value_key::text as "valueKey", h.value
      from unnest(${ranges.map(({ ruleId }) => ruleId)}::bigint[], ${ranges.map(({ groupKey }) => groupKey)}::uuid[],
          ${ranges.map(({ from }) => from)}::bigint[], ${ranges.map(({ to }) => to)}::bigint[],
          ${ranges.map(({ windowMs }) => windowMs)}::bigint[],
          ${ranges.map(({ isDistinct }) => isDistinct)}::boolean[],
          ${ranges.map(({ before }) => before)}::bigint[], ${ranges.map(({ after }) => after)}::bigint[])
          g(rule_id, group_key, from_at, to_at, window_ms, is_distinct, before, after)
      cross join lateral (
        (select h.timestamp, h.alert_uid, h.value_key, h.value from alert_rate_hit h
          where h.tenant_id = ${tenantId} and h.rule_id = g.rule_id and h.group_key = g.group_key
            and h.timestamp < g.from_at and h.timestamp > g.from_at - g.window_ms and not g.is_distinct
          order by h.timestamp desc limit g.before)
        union all
        -- An earlier hit of the same value expires before the last one.
        (select distinct on (h.value_key) h.timestamp, h.alert_uid, h.value_key, h.value from alert_rate_hit h
          where h.tenant_id = ${tenantId} and h.rule_id = g.rule_id and h.group_key = g.group_key
            and h.timestamp < g.from_at and h.timestamp > g.from_at - g.window_ms and g.is_distinct
          order by h.value_key, h.timestamp desc)
        union all
        (select h.timestamp, h.alert_uid, h.value_key, h.value from alert_rate_hit h
          where h.tenant_id = ${tenantId} and h.rule_id = g.rule_id and h.group_key = g.group_key
            and h.timestamp between g.from_at and g.to_at)
        union all
        (select h.timestamp, h.alert_uid, h.value_key, h.value from alert_rate_hit h
          where h.tenant_id = ${tenantId} and h.rule_id = g.rule_id and h.group_key = g.group_key
            and h.timestamp > g.to_at and h.timestamp <= g.to_at + g.window_ms
          order by h.timestamp limit g.after)) h
      order by h.timestamp, h.alert_uid`,
  );
}

/** Crossings reported for these groups around these times. */
export async function readCrossings(
  db: Db,
  tenantId: number,
  groups: readonly { ruleId: number; groupKey: string; from: number; to: number }[],
): Promise<RateCrossing[]> {
  if (groups.length === 0) return [];
  return db.prepared<RateCrossing>(
    sql`select c.id, c.rule_id as "ruleId", c.group_key::text as "groupKey", c.from_at as "from", c.until_at as "until",
        c.alert_at as "alertAt", c.alert_uid::text as "alertUid"
      from unnest(${groups.map(({ ruleId }) => ruleId)}::bigint[], ${groups.map(({ groupKey }) => groupKey)}::uuid[],
          ${groups.map(({ from }) => from)}::bigint[], ${groups.map(({ to }) => to)}::bigint[])
          g(rule_id, group_key, from_at, to_at)
      join alert_rate_crossing c on c.tenant_id = ${tenantId} and c.rule_id = g.rule_id and c.group_key = g.group_key
        and c.until_at >= g.from_at and c.from_at <= g.to_at
      order by c.from_at`,
  );
}

export async function insertHits(
  tx: Db,
  tenantId: number,
  hits: readonly (RateHit & { expiresAt: number })[],
): Promise<void> {
  if (hits.length === 0) return;
  await tx.prepared(
    sql`insert into alert_rate_hit (tenant_id, rule_id, group_key, timestamp, alert_uid, value_key, value, expires_at)
      select ${tenantId}, h.* from unnest(${hits.map(({ ruleId }) => ruleId)}::bigint[],
        ${hits.map(({ groupKey }) => groupKey)}::uuid[], ${hits.map(({ timestamp }) => timestamp)}::bigint[],
        ${hits.map(({ alertUid }) => alertUid)}::uuid[], ${hits.map(({ valueKey }) => valueKey)}::uuid[],
        ${hits.map(({ value }) => value)}::text[], ${hits.map(({ expiresAt }) => expiresAt)}::bigint[]) h
      on conflict do nothing`,
  );
}

export async function deleteHitsOf(tx: Db, tenantId: number, uids: readonly string[]): Promise<void> {
  if (uids.length === 0) return;
  await tx.prepared(
    sql`delete from alert_rate_hit where tenant_id = ${tenantId} and alert_uid = any(${uids}::uuid[])`,
  );
}

export async function insertCrossings(
  tx: Db,
  tenantId: number,
  crossings: readonly (Omit<RateCrossing, 'id'> & { expiresAt: number })[],
): Promise<void> {
  if (crossings.length === 0) return;
  await tx.prepared(
    sql`insert into alert_rate_crossing (tenant_id, rule_id, group_key, from_at, until_at, alert_at, alert_uid,
        expires_at)
      select ${tenantId}, c.* from unnest(${crossings.map(({ ruleId }) => ruleId)}::bigint[],
        ${crossings.map(({ groupKey }) => groupKey)}::uuid[], ${crossings.map(({ from }) => from)}::bigint[],
        ${crossings.map(({ until }) => until)}::bigint[], ${crossings.map(({ alertAt }) => alertAt)}::bigint[],
        ${crossings.map(({ alertUid }) => alertUid)}::uuid[],
        ${crossings.map(({ expiresAt }) => expiresAt)}::bigint[]) c`,
  );
}

/** Moves the ends of crossings, and deletes those that are gone. */
export async function changeCrossings(
  tx: Db,
  tenantId: number,
  changed: readonly (Pick<RateCrossing, 'id' | 'from' | 'until'> & { expiresAt: number })[],
  gone: readonly number[],
): Promise<void> {
  if (changed.length > 0)
    await tx.prepared(
      sql`update alert_rate_crossing c set from_at = n.from_at, until_at = n.until_at,
          expires_at = greatest(c.expires_at, n.expires_at)
        from unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map(({ from }) => from)}::bigint[],
          ${changed.map(({ until }) => until)}::bigint[], ${changed.map(({ expiresAt }) => expiresAt)}::bigint[])
          n(id, from_at, until_at, expires_at)
        where c.tenant_id = ${tenantId} and c.id = n.id`,
    );
  if (gone.length > 0)
    await tx.prepared(
      sql`delete from alert_rate_crossing where tenant_id = ${tenantId} and id = any(${gone}::bigint[])`,
    );
}

/** Deletes what no alert can complete any more, and lanes of tenants without such a detector. */
export async function purgeAlertRateCounts(db: Db, now: number, schemaName: string): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with gone as (delete from alert_rate_hit where ctid = any(array(
          select ctid from alert_rate_hit where expires_at < ${now} limit ${limit})) returning 1)
        select count(*) as count from gone`,
    );
    return onlyRow(rows).count;
  });
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with gone as (delete from alert_rate_crossing where id = any(array(
          select id from alert_rate_crossing where expires_at < ${now} limit ${limit})) returning 1)
        select count(*) as count from gone`,
    );
    return onlyRow(rows).count;
  });
  await db.query(
    sql`delete from alert_rate_lane l where l.lease_until is null and not exists (select from detector d
      where d.tenant_id = l.tenant_id and d.status <> 'DELETED'
        and d.schema_id = any(array(select id from detector_schema where name = ${schemaName})))`,
  );
}
