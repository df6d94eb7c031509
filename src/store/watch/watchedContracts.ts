import { empty, raw, type Sql, sql } from '../../lib/sql.ts';
import type { Severity } from '../../model/alert.ts';
import type { ContractFacts } from '../../model/detection.ts';
import type { Db } from '../db.ts';
import { subscriptionGraceMs } from '../destinations/expiryNotices.ts';

type WatchedDetector = {
  id: number;
  contractId: number;
  name: string;
  schemaName: string;
  tags: string[];
  config: unknown;
  /** An action that fires at pending transactions is bound to it. */
  firesAtPending: boolean;
  /** The newest block that was processed when it was created, enabled or configured; null when that is unknown. */
  watchedFrom: number | null;
};

type WatchedTrigger = {
  id: number;
  contractId: number;
  name: string;
  triggerType: string;
  tags: string[];
  params: unknown;
  alerts: { id: number; severity: Severity; name: string; message: string | null }[];
  watchedFrom: number | null;
};

export type WatchedContract = ContractFacts & {
  inspectedAt: number | null;
  /** The newest block of the chain when it was added; null when that is unknown. */
  watchedFrom: number | null;
  detectors: WatchedDetector[];
  triggers: WatchedTrigger[];
};

/** Active contracts of active projects and tenants, whose subscription has not ended or who never had one. */
const isLive = raw(`c.status = 'ACTIVE'
  and exists (select from project p where p.tenant_id = c.tenant_id and p.id = c.project_id and p.status = 'ACTIVE')
  and exists (select from tenant n where n.id = c.tenant_id and n.status = 'ACTIVE')
  and not exists (select from subscription s where s.tenant_id = c.tenant_id and s.status <> 'DELETED'
    having count(*) > 0 and coalesce(max(s.expiration_date) filter (where s.status = 'ACTIVE'), 0)
      <= extract(epoch from clock_timestamp()) * 1000 - ${subscriptionGraceMs})`);

const pageSize = 2000;

/** The contracts with these ids, and those of these projects and tenants. */
export type ContractOwners = {
  contractIds: readonly number[];
  projectIds: readonly number[];
  tenantIds: readonly number[];
};

/** Every watched contract of a chain, in pages; with `owners`, only theirs. */
export async function* watchedContracts(
  db: Db,
  chainUid: string,
  owners?: ContractOwners,
): AsyncGenerator<WatchedContract[]> {
  const only = owners ? sql`and ${isOwnedBy(owners)}` : empty;
  for (let after = 0; ; ) {
    const contracts = await db.query<Omit<WatchedContract, 'detectors' | 'triggers'>>(
      sql`select c.id, c.tenant_id as "tenantId", c.project_id as "projectId", c.chain_uid as "chainUid",
          c.canonical_address as address, c.name,
          case when c.implementation like '0x%' then lower(c.implementation) else c.implementation end
            as implementation,
          c.address_type as "addressType", coalesce(c.abi, '[]') as abi, c.inspected_at as "inspectedAt",
          c.watched_from as "watchedFrom"
        from contract c where c.chain_uid = ${chainUid} and c.id > ${after} and ${isLive} ${only}
        order by c.id limit ${pageSize}`,
    );
    if (contracts.length === 0) return;
    const ids = contracts.map(({ id }) => id);
    const [detectors, triggers] = await Promise.all([findDetectors(db, ids), findTriggers(db, ids)]);
    yield contracts.map((contract) => ({
      ...contract,
      detectors: detectors.get(contract.id) ?? [],
      triggers: triggers.get(contract.id) ?? [],
    }));
    after = ids.at(-1) ?? after;
  }
}

export async function isChainWatched(db: Db, chainUid: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from contract c where c.chain_uid = ${chainUid} and ${isLive} limit 1`,
  );
  return rows.length > 0;
}

function isOwnedBy({ contractIds, projectIds, tenantIds }: ContractOwners): Sql {
  return sql`(c.id = any(${contractIds}) or c.project_id = any(${projectIds}) or c.tenant_id = any(${tenantIds}))`;
}

/** Detectors whose alerts are pushed from outside do not run here. */
async function findDetectors(
  db: Db,
  contractIds: readonly number[],
): Promise<Map<number, WatchedDetector[]>> {
  const rows = await db.query<WatchedDetector>(
    sql`select d.id, d.contract_id as "contractId", d.name, s.name as "schemaName", d.tags,
      d.config || coalesce(d.sealed_config, '{}') as config, d.watched_from as "watchedFrom",
      exists (select from action_detector b join action x on x.tenant_id = b.tenant_id and x.id = b.action_id
        where b.tenant_id = d.tenant_id and b.detector_id = d.id and b.status = 'ACTIVE' and x.status = 'ACTIVE'
          and x.fire_at = 'pending') as "firesAtPending"
      from detector d join detector_schema s on s.id = d.schema_id
      where d.contract_id = any(${contractIds}) and d.status = 'ACTIVE' and d.source <> 'EXTERNAL'
        and s.status = 'ACTIVE' order by d.id`,
  );
  return byContract(rows);
}

async function findTriggers(db: Db, contractIds: readonly number[]): Promise<Map<number, WatchedTrigger[]>> {
  const rows = await db.query<WatchedTrigger>(
    sql`select t.id, t.contract_id as "contractId", t.name, t.trigger_type as "triggerType", t.tags, t.params,
        (select coalesce(json_agg(json_build_object('id', a.id, 'severity', a.severity, 'name', a.name,
            'message', a.message) order by a.id), '[]')
          from trigger_alert a where a.tenant_id = t.tenant_id and a.trigger_id = t.id) as alerts,
        t.watched_from as "watchedFrom"
      from "trigger" t where t.contract_id = any(${contractIds}) and t.status = 'ACTIVE' order by t.id`,
  );
  return byContract(rows);
}

function byContract<T extends { contractId: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.contractId);
    if (group) group.push(row);
    else groups.set(row.contractId, [row]);
  }
  return groups;
}
