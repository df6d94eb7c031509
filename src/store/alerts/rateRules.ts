import { sql } from '../../lib/sql.ts';
import type { ContractFacts } from '../../model/detection.ts';
import type { Db } from '../db/db.ts';
import { isLive } from '../tables/isLive.ts';

/** A detector that counts alerts, with the contract that it belongs to. */
export type RateDetector = {
  id: number;
  name: string;
  schemaName: string;
  tags: string[];
  config: unknown;
  updatedAt: number;
  contract: ContractFacts;
};

/** Those of a tenant that run. */
export async function findRateDetectors(
  db: Db,
  tenantId: number,
  schemaName: string,
): Promise<RateDetector[]> {
  return db.prepared<RateDetector>(
    sql`select d.id, d.name, ${schemaName}::text as "schemaName", d.tags, d.config, d.updated_at as "updatedAt",
        json_build_object('id', c.id, 'tenantId', c.tenant_id, 'projectId', c.project_id, 'chainUid', c.chain_uid,
          'address', c.canonical_address, 'implementation', c.implementation, 'name', c.name,
          'addressType', c.address_type, 'abi', '[]'::json) as contract
      from detector d join contract c on c.tenant_id = d.tenant_id and c.id = d.contract_id
      where d.tenant_id = ${tenantId} and d.status = 'ACTIVE' and d.source <> 'EXTERNAL'
        and d.schema_id = any(array(select id from detector_schema where name = ${schemaName} and status = 'ACTIVE'))
        and ${isLive}
      order by d.id`,
  );
}

type RateSettings = { detectorId: number; settings: string; since: number };

/** The rules of these settings, new ones included, in their order. */
export async function ensureRateRules(
  db: Db,
  tenantId: number,
  rules: readonly RateSettings[],
): Promise<{ id: number; since: number }[]> {
  const found = await db.prepared<RateSettings & { id: number }>(
    sql`with given as (
        select * from unnest(${rules.map(({ detectorId }) => detectorId)}::bigint[],
          ${rules.map(({ settings }) => settings)}::text[], ${rules.map(({ since }) => since)}::bigint[])
          g(detector_id, settings, since)),
      added as (
        insert into alert_rate_rule (tenant_id, detector_id, settings, since)
        select ${tenantId}, g.* from given g where not exists (select from alert_rate_rule r
          where r.tenant_id = ${tenantId} and r.detector_id = g.detector_id and r.settings = g.settings)
        on conflict do nothing returning id, detector_id, settings, since)
      select id, detector_id as "detectorId", settings, since from added
      union all select r.id, r.detector_id, r.settings, r.since from given g
        join alert_rate_rule r on r.tenant_id = ${tenantId} and r.detector_id = g.detector_id
          and r.settings = g.settings`,
  );
  const byKey = new Map(found.map((rule) => [`${rule.detectorId} ${rule.settings}`, rule]));
  return rules.map(({ detectorId, settings }) => {
    const rule = byKey.get(`${detectorId} ${settings}`);
    if (!rule) throw new Error(`The rule of the detector ${detectorId} was not stored.`);
    return rule;
  });
}
