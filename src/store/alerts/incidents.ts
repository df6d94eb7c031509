import { storableJson } from '../../lib/json.ts';
import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { perShard } from '../db/shards/perShard.ts';
import { type OfTenant, perTenant } from '../db/shards/perTenant.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import { txHashSql } from '../search/documents/packedHashes.ts';
import { nowMs } from '../tables/fragments.ts';
import { incidentId } from './loneIncidents.ts';

/** Leads from a transaction or a repeated cause of a tenant, by the digest `key`, to its incident. */
export type IncidentKey = { key: string; lastAt: number; incidentUid: string };

/**
 * Locks these keys until the transaction ends and returns those that lead to an incident already. A new one is stored with the
 * incident that it names, which is nearly always the one it gets.
 */
export async function lockIncidentKeys(tx: Db, keys: readonly IncidentKey[]): Promise<IncidentKey[]> {
  return tx.prepared<IncidentKey>(
    sql`with locked as (
        insert into incident_key as p (key, last_at, incident_uid)
        select key, last_at, incident_uid from ${keyRows(keys)} order by key
        on conflict (key) do update set last_at = p.last_at
        returning key, last_at, case when xmax <> 0 then incident_uid end as incident_uid)
      select replace(key::text, '-', '') as key, last_at as "lastAt", incident_uid::text as "incidentUid"
      from locked where incident_uid is not null`,
  );
}

/** Keys that others have stored, without locking them. */
export async function findIncidentKeys(tx: Db, keys: readonly string[]): Promise<IncidentKey[]> {
  return tx.prepared<IncidentKey>(
    sql`select replace(key::text, '-', '') as key, last_at as "lastAt", incident_uid::text as "incidentUid"
      from incident_key where key = any(${`{${keys.join()}}`}::uuid[])`,
  );
}

/** Points keys to other incidents or times. */
export async function pointIncidentKeys(tx: Db, keys: readonly IncidentKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.prepared(
    sql`update incident_key p set incident_uid = k.incident_uid, last_at = k.last_at
      from ${keyRows(keys)} where k.key = p.key`,
  );
}

function keyRows(keys: readonly IncidentKey[]) {
  // Serialised here, because the driver would check every element for quotes.
  const array = (values: readonly (string | number)[]) => `{${values.join()}}`;
  return sql`unnest(${array(keys.map(({ key }) => key))}::uuid[], ${array(keys.map(({ lastAt }) => lastAt))}::bigint[],
    ${array(keys.map(({ incidentUid }) => incidentUid))}::uuid[]) k(key, last_at, incident_uid)`;
}

/** The incidents of the alerts that fired actions. */
export async function findIncidentsOf(
  tx: Db,
  fired: readonly { uid: string; tenantId: number; alertUid: string; timestamp: number }[],
): Promise<{ uid: string; incidentUid: string }[]> {
  return perTenant(tx, fired, (of, ofTenant) =>
    tx.prepared<{ uid: string; incidentUid: string }>(
      sql`select k.uid, ${incidentUidSql}::text as "incidentUid"
      from unnest(${of.map(({ uid }) => uid)}::text[], ${of.map(({ tenantId }) => tenantId)}::bigint[],
        ${of.map(({ alertUid }) => alertUid)}::uuid[], ${of.map(({ timestamp }) => timestamp)}::bigint[])
        k(uid, tenant_id, alert_uid, timestamp)
      join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.alert_uid
      where ${incidentUidSql} is not null and ${ofTenant('t')}`,
    ),
  );
}

/** Growth of one incident by a batch of alerts. */
export type IncidentGrowth = {
  tenantId: number;
  uid: string;
  chainUid: string | null;
  name: string;
  message: string;
  numericSeverity: number;
  alerts: number;
  openAlerts: number;
  contractIds: readonly number[];
  txHashes: readonly string[];
  firstAt: number;
  lastAt: number;
};

/** Contracts and transactions that a record lists. */
const maxListed = raw('100');

/** Counts of alerts before, and the incidents whose acknowledgement covers what came. */
type Growth = { counts: Map<string, number>; acknowledged: Set<string> };

/** Adds alerts to the rows of their incidents, new ones among them. */
export async function growIncidents(tx: Db, growth: readonly IncidentGrowth[]): Promise<Growth> {
  if (growth.length === 0) return { counts: new Map(), acknowledged: new Set() };
  const grown = (await tx.isDistributed())
    ? await perShard<IncidentGrowth, Grown>(
        tx,
        growth,
        ({ tenantId }) => tenantId,
        (keys) =>
          sql`with grown as (${grow(keys)})
            select json_build_object('uid', uid, 'alerts', alerts, 'isAcknowledged', "isAcknowledged")::text
              as shard_row from grown`,
      )
    : await tx.prepared<Grown>(grow(growth));
  const added = new Map(growth.map(({ uid, alerts }) => [uid, alerts]));
  return {
    counts: new Map(grown.map(({ uid, alerts }) => [uid, alerts - (added.get(uid) ?? 0)])),
    acknowledged: new Set(grown.flatMap(({ uid, isAcknowledged }) => (isAcknowledged ? [uid] : []))),
  };
}

type Grown = { uid: string; alerts: number; isAcknowledged: boolean };

