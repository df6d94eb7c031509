import { empty, join, type Sql, sql } from '../../lib/sql.ts';
import type { Severity } from '../../model/alert.ts';
import type { ContractFacts } from '../../model/detection.ts';
import type { Db } from '../db/db.ts';
import { isLive } from '../tables/isLive.ts';

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

type ContractRow = ContractFacts & {
  inspectedAt: number | null;
  /** The newest block of the chain when it was added; null when that is unknown. */
  watchedFrom: number | null;
};

export type WatchedContract = {
  contract: ContractRow;
  detectors: readonly WatchedDetector[];
  triggers: readonly WatchedTrigger[];
};

const pageSize = 2000;
const none: readonly never[] = [];

type ContractKey = Pick<ContractFacts, 'id' | 'tenantId'>;

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
  const schemas = await findSchemas(db);
  // In the order of the index by which a chain's contracts are found, and before anything is joined: each page reads only itself.
  for (let after = { address: '', id: 0 }; ; ) {
    const page = await db.query<ContractRow & { isLive: boolean }>(
      sql`select c.id, c.tenant_id as "tenantId", c.project_id as "projectId", c.chain_uid as "chainUid",
          c.canonical_address as address, c.name,
          case when c.implementation like '0x%' then lower(c.implementation) else c.implementation end
            as implementation,
          c.address_type as "addressType", coalesce(c.abi, '[]') as abi, c.inspected_at as "inspectedAt",
          c.watched_from as "watchedFrom", ${isLive} as "isLive"
        from (select * from contract c where c.chain_uid = ${chainUid} and c.status = 'ACTIVE'
            and c.canonical_address >= ${after.address}
            and (c.canonical_address, c.id) > (${after.address}, ${after.id}) ${only}
          order by c.canonical_address, c.id limit ${pageSize}) c
        order by c.canonical_address, c.id`,
    );
    const last = page.at(-1);
    if (!last) return;
    const contracts = page.filter((contract) => contract.isLive);
    const [detectors, triggers] = await Promise.all([
      findDetectors(db, contracts, schemas),
      findTriggers(db, contracts),
    ]);
    // Beside the row: adding to rows, or copying them, left more garbage than everything else here together.
    yield contracts.map((contract) => ({
      contract,
      detectors: detectors.get(contract.id) ?? none,
      triggers: triggers.get(contract.id) ?? none,
    }));
    if (page.length < pageSize) return;
    after = last;
  }
}

export async function isChainWatched(db: Db, chainUid: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from contract c where c.chain_uid = ${chainUid} and ${isLive} limit 1`,
  );
  return rows.length > 0;
}

/** Only what is asked for: a contract is then found by its id. */
function isOwnedBy({ contractIds, projectIds, tenantIds }: ContractOwners): Sql {
  const parts = [
    ...(contractIds.length > 0 ? [sql`c.id = any(${contractIds})`] : []),
    ...(projectIds.length > 0 ? [sql`c.project_id = any(${projectIds})`] : []),
    ...(tenantIds.length > 0 ? [sql`c.tenant_id = any(${tenantIds})`] : []),
  ];
  return parts.length === 0 ? sql`false` : sql`(${join(parts, ' or ')})`;
}

/** The names of the detectors that run, by the ids of their schemas. */
async function findSchemas(db: Db): Promise<Map<number, string>> {
  const rows = await db.query<{ id: number; name: string }>(
    sql`select id, name from detector_schema where status = 'ACTIVE'`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** True if an active action of the detector `d` fires at pending transactions. */
export const firesAtPending = sql`exists (select from action_detector b
  join action x on x.tenant_id = b.tenant_id and x.id = b.action_id
  where b.tenant_id = d.tenant_id and b.detector_id = d.id and b.status = 'ACTIVE' and x.status = 'ACTIVE'
    and x.fire_at = 'pending')`;

/** Detectors whose alerts are pushed from outside do not run here. */
async function findDetectors(
  db: Db,
  contracts: readonly ContractKey[],
  schemas: ReadonlyMap<number, string>,
): Promise<Map<number, WatchedDetector[]>> {
  const rows = await db.query<Omit<WatchedDetector, 'schemaName'> & { schemaId: number }>(
    sql`select d.id, contract_id as "contractId", d.name, d.schema_id as "schemaId", d.tags,
      d.config || coalesce(d.sealed_config, '{}') as config, d.watched_from as "watchedFrom",
      ${firesAtPending} as "firesAtPending"
      from ${keyRows(contracts)} join detector d using (tenant_id, contract_id)
      where d.status = 'ACTIVE' and d.source <> 'EXTERNAL' order by d.id`,
  );
  const running: WatchedDetector[] = [];
  for (const { id, contractId, name, schemaId, tags, config, firesAtPending, watchedFrom } of rows) {
    const schemaName = schemas.get(schemaId);
    if (schemaName !== undefined)
      running.push({ id, contractId, name, schemaName, tags, config, firesAtPending, watchedFrom });
  }
  return byContract(running);
}

async function findTriggers(
  db: Db,
  contracts: readonly ContractKey[],
): Promise<Map<number, WatchedTrigger[]>> {
  const rows = await db.query<WatchedTrigger>(
    sql`select t.id, contract_id as "contractId", t.name, t.trigger_type as "triggerType", t.tags, t.params,
        (select coalesce(json_agg(json_build_object('id', a.id, 'severity', a.severity, 'name', a.name,
            'message', a.message) order by a.id), '[]')
          from trigger_alert a where a.tenant_id = t.tenant_id and a.trigger_id = t.id) as alerts,
        t.watched_from as "watchedFrom"
      from ${keyRows(contracts)} join "trigger" t using (tenant_id, contract_id)
      where t.status = 'ACTIVE' order by t.id`,
  );
  return byContract(rows);
}

/** With the tenants, which the indexes begin with. */
function keyRows(contracts: readonly ContractKey[]): Sql {
  return sql`unnest(${contracts.map(({ tenantId }) => tenantId)}::bigint[], ${contracts.map(({ id }) => id)}::bigint[])
    as k(tenant_id, contract_id)`;
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
