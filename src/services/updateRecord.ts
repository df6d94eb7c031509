import { Problem } from '../model/errors.ts';
import { isItems, writeBindings } from '../store/bindings.ts';
import { findRecord, type Row, updateRecord as updateRow } from '../store/records.ts';
import { audit } from './audit.ts';
import type { Call } from './call.ts';
import { checkReferences } from './checkReferences.ts';
import { orConflict } from './createRecord.ts';
import { findWritable, shownOf } from './findWritable.ts';
import type { RecordKind } from './recordKind.ts';

/** Changes the members that are present and keeps the rest; the whole change is one step. */
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
    throw new Problem('illegal-transition', 'A record is deleted by DELETE, not by setting its status.');
  }
  const tenantId = typeof current.tenantId === 'number' ? current.tenantId : null;
  await checkReferences(call, kind, tenantId, input);
  const change = { id, tenantId, input, current };
  const values = kind.prepare ? await kind.prepare(call, change) : input;
  await orConflict(kind.table, () => writeChange(call, kind, { tenantId, id }, values));
  await kind.finish?.(call, change, id);
  const record = await findRecord(call.db, kind.table, call.scope, id, kind.names, { use: 'write' });
  if (!record) throw new Error(`The changed ${kind.table.kind} ${id} cannot be read back.`);
  await audit(call, kind.table.kind, 'update', { id, tenantId }, shownOf(kind, current), record);
  return record;
}

async function writeChange(
  call: Call,
  kind: RecordKind,
  owner: { tenantId: number | null; id: number },
  values: Row,
): Promise<void> {
  const bindings = kind.table.bindings ?? [];
  const columns = Object.fromEntries(
    Object.entries(values).filter(([name]) => !bindings.some((binding) => binding.member === name)),
  );
  await updateRow(call.db, kind.table, call.scope, owner.id, { ...columns, updatedAt: call.now });
  for (const binding of bindings) {
    const items = values[binding.member];
    if (isItems(items) && owner.tenantId !== null) {
      const place = { tenantId: owner.tenantId, id: owner.id };
      await writeBindings(call.db, binding, place, items, call.now, `/${binding.member}`);
    }
  }
}
