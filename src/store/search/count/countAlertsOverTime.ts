import { sql } from '../../../lib/sql.ts';
import type { Db } from '../../db/db.ts';
import { atTenant } from '../../db/shards/atTenant.ts';
import { compilePrepared, createQueryBudget, prepareSearch } from '../compile/compileQuery.ts';
import { alertTable } from '../documents/alertTable.ts';
import { contractScope } from '../documents/documentScopes.ts';
import { asSeenIn, type DocumentScope } from '../documents/documentTable.ts';
import {
  type AlertOwner,
  type CellCount,
  countByRollup,
  countsOfAlerts,
  type TimeCut,
} from '../rollups/countByRollup.ts';
import { createCellTest } from './createCellTest.ts';

/**
 * Read from the roll-ups, or from the alerts where a query names more than these count or a bucket begins within a quarter
 * of an hour.
 */
export async function countAlertsOverTime(
  anywhere: Db,
  owner: AlertOwner,
  cut: TimeCut,
  query: string | undefined,
  now: number,
): Promise<CellCount[]> {
  const db = atTenant(anywhere, [owner.tenantId]);
  const { tenantId, contractId, isForeign = false } = owner;
  const scope: DocumentScope =
    contractId === 0
      ? { condition: sql`t.tenant_id = ${tenantId}`, tenantIds: [tenantId] }
      : contractScope({ id: contractId, tenantId, isForeign });
  const table = asSeenIn(alertTable, scope);
  const prepared = prepareSearch(table, { query, timeseries: [cut] }, now, createQueryBudget());
  const isCounted = createCellTest(prepared.parsed, owner);
  const counts = isCounted && (await countByRollup(db, owner, cut));
  if (counts) return counts.filter(isCounted);
  const { condition } = await compilePrepared(db, table, scope, prepared);
  return db.query<CellCount>(countsOfAlerts(cut, condition));
}
