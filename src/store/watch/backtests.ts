import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { BacktestResult, backtestStates } from '../../model/backtest.ts';
import type { ChainUid } from '../../model/chainUid.ts';
import type { ContractFacts } from '../../model/detection.ts';
import type { Scope } from '../../model/principal.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { findRecipients } from '../destinations/recipients.ts';
import { byTenant } from '../tables/table.ts';
import { firesAtPending } from './watchedContracts.ts';

export type BacktestRow = {
  uid: string;
  tenantId: number;
  contractId: number;
  detectorId: number | null;
  createdAt: number;
  updatedAt: number;
  state: (typeof backtestStates)[number];
  fromBlock: number;
  toBlock: number;
  processed: number;
  result: BacktestResult | null;
  fault: string | null;
};

export type NewBacktest = Pick<
  BacktestRow,
  'tenantId' | 'contractId' | 'detectorId' | 'fromBlock' | 'toBlock'
> & {
  chainUid: ChainUid;
  schemaName: string;
  name: string;
  tags: readonly string[];
  config: unknown;
};

const columns =
  raw(`t.uid::text, t.tenant_id as "tenantId", t.contract_id as "contractId", t.detector_id as "detectorId",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.state, t.from_block as "fromBlock",
  t.to_block as "toBlock", t.processed, t.result, t.fault`);

export async function insertBacktest(db: Db, backtest: NewBacktest, now: number): Promise<BacktestRow> {
  const rows = await db.query<BacktestRow>(
    sql`insert into backtest as t (uid, tenant_id, contract_id, detector_id, created_at, updated_at, chain_uid,
        schema_name, name, tags, config, from_block, to_block)
      values (gen_random_uuid(), ${backtest.tenantId}, ${backtest.contractId}, ${backtest.detectorId}, ${now}, ${now},
        ${backtest.chainUid}, ${backtest.schemaName}, ${backtest.name}, ${backtest.tags},
        ${JSON.stringify(backtest.config)}, ${backtest.fromBlock}, ${backtest.toBlock})
      returning ${columns}`,
  );
  return onlyRow(rows);
}

/** The newest runs of detectors that do not exist yet, by kind. */
export async function findProposedBacktests(
  db: Db,
  tenantId: number,
  contractId: number,
  since: number,
): Promise<Map<string, BacktestRow>> {
  const rows = await db.query<BacktestRow & { schemaName: string }>(
    sql`select distinct on (t.schema_name) t.schema_name as "schemaName", ${columns} from backtest t
      where t.tenant_id = ${tenantId} and t.contract_id = ${contractId} and t.detector_id is null
        and t.created_at >= ${since} and t.state in ('QUEUED', 'RUNNING', 'DONE')
      order by t.schema_name, t.created_at desc`,
  );
  return new Map(rows.map(({ schemaName, ...row }) => [schemaName, row]));
}

