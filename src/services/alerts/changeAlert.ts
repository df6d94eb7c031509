import { Problem } from '../../model/errors.ts';
import { insertResolvedEvents } from '../../store/alerts/alertEvents.ts';
import { findAlert, hasKey, resolveAlerts, tagAlert } from '../../store/alerts/alertRecords.ts';
import { alertTable } from '../../store/alerts/alertTable.ts';
import { insertResolvedDeliveries } from '../../store/destinations/followUps.ts';
import { compileQuery } from '../../store/documents/compileQuery.ts';
import { ownTenantsScope, visibleScope } from '../../store/documents/documentScopes.ts';
import { reportSlowSearch } from '../../store/documents/searchDocuments.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

export async function changeAlert(
  call: Call,
  uid: string,
  change: { status: 'UNRESOLVED' | 'RESOLVED' | undefined; tags: string[] | undefined },
  names: readonly string[],
  check: (current: Row) => void,
): Promise<Row> {
  const before = await findAlert(call.db, ownTenantsScope(call.scope), uid, names, true);
  if (!before) {
    const seen = await findAlert(call.db, await visibleScope(call.db, call.visible), uid, names);
    if (seen)
      throw new Problem('forbidden', "You may see this alert but not change it: it is not your tenant's.");
    throw new Problem('not-found', 'There is no such alert.');
  }
  check(before);
  if (before.status === 'RETRACTED') {
    throw new Problem(
      'illegal-transition',
      'The alert is retracted: its block is no longer part of the chain.',
    );
  }
  const key = { tenantId: Number(before.tenantId), timestamp: Number(before.timestamp), uid };
  if (change.status === 'RESOLVED') {
    await insertResolvedDeliveries(call.db, hasKey(key), call.now);
    await insertResolvedEvents(call.db, hasKey(key));
  }
  if (change.status !== undefined) await resolveAlerts(call.db, hasKey(key), change.status === 'RESOLVED');
  if (change.tags !== undefined)
    await tagAlert(call.db, key, { former: before.tags as string[], now: change.tags });
  const after = await findAlert(call.db, ownTenantsScope(call.scope), uid, names);
  if (!after) throw new Error(`The alert ${uid} is gone although it is locked.`);
  await audit(call, 'alert', 'update', { id: null, tenantId: key.tenantId }, before, after, { uid });
  return after;
}

export async function resolveByQuery(
  call: Call,
  input: { query: string; timeseries?: { from: number; to: number }[]; resolved?: boolean },
): Promise<number> {
  const isResolved = input.resolved ?? true;
  const condition = await compileQuery(call.db, alertTable, ownTenantsScope(call.scope), input, call.now);
  if (isResolved) {
    await reportSlowSearch(() => insertResolvedDeliveries(call.db, condition, call.now));
    await reportSlowSearch(() => insertResolvedEvents(call.db, condition));
  }
  const changed = await reportSlowSearch(() => resolveAlerts(call.db, condition, isResolved));
  for (const { tenantId, count } of changed) {
    const record = { id: null, tenantId };
    await audit(call, 'alert', isResolved ? 'resolve' : 'reopen', record, undefined, undefined, {
      query: input.query,
      count,
    });
  }
  return changed.reduce((sum, { count }) => sum + count, 0);
}
