import { sql } from '../../lib/sql.ts';
import type { AlertKind } from '../../model/alert.ts';
import type { Db } from '../db/db.ts';
import { findCommitted } from '../db/shards/findCommitted.ts';
import { alertTable } from '../search/documents/alertTable.ts';
import { selectDocument } from '../search/searchDocuments.ts';

/** An alert as the API shows it, with its contract and project. */
export type AlertDocument = {
  [member: string]: unknown;
  uid: string;
  kind: AlertKind;
  meta: Record<string, unknown>;
  tenantId: number;
  contractId: number;
  timestamp: number;
  chainUid: string | null;
  txHash: string | null;
  blockNumber: number | null;
  contract: { id: number; name: string; address: string; chainUid: string } | null;
  project: { id: number; name: string } | null;
  runbookUrl?: string;
  nextSteps?: string;
};

const members = selectDocument(alertTable, [...alertTable.columns.keys()]);

export async function findAlertDocuments(
  db: Db,
  keys: readonly { tenantId: number; timestamp: number; uid: string }[],
): Promise<AlertDocument[]> {
  if (await db.isDistributed()) return findOnWorkers(db, keys);
  const times = keys.map(({ timestamp }) => timestamp);
  // The bounds let the planner skip the partitions without any of the alerts.
  const rows = await db.prepared<Unguided & Guidance>(
    sql`select ${members},
        case when c.id is not null then json_build_object('id', c.id, 'name', c.name, 'address', c.address,
          'chainUid', c.chain_uid) end as contract,
        case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end as project,
        coalesce(d.runbook_url, g.runbook_url) as "runbookUrl", coalesce(d.next_steps, g.next_steps) as "nextSteps"
      from unnest(${keys.map(({ tenantId }) => tenantId)}::bigint[], ${times}::bigint[],
        ${keys.map(({ uid }) => uid)}::uuid[]) k(tenant_id, timestamp, uid)
      join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        and t.timestamp between ${Math.min(...times)} and ${Math.max(...times)}
      left join contract c on c.tenant_id = t.tenant_id and c.id = t.contract_id
      left join project p on p.tenant_id = t.tenant_id and p.id = t.project_id
      left join detector d on d.tenant_id = t.tenant_id and d.id = t.detector_id
      left join "trigger" g on g.tenant_id = t.tenant_id and g.id = t.trigger_id`,
  );
  return rows.map(({ runbookUrl, nextSteps, ...document }) => guided(document, { runbookUrl, nextSteps }));
}

type Unguided = Omit<AlertDocument, keyof Guidance>;

/** A message leaves out what no one has written. */
function guided(document: Unguided, guidance: Guidance | undefined): AlertDocument {
  const { runbookUrl, nextSteps } = guidance ?? {};
  return {
    ...document,
    ...(runbookUrl ? { runbookUrl } : {}),
    ...(nextSteps ? { nextSteps } : {}),
  } as AlertDocument;
}

/** Contracts and projects are not beside the alerts. */
async function findOnWorkers(
  db: Db,
  keys: readonly { tenantId: number; timestamp: number; uid: string }[],
): Promise<AlertDocument[]> {
  const alerts = await findCommitted(db, keys, (of, ofTenant) =>
    db.prepared<AlertDocument & { projectId: number }>(
      sql`select ${members} from unnest(${of.map(({ timestamp }) => timestamp)}::bigint[],
          ${of.map(({ uid }) => uid)}::uuid[]) k(timestamp, uid)
        join alert t on t.timestamp = k.timestamp and t.uid = k.uid and ${ofTenant('t')}`,
    ),
  );
  const contracts = await db.prepared<NonNullable<AlertDocument['contract']>>(
    sql`select id, name, address, chain_uid as "chainUid" from contract
      where id = any(${alerts.map(({ contractId }) => contractId)}::bigint[])`,
  );
  const projects = await db.prepared<NonNullable<AlertDocument['project']>>(
    sql`select id, name from project where id = any(${alerts.map(({ projectId }) => projectId)}::bigint[])`,
  );
  const guidance = await findGuidance(
    db,
    alerts.map(({ uid, tenantId, detectorId, triggerId }) => ({ uid, tenantId, detectorId, triggerId })),
  );
  const contractOf = new Map(contracts.map((contract) => [contract.id, contract]));
  const projectOf = new Map(projects.map((project) => [project.id, project]));
  return alerts.map((alert) =>
    guided(
      {
        ...alert,
        contract: contractOf.get(alert.contractId) ?? null,
        project: projectOf.get(alert.projectId) ?? null,
      },
      guidance.get(alert.uid),
    ),
  );
}

export type Guidance = { runbookUrl: string | null; nextSteps: string | null };

/** Texts of the detectors and triggers behind alerts, by the uid of the alert. */
export async function findGuidance(
  db: Db,
  alerts: readonly { uid: string; tenantId: number; detectorId?: unknown; triggerId?: unknown }[],
): Promise<Map<string, Guidance>> {
  const idOf = (id: unknown) => (typeof id === 'number' ? id : null);
  const rows = await db.prepared<Guidance & { uid: string }>(
    sql`select k.uid, coalesce(d.runbook_url, g.runbook_url) as "runbookUrl",
        coalesce(d.next_steps, g.next_steps) as "nextSteps"
      from unnest(${alerts.map(({ uid }) => uid)}::text[], ${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ detectorId }) => idOf(detectorId))}::bigint[],
        ${alerts.map(({ triggerId }) => idOf(triggerId))}::bigint[]) k(uid, tenant_id, detector_id, trigger_id)
      left join detector d on d.tenant_id = k.tenant_id and d.id = k.detector_id
      left join "trigger" g on g.tenant_id = k.tenant_id and g.id = k.trigger_id`,
  );
  return new Map(rows.map(({ uid, ...guidance }) => [uid, guidance]));
}
