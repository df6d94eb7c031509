import { sql } from '../../lib/sql.ts';
import { shadowTag } from '../../model/alert.ts';
import type { AlertEvent } from '../../model/score.ts';
import type { Db } from '../db/db.ts';
import { severitySql } from '../search/documents/alertTable.ts';
import { projectScope } from '../search/documents/documentScopes.ts';
import { blockHashSql, eidSql, txHashSql } from '../search/documents/packedHashes.ts';

/** The alerts of a project within a time range, oldest first, as score events. */
export async function findPastAlerts(
  db: Db,
  project: { id: number; tenantId: number },
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<AlertEvent[]> {
  const scope = await projectScope(db, project);
  const alerts = await db.query<AlertEvent>(
    sql`select 'alert' as type, t.uid::text, t.kind, t.alert_group as "group",
        ${severitySql('t.numeric_severity')} as severity, t.numeric_severity as "numericSeverity",
        t.timestamp, ${eidSql} as eid, t.name, t.message, t.meta - 'private' as meta, t.tags,
        t.tenant_id as "tenantId", t.project_id as "projectId", t.contract_id as "contractId", ${txHashSql} as "txHash",
        t.chain_uid as "chainUid", t.block_number as "blockNumber", ${blockHashSql} as "blockHash",
        t.detector_id as "detectorId", t.trigger_id as "triggerId", t.action_id as "actionId",
        t.wallet_id as "walletId", t.wallet_name as "walletName", t.wallet_chain_uid as "walletChainUid",
        t.wallet_address as "walletAddress", t.interceptor_type as "interceptorType",
        t.trigger_type as "triggerType", t.suppressed, t.backfilled
      from alert t where ${scope.condition} and t.timestamp between ${from} and ${to} and t.retracted_at is null
        and not ${shadowTag} = any(t.tags)
      order by t.timestamp, t.uid limit ${limit}`,
  );
  const detectors = await db.query<{ id: number; name: string }>(
    sql`select d.id, s.name from detector d join detector_schema s on s.id = d.schema_id
      where d.tenant_id = ${project.tenantId}
        and d.id = any(${[...new Set(alerts.map(({ detectorId }) => detectorId))]}::bigint[])`,
  );
  const nameOf = new Map<number | null, string>(detectors.map(({ id, name }) => [id, name]));
  return alerts.map((alert) => ({ ...alert, detectorSchemaName: nameOf.get(alert.detectorId) ?? null }));
}
