import { groupBy } from '../../lib/groupBy.ts';
import { allowChanges, changeMany, findChangeable, type ManyChange } from '../../store/alerts/changeMany.ts';
import type { Db } from '../../store/db/db.ts';
import { reportSlowSearch } from '../../store/records/reportSlowSearch.ts';
import { compileQuery } from '../../store/search/compile/compileQuery.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import { refuseQueryMistake } from '../../store/search/findQueryMistake.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { checkAssignee } from './checkAssignee.ts';

/** Alerts that one request changes. */
const maxChanged = 100_000;
/** Alerts that change in one transaction, which holds their rows and the tenant's audit log. */
const batchSize = 500;

type Selection = {
  query: string;
  timeseries?: { from: number; to: number }[];
  dryRun?: boolean;
};

/**
 * Changes the present hits of a query in batches, each with its events and audit entry. A request that breaks off
 * leaves the rest, and continues there when repeated. New alerts meanwhile are not included.
 */
export async function changeAlerts(
  call: Call,
  { query, timeseries, dryRun }: Selection,
  change: ManyChange,
): Promise<{ count: number; isComplete: boolean }> {
  const { reports } = call.services;
  // A misspelt member inside NOT would select every alert.
  refuseQueryMistake(query);
  const find = async (tx: Db) => {
    await allowChanges(tx);
    const scope = ownTenantsScope(call.scope);
    const condition = await compileQuery(tx, alertTable, scope, { query, timeseries }, call.now);
    return findChangeable(tx, condition, change, maxChanged + 1);
  };
  const alerts = await reportSlowSearch(() => reports.transaction(find));
  const isComplete = alerts.length <= maxChanged;
  const chosen = alerts.slice(0, maxChanged);
  const byTenant = groupBy(chosen, ({ tenantId }) => tenantId);
  const assigneeId = change.type === 'assign' ? change.assigneeId : null;
  if (assigneeId !== null)
    for (const tenantId of call.scope.all ? byTenant.keys() : call.scope.tenantIds)
      await checkAssignee(call.db, tenantId, assigneeId);
  if (dryRun) return { count: chosen.length, isComplete };
  let count = 0;
  for (const [tenantId, keys] of byTenant) {
    for (let index = 0; index < keys.length; index += batchSize) {
      const batch = keys.slice(index, index + batchSize);
      count += await reports.transaction(async (tx) => {
        await allowChanges(tx);
        if (assigneeId !== null) await checkAssignee(tx, tenantId, assigneeId);
        const changed = await changeMany(tx, tenantId, batch, change, call.now);
        if (changed > 0) await auditBatch({ ...call, db: tx }, tenantId, query, change, changed);
        return changed;
      });
    }
  }
  return { count, isComplete };
}

async function auditBatch(
  call: Call,
  tenantId: number,
  query: string,
  { type, ...members }: ManyChange,
  count: number,
): Promise<void> {
  const verb = 'isResolved' in members && !members.isResolved ? 'reopen' : type;
  const details = 'isResolved' in members ? {} : members;
  await audit(call, 'alert', verb, { id: null, tenantId }, undefined, undefined, {
    query,
    ...details,
    count,
  });
}
