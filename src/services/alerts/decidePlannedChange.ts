import { Problem } from '../../model/errors.ts';
import type { Role } from '../../model/principal.ts';
import { changePlannedState, findJudgedAlerts, type JudgedAlert } from '../../store/alerts/plannedChanges.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { checkRequester } from '../actions/approvals.ts';
import { checkApprover } from '../actions/checkApprover.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';

/** By a second person, judged as for approvals of wallets. From then on alerts are judged by the change. */
export async function confirmPlannedChange(
  call: Call,
  kind: RecordKind,
  id: number,
  isEnough: (role: Role) => boolean,
): Promise<Row> {
  const current = await findWritable(call, kind, id);
  if (current.state !== 'PENDING') throw refused(current);
  const request = {
    tenantId: Number(current.tenantId),
    createdAt: Number(current.createdAt),
    requestedBy: typeof current.authorId === 'number' ? current.authorId : null,
  };
  await checkRequester(call, request, isEnough);
  // No wallet names who may approve, so that every hand that one had in the account of the other counts.
  await checkApprover(call, request, [{ name: '', approvers: null }]);
  const change = { state: 'OPEN', confirmedBy: call.principal.userId } as const;
  if (!(await changePlannedState(call.db, id, ['PENDING'], change, call.now))) throw refused(current);
  return finish(call, kind, current, 'confirm');
}

/** From then on alerts are judged as if it had never been planned; those of before stay as they are. */
export async function cancelPlannedChange(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const current = await findWritable(call, kind, id);
  if (!(await changePlannedState(call.db, id, ['PENDING', 'OPEN'], { state: 'CANCELED' }, call.now)))
    throw refused(current);
  return finish(call, kind, current, 'cancel');
}

async function finish(call: Call, kind: RecordKind, current: Row, verb: string): Promise<Row> {
  const id = Number(current.id);
  const after = await findRecord(call.db, kind.table, call.scope, id, kind.names);
  if (!after) throw new Error(`The planned change ${id} cannot be read back.`);
  const pick = (row: Row) => Object.fromEntries(kind.names.map((name) => [name, row[name]]));
  await audit(
    call,
    kind.table.kind,
    verb,
    { id, tenantId: Number(current.tenantId) },
    pick(current),
    pick(after),
  );
  return after;
}

function refused({ state }: Row): Problem {
  return new Problem(
    'conflict',
    `The planned change is ${String(state).toLowerCase()}, or its window has ended.`,
  );
}

/** The alerts that it has judged, newest first. */
export async function listJudged(call: Call, kind: RecordKind, id: number): Promise<JudgedAlert[]> {
  const record = await findRecord(call.db, kind.table, call.scope, id, ['tenantId']);
  if (!record) throw new Problem('not-found', 'There is no such planned change.');
  return findJudgedAlerts(call.db, Number(record.tenantId), id);
}