/** Number of queued or running backtests of the tenant. */
export async function countOpenBacktests(db: Db, tenantId: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from backtest where tenant_id = ${tenantId} and state in ('QUEUED', 'RUNNING')`,
  );
  return onlyRow(rows).count;
}

export async function findBacktest(db: Db, scope: Scope, uid: string): Promise<BacktestRow | undefined> {
  const rows = await db.query<BacktestRow>(
    sql`select ${columns} from backtest t where t.uid = ${uid}::uuid and ${byTenant(scope)}`,
  );
  return rows[0];
}

/** A finished backtest stays as it is. */
export async function cancelBacktest(db: Db, scope: Scope, uid: string, now: number): Promise<void> {
  await db.query(
    sql`update backtest t set state = 'CANCELED', updated_at = ${now}
      where t.uid = ${uid}::uuid and t.state in ('QUEUED', 'RUNNING') and ${byTenant(scope)}`,
  );
}

export type ClaimedBacktest = NewBacktest & { uid: string; contract: ContractFacts };

/** True if one is queued, or its process died. */
export const hasBacktests = sql`exists (select from backtest
  where state = 'QUEUED' or state = 'RUNNING' and lease_until < clock_timestamp())`;

/** The oldest that is queued, or whose process died. */
export async function claimBacktest(
  db: Db,
  chainUids: readonly string[],
  leaseMs: number,
): Promise<ClaimedBacktest | undefined> {
  const rows = await db.query<ClaimedBacktest>(
    sql`with claimed as (
        select t.tenant_id, t.id from backtest t
        where t.chain_uid = any(${chainUids})
          and (t.state = 'QUEUED' or t.state = 'RUNNING' and t.lease_until < clock_timestamp())
        order by t.id limit 1 for update skip locked)
      update backtest t set state = 'RUNNING', processed = 0,
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
      from claimed, contract c
      where t.tenant_id = claimed.tenant_id and t.id = claimed.id and c.tenant_id = t.tenant_id and c.id = t.contract_id
      returning t.uid::text, t.tenant_id as "tenantId", t.contract_id as "contractId", t.detector_id as "detectorId",
        t.chain_uid as "chainUid", t.schema_name as "schemaName", t.name, t.tags, t.config,
        t.from_block as "fromBlock", t.to_block as "toBlock",
        ${watchedJson} as contract`,
  );
  return rows[0];
}

/** A contract as detectors see it; the table's alias is `c`. */
const watchedJson = raw(`json_build_object('id', c.id, 'tenantId', c.tenant_id, 'projectId', c.project_id,
  'chainUid', c.chain_uid, 'address', c.canonical_address, 'name', c.name,
  'implementation', case when c.implementation like '0x%' then lower(c.implementation) else c.implementation end,
  'addressType', c.address_type, 'abi', coalesce(c.abi, '[]'), 'own', (
    select coalesce(json_object_agg(canonical_address, json_build_object('name', name, 'projectId', project_id)), '{}')
    from (select canonical_address, name, project_id from contract
      where tenant_id = c.tenant_id and chain_uid = c.chain_uid order by id limit 5000) own))`);

/** Reports progress and renews the lease; false when the backtest was cancelled meanwhile. */
export async function continueBacktest(
  db: Db,
  uid: string,
  processed: number,
  leaseMs: number,
  now: number,
): Promise<boolean> {
  const rows = await db.query(
    sql`update backtest set processed = ${processed}, updated_at = ${now},
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
      where uid = ${uid}::uuid and state = 'RUNNING' returning 1`,
  );
  return rows.length > 0;
}

export async function finishBacktest(
  db: Db,
  uid: string,
  outcome: { result: BacktestResult } | { fault: string },
  now: number,
): Promise<void> {
  const json = storableJson(outcome);
  await db.query(
    sql`update backtest set state = ${'result' in outcome ? 'DONE' : 'FAILED'}, result = ${json}::jsonb->'result',
        fault = ${json}::jsonb->>'fault', processed = coalesce((${json}::jsonb#>>'{result,blocks}')::bigint, processed),
        updated_at = ${now}, lease_until = null
      where uid = ${uid}::uuid and state = 'RUNNING'`,
  );
}

export async function purgeBacktests(db: Db, before: number): Promise<void> {
  await db.query(
    sql`delete from backtest where updated_at < ${before} and state in ('DONE', 'FAILED', 'CANCELED')`,
  );
}

export type DetectorToRun = {
  id: number;
  name: string;
  schemaName: string;
  tags: string[];
  config: unknown;
  firesAtPending: boolean;
  createdAt: number;
  contract: ContractFacts;
};

/** A detector with its contract, as compileDetector takes it. */
export async function findDetectorToRun(db: Db, tenantId: number, id: number): Promise<DetectorToRun> {
  const rows = await db.query<DetectorToRun>(
    sql`select d.id, d.name, s.name as "schemaName", d.tags, d.config || coalesce(d.sealed_config, '{}') as config,
      d.created_at as "createdAt", ${firesAtPending} as "firesAtPending", ${watchedJson} as contract
      from detector d join contract c on c.tenant_id = d.tenant_id and c.id = d.contract_id
      join detector_schema s on s.id = d.schema_id where d.tenant_id = ${tenantId} and d.id = ${id}`,
  );
  return onlyRow(rows);
}

export async function findContractToRun(db: Db, tenantId: number, id: number): Promise<ContractFacts> {
  const rows = await db.query<{ contract: ContractFacts }>(
    sql`select ${watchedJson} as contract from contract c where c.tenant_id = ${tenantId} and c.id = ${id}`,
  );
  return onlyRow(rows).contract;
}

export type BacktestTargets = { destinationIds: number[]; actionIds: number[] };

/** Destinations bound to the detector; without any, the tenant's destinations for alerts of detectors. */
export async function findBacktestTargets(
  db: Db,
  tenantId: number,
  detectorId: number | null,
  { id: contractId, projectId }: Pick<ContractFacts, 'id' | 'projectId'>,
): Promise<BacktestTargets> {
  const source = { tenantId, kind: 'detector' as const, sourceId: detectorId, projectId, contractId };
  const recipients = await findRecipients(db, [source]);
  const actions = await db.query<{ id: number }>(
    sql`select distinct b.action_id as id from action_detector b
      where b.tenant_id = ${tenantId} and b.detector_id = ${detectorId} and b.status = 'ACTIVE' order by 1`,
  );
  return {
    destinationIds: [...new Set(recipients.map(({ destinationId }) => destinationId))],
    actionIds: actions.map(({ id }) => id),
  };
}
