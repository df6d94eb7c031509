import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../model/errors.ts';
import { insertAlertEvents } from '../../store/alerts/alertEvents.ts';
import { assignAlert, findAlert, hasKey, resolveAlerts, tagAlert } from '../../store/alerts/alertRecords.ts';
import { Overtaken } from '../../store/db/db.ts';
import type { Row } from '../../store/records/records.ts';
import { ownTenantsScope, visibleScope } from '../../store/search/documents/documentScopes.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { checkAssignee } from './checkAssignee.ts';

type AlertChange = {
  status: 'UNRESOLVED' | 'RESOLVED' | undefined;
  tags: string[] | undefined;
  /** null leaves it to no one. */
  assigneeId: number | null | undefined;
};

export async function changeAlert(
  call: Call,
  uid: string,
  change: AlertChange,
  names: readonly string[],
  check: (current: Row) => void,
): Promise<Row> {
  const before = await findOwnAlert(call, uid, names, { use: 'change it', lock: true });
  check(before);
  if (before.status === 'RETRACTED') {
    throw new Problem(
      'illegal-transition',
      'The alert is retracted: its block is no longer part of the chain.',
    );
  }
  const key = keyOf(before);
  const { status, tags, assigneeId } = change;
  if (typeof assigneeId === 'number') await checkAssignee(call.db, key.tenantId, assigneeId);
  if (status !== undefined) await resolveAlerts(call.db, hasKey(key), status === 'RESOLVED', call.now);
  if (tags !== undefined) await tagAlert(call.db, key, { former: before.tags as string[], now: tags });
  if (assigneeId !== undefined) await assignAlert(call.db, key, assigneeId);
  const after = await findAlert(call.db, ownTenantsScope(call.scope), uid, names);
  if (!after) throw new Error(`The alert ${uid} is gone although it is locked.`);
  // Citus may run a statement nowhere while shards change, without saying so; what is answered has to be stored.
  if ((status ?? after.status) !== after.status || !isDeepStrictEqual(tags ?? after.tags, after.tags))
    throw new Overtaken('The alert has not changed as it should have.');
  // A change of the status has its own event, which shows the rest as well.
  if (before.status === after.status && !isDeepStrictEqual(triageOf(before), triageOf(after)))
    await insertAlertEvents(call.db, 'changed', [key]);
  await audit(call, 'alert', 'update', { id: null, tenantId: key.tenantId }, before, after, { uid });
  return after;
}

function triageOf({ tags, assigneeId }: Row) {
  return { tags, assigneeId };
}

/** An alert of the caller's own tenant; one that is only shared with it is refused. */
export async function findOwnAlert(
  call: Call,
  uid: string,
  names: readonly string[],
  { use, lock }: { use: string; lock: boolean },
): Promise<Row> {
  const ownAlert = await findAlert(call.db, ownTenantsScope(call.scope), uid, names, lock);
  if (ownAlert) return ownAlert;
  const visible = await findAlert(call.db, await visibleScope(call.db, call.visible), uid, names);
  if (visible)
    throw new Problem('forbidden', `You may see this alert but not ${use}: it is not your tenant's.`);
  throw new Problem('not-found', 'There is no such alert.');
}

/** Of an alert with at least the members of its key. */
export function keyOf({ tenantId, contractId, timestamp, uid }: Row) {
  return {
    tenantId: Number(tenantId),
    contractId: Number(contractId),
    timestamp: Number(timestamp),
    uid: String(uid),
  };
}
