import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { findIncidentStates } from '../search/documents/findIncidentStates.ts';

export type StoredInhibition = {
  id: number;
  sourceQuery: string;
  targetQuery: string;
  includeCritical: boolean;
};

export async function findInhibitions(db: Db, tenantId: number): Promise<StoredInhibition[]> {
  return db.prepared<StoredInhibition>(
    sql`select id, source_query as "sourceQuery", target_query as "targetQuery", include_critical as "includeCritical"
      from inhibition where tenant_id = ${tenantId} and status = 'ACTIVE' order by id`,
  );
}

/** The estimated cost of the queries of all inhibitions of a tenant, except one. */
export async function sumInhibitionCost(
  tx: Db,
  tenantId: number,
  exceptId: number | undefined,
): Promise<number> {
  const rows = await tx.prepared<{ cost: number }>(
    sql`select coalesce(sum(cost), 0)::bigint as cost from inhibition
      where tenant_id = ${tenantId} and status <> 'DELETED' and id <> ${exceptId ?? 0}`,
  );
  return rows[0]?.cost ?? 0;
}

/** An alert that the source query of an inhibition finds. */
export type InhibitionSource = {
  tenantId: number;
  inhibitionId: number;
  contractId: number;
  incidentUid: string;
  uid: string;
  timestamp: number;
};

export async function insertInhibitionSources(
  tx: Db,
  sources: readonly InhibitionSource[],
  now: number,
): Promise<void> {
  if (sources.length === 0) return;
  await tx.prepared(
    sql`insert into inhibition_source (tenant_id, inhibition_id, contract_id, incident_uid, alert_uid, alert_timestamp,
        seen_at)
      select distinct on (1, 3, 2, 4) k.tenant_id, k.inhibition_id, k.contract_id, k.incident_uid, k.uid, k.timestamp,
        ${now}::bigint
      from unnest(${sources.map(({ tenantId }) => tenantId)}::bigint[],
        ${sources.map(({ inhibitionId }) => inhibitionId)}::bigint[],
        ${sources.map(({ contractId }) => contractId)}::bigint[],
        ${sources.map(({ incidentUid }) => incidentUid)}::uuid[], ${sources.map(({ uid }) => uid)}::uuid[],
        ${sources.map(({ timestamp }) => timestamp)}::bigint[])
        k(tenant_id, inhibition_id, contract_id, incident_uid, uid, timestamp)
      order by 1, 3, 2, 4, k.timestamp desc, k.uid
      on conflict (tenant_id, contract_id, inhibition_id, incident_uid) do update set alert_uid = excluded.alert_uid,
        alert_timestamp = excluded.alert_timestamp, seen_at = excluded.seen_at`,
  );
}

type ContractKey = { tenantId: number; contractId: number };

/** The inhibitions with an open incident on these contracts, as `<contract> <inhibition>`. */
export async function findInhibiting(db: Db, contracts: readonly ContractKey[]): Promise<Set<string>> {
  if (contracts.length === 0) return new Set();
  const sources = await db.prepared<InhibitionSource>(
    sql`select s.tenant_id as "tenantId", s.inhibition_id as "inhibitionId", s.contract_id as "contractId",
        s.incident_uid::text as "incidentUid", s.alert_uid::text as uid, s.alert_timestamp as timestamp
      from (select distinct * from unnest(${contracts.map(({ tenantId }) => tenantId)}::bigint[],
        ${contracts.map(({ contractId }) => contractId)}::bigint[]) k(tenant_id, contract_id)) k
      join inhibition_source s using (tenant_id, contract_id)`,
  );
  if (sources.length === 0) return new Set();
  const incidents = new Map(
    sources.map(({ tenantId, incidentUid }) => [incidentUid, { tenantId, uid: incidentUid }]),
  );
  const states = await findIncidentStates(db, [...incidents.values()]);
  const open = sources.filter(({ incidentUid }) => states.get(incidentUid)?.isOpen);
  // Absences explain nothing, though their incident may have more alerts.
  const standing = new Set((await findStanding(db, open)).map(({ uid }) => uid));
  return new Set(
    open
      .filter(({ uid }) => standing.has(uid))
      .map(({ contractId, inhibitionId }) => `${contractId} ${inhibitionId}`),
  );
}

function findStanding(db: Db, alerts: readonly InhibitionSource[]): Promise<{ uid: string }[]> {
  return perTenant(db, alerts, (of, ofTenant) =>
    db.prepared<{ uid: string }>(
      sql`select t.uid::text from unnest(${of.map(({ tenantId }) => tenantId)}::bigint[],
          ${of.map(({ timestamp }) => timestamp)}::bigint[], ${of.map(({ uid }) => uid)}::uuid[])
          k(tenant_id, timestamp, uid)
        join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        where t.retracted_at is null and ${ofTenant('t')}`,
    ),
  );
}

export type NamedInhibition = { id: number; name: string };

export async function findInhibitionNames(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<NamedInhibition[]> {
  if (ids.length === 0) return [];
  return db.prepared<NamedInhibition>(
    sql`select id, name from inhibition where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id`,
  );
}

export async function purgeInhibitionSources(db: Db, before: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with old as (
          select tenant_id, contract_id, inhibition_id, incident_uid from inhibition_source where seen_at < ${before}
          limit ${limit} for update skip locked),
        purged as (
          delete from inhibition_source s using old where s.tenant_id = old.tenant_id
            and s.contract_id = old.contract_id and s.inhibition_id = old.inhibition_id
            and s.incident_uid = old.incident_uid
          returning 1)
        select count(*) as count from purged`,
    );
    return onlyRow(rows).count;
  });
}