function grow(growth: readonly IncidentGrowth[]): Sql {
  const rows = growth.map((item) => ({
    tenant_id: item.tenantId,
    uid: item.uid,
    chain_uid: item.chainUid,
    name: item.name,
    message: item.message,
    numeric_severity: item.numericSeverity,
    alerts: item.alerts,
    open_alerts: item.openAlerts,
    contract_ids: item.contractIds,
    tx_hashes: item.txHashes,
    first_at: item.firstAt,
    last_at: item.lastAt,
  }));
  return sql`insert into incident as i (tenant_id, uid, id, chain_uid, name, message, numeric_severity, alerts,
      open_alerts, contract_ids, tx_hashes, first_at, last_at, created_at, updated_at)
    select g.tenant_id, g.uid, ${incidentId('g.uid')}, g.chain_uid, g.name, g.message, g.numeric_severity, g.alerts,
      g.open_alerts, g.contract_ids[:${maxListed}], g.tx_hashes[:${maxListed}], g.first_at, g.last_at,
      ${nowMs}, ${nowMs}
    from json_to_recordset(${storableJson(rows)}::json) as g(tenant_id bigint, uid uuid, chain_uid text, name text,
      message text, numeric_severity smallint, alerts int, open_alerts int, contract_ids bigint[], tx_hashes text[],
      first_at bigint, last_at bigint)
    order by g.tenant_id, g.uid
    on conflict (tenant_id, uid) do update set alerts = i.alerts + excluded.alerts,
      open_alerts = i.open_alerts + excluded.open_alerts,
      name = case when ${isWorse} then excluded.name else i.name end,
      message = case when ${isWorse} then excluded.message else i.message end,
      numeric_severity = case when ${isWorse} then excluded.numeric_severity else i.numeric_severity end,
      ${merged},
      first_at = least(i.first_at, excluded.first_at), last_at = greatest(i.last_at, excluded.last_at),
      updated_at = excluded.updated_at,
      acknowledged_at = case when excluded.numeric_severity <= i.acknowledged_severity then i.acknowledged_at end
    returning uid::text, alerts, acknowledged_at is not null as "isAcknowledged"`;
}

/** Citus 13.2 crashes where the whole value that SET assigns is a part of an array; `coalesce` makes it none. */
const merged = sql`contract_ids = coalesce((array(
    select unnest(i.contract_ids) union select unnest(excluded.contract_ids)))[:${maxListed}], '{}'),
  tx_hashes = i.tx_hashes || (array(select unnest(excluded.tx_hashes)
    except select unnest(i.tx_hashes)))[:greatest(${maxListed} - cardinality(i.tx_hashes), 0)]`;

/** An incident whose alerts were all retracted takes its title from the next alert again. */
const isWorse = raw('excluded.numeric_severity > i.numeric_severity or i.alerts = 0');

/** Counts the alerts of these incidents again, after some of them were retracted. */
export async function recountIncidents(
  tx: Db,
  incidents: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<void> {
  await perTenant(tx, incidents, async (of, ofTenant) => {
    await recount(tx, of, ofTenant, now);
    return [];
  });
}

async function recount(
  tx: Db,
  incidents: readonly { tenantId: number; uid: string }[],
  ofTenant: OfTenant,
  now: number,
): Promise<void> {
  const keys = sql`unnest(${incidents.map(({ tenantId }) => tenantId)}::bigint[],
    ${incidents.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)`;
  // A statement of its own, so that the count sees what others have added before the lock was granted.
  const locked = await tx.prepared<{ tenantId: number; uid: string; firstAt: number; lastAt: number }>(
    sql`select i.tenant_id as "tenantId", i.uid::text, i.first_at as "firstAt", i.last_at as "lastAt"
      from ${keys} join incident i on i.tenant_id = k.tenant_id and i.uid = k.uid where ${ofTenant('i')}
      order by i.tenant_id, i.uid for update of i`,
  );
  await tx.prepared(
    sql`update incident i set alerts = c.alerts, open_alerts = c.open_alerts, updated_at = ${now},
        numeric_severity = coalesce((c.worst).numeric_severity, i.numeric_severity),
        name = coalesce((c.worst).name, i.name), message = coalesce((c.worst).message, i.message),
        tx_hashes = case when c.alerts = 0 then i.tx_hashes else c.tx_hashes end
      from unnest(${locked.map(({ tenantId }) => tenantId)}::bigint[], ${locked.map(({ uid }) => uid)}::uuid[],
        ${locked.map(({ firstAt }) => firstAt)}::bigint[], ${locked.map(({ lastAt }) => lastAt)}::bigint[])
        k(tenant_id, uid, first_at, last_at)
      cross join lateral (
        select count(*) as alerts, count(*) filter (where not t.is_resolved) as open_alerts,
          (array_agg(t order by t.numeric_severity desc, t.timestamp, t.uid))[1] as worst,
          coalesce((array_agg(distinct ${txHashSql}) filter (where ${txHashSql} is not null))[:${maxListed}], '{}')
            as tx_hashes
        from alert t where t.tenant_id = k.tenant_id and ${incidentUidSql} = k.uid and t.retracted_at is null
          and t.timestamp between k.first_at and k.last_at and ${ofTenant('t')}) c
      where i.tenant_id = k.tenant_id and i.uid = k.uid and ${ofTenant('i')}`,
  );
}
