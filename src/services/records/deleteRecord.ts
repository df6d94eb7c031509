import { deleteRecords, type Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from './audit.ts';
import { findWritable, shownOf } from './findWritable.ts';
import type { RecordKind } from './recordKind.ts';

/** Marks the record and all it owns as deleted. */
export async function deleteRecord(
  call: Call,
  kind: RecordKind,
  id: number,
  precondition: (current: Row) => void,
): Promise<Row> {
  const current = await findWritable(call, kind, id, 'delete');
  precondition(current);
  await kind.beforeDelete?.(call, current);
  const deleted = await deleteRecords(call.db, kind.table, [id], call.now);
  const tenantId = typeof current.tenantId === 'number' ? current.tenantId : null;
  await audit(call, kind.table.kind, 'delete', { id, tenantId }, shownOf(kind, current), undefined, {
    deleted,
  });
  return current;
}
