import { Problem } from '../../model/errors.ts';
import { isItems, writeBindings } from '../../store/records/bindings.ts';
import { findRecord, type Row, touchRecord, updateRecord as updateRow } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from './audit.ts';
import { checkReferences } from './checkReferences.ts';
import { auditedOf, findWritable, namesWithTenant, shownOf } from './findWritable.ts';
import type { RecordKind } from './recordKind.ts';
import { translateConflict } from './translateConflict.ts';

/**
 * Changes the members that are present and keeps the rest; the whole change is one step. A request that changes nothing
 * leaves `updatedAt` and makes no audit entry.
 */
export async function updateRecord(
  call: Call,
  kind: RecordKind,
  id: number,
  precondition: (current: Row) => void,
  readInput: (current: Row) => Row,
): Promise<Row> {
  const current = await findWritable(call, kind, id);
  precondition(current);
  const input = readInput(current);
  if (input.status === 'DELETED') {
    throw new Problem(
      'illegal-transition',
      '`status` cannot be set to DELETED: send DELETE to delete the record.',
    );
  }
  const tenantId = typeof current.tenantId === 'number' ? current.tenantId : null;
  await checkReferences(call, kind, [{ tenantId, input, pointer: '' }]);
  const change = { id, tenantId, input, current };
  const values = kind.prepare ? await kind.prepare(call, change) : input;
  const isChanged = await translateConflict(kind.table, () =>
    writeChange(call, kind, { tenantId, id }, values),
  );
  await kind.finish?.(call, [{ change, id }]);
  const names = namesWithTenant(kind);
  const record = await findRecord(call.db, kind.table, call.scope, id, names, { use: 'write' });
  if (!record) throw new Error(`The changed ${kind.table.kind} ${id} cannot be read back.`);
  if (isChanged)
    await audit(
      call,
      kind.table.kind,
      'update',
      { id, tenantId },
      auditedOf(kind, current),
      auditedOf(kind, record),
    );
  return shownOf(kind, record);
}

async function writeChange(
  call: Call,
  kind: RecordKind,
  owner: { tenantId: number | null; id: number },
  values: Row,
): Promise<boolean> {
  const bindings = kind.table.bindings;
  const columns = Object.fromEntries(
    Object.entries(values).filter(([name]) => !bindings.some((binding) => binding.member === name)),
  );
  const isRowChanged = await updateRow(call.db, kind.table, call.scope, owner.id, columns, call.now);
  let isBindingChanged = false;
  for (const binding of bindings) {
    const items = values[binding.member];
    if (isItems(items) && owner.tenantId !== null) {
      const ownerRef = { tenantId: owner.tenantId, id: owner.id };
      const pointer = `/${binding.member}`;
      if (await writeBindings(call.db, binding, ownerRef, items, call.now, pointer)) isBindingChanged = true;
    }
  }
  if (isBindingChanged && !isRowChanged)
    await touchRecord(call.db, kind.table, call.scope, owner.id, call.now);
  return isRowChanged || isBindingChanged;
}
