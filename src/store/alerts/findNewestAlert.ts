import type { AlertQuestion } from '../../model/detection.ts';
import type { Db } from '../db/db.ts';
import { alertTable } from '../search/documents/alertTable.ts';
import { ownTenantsScope } from '../search/documents/documentScopes.ts';
import { searchDocuments } from '../search/searchDocuments.ts';

/** An alert may have a time of the near future: clocks of chains and of those who push findings differ. */
const aheadMs = 3_600_000;

/** The newest alert of a tenant that matches. Alerts about absences never do, and neither do retracted ones. */
export async function findNewestAlert(
  db: Db,
  { tenantId, query, contractId, projectId, since }: AlertQuestion & { tenantId: number },
  now: number,
): Promise<{ uid: string; timestamp: number } | null> {
  const parts = [
    `(${query.trim() || '*'})`,
    'NOT detectorSchemaName:absence',
    'NOT status:RETRACTED',
    ...(contractId === undefined ? [] : [`contractId:${contractId}`]),
    ...(projectId === undefined ? [] : [`projectId:${projectId}`]),
  ];
  const search = {
    query: parts.join(' AND '),
    timeseries: [{ from: since, to: now + aheadMs }],
    size: 1,
    trackTotalCount: 0,
    sort: [{ field: 'timestamp', order: 'desc' as const }],
  };
  const scope = ownTenantsScope({ all: false, tenantIds: [tenantId], organisationIds: [] });
  const { data } = await searchDocuments(db, alertTable, scope, search, ['uid', 'timestamp'], now);
  const [row] = data;
  return row ? { uid: String(row.uid), timestamp: Number(row.timestamp) } : null;
}
