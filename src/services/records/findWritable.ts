import { Problem } from '../../model/errors.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { nounOf } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import type { RecordKind } from './recordKind.ts';

/** The record, locked for change; 404 when the caller cannot see it, 403 when it may be seen but not changed. */
export async function findWritable(
  call: Call,
  kind: RecordKind,
  id: number,
  lock: 'change' | 'delete' = 'change',
): Promise<Row> {
  const names = namesWithTenant(kind);
  const record = await findRecord(call.db, kind.table, call.scope, id, names, { use: 'write', lock });
  if (record) return record;
  const visible = await findRecord(call.db, kind.table, call.visible, id, kind.names);
  if (visible)
    throw new Problem(
      'forbidden',
      `You may see this ${nounOf(kind.table)} but not change it: it is not your tenant's.`,
    );
  throw notFound(kind);
}

/** Everything of the record that may be read, for the audit log. */
export function auditedOf(kind: RecordKind, record: Row): Row {
  return { ...shownOf(kind, record), ...pick(record, kind.details) };
}

/** The record as its readers see it, without what was read along. */
export function shownOf(kind: RecordKind, record: Row): Row {
  return pick(record, kind.names);
}

function pick(record: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}

/** The same words whether the record is missing, deleted or another tenant's. */
export function notFound(kind: RecordKind): Problem {
  return new Problem('not-found', `There is no such ${nounOf(kind.table)}.`);
}

const extended = new WeakMap<RecordKind, readonly string[]>();

export function namesWithTenant(kind: RecordKind): readonly string[] {
  const lacksTenant = !kind.names.includes('tenantId') && kind.table.members.tenantId !== undefined;
  const names = extended.get(kind) ?? [...kind.names, ...kind.details, ...(lacksTenant ? ['tenantId'] : [])];
  extended.set(kind, names);
  return names;
}
