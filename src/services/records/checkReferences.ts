import { groupBy } from '../../lib/groupBy.ts';
import { type Fault, Problem } from '../../model/errors.ts';
import type { Scope } from '../../model/principal.ts';
import { faultLimit } from '../../model/validate.ts';
import { type BindingItem, isItems } from '../../store/records/bindings.ts';
import { lockRecords, type Row } from '../../store/records/records.ts';
import { type Binding, nounOf, type Table } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import type { RecordKind } from './recordKind.ts';

type Reference = { table: Table; tenantId: number | null; id: number; pointer: string };
type Change = { tenantId: number | null; input: Row; pointer: string };

/**
 * Every id in a body must be an existing record of the same tenant; foreign and missing ones are reported alike.
 * Referenced records are locked until the transaction ends against deletion.
 */
export async function checkReferences(
  call: Call,
  kind: RecordKind,
  changes: readonly Change[],
): Promise<void> {
  const references = changes.flatMap(({ tenantId, input, pointer }): Reference[] =>
    [...ownReferences(kind, input, pointer), ...bindingReferences(kind.table.bindings, input, pointer)].map(
      (reference) => ({ ...reference, tenantId }),
    ),
  );
  const faults: Fault[] = [];
  for (const [table, ofTable] of groupBy(references, (reference) => reference.table))
    for (const [tenantId, ofTenant] of groupBy(ofTable, (reference) => reference.tenantId)) {
      const ids = [...new Set(ofTenant.map((reference) => reference.id))];
      const records = await lockRecords(call.db, table, scopeFor(call, table, tenantId), ids, 'read');
      const message = `There is no ${nounOf(table)} with this id.`;
      for (const { id, pointer } of ofTenant)
        if (!records.has(id)) faults.push({ pointer, code: 'unknown-reference', message });
    }
  const listed = faults.slice(0, faultLimit);
  if (listed.length > 0)
    throw new Problem(
      'unprocessable',
      listed.map((fault) => `${fault.pointer}: ${fault.message}`).join(' '),
      { errors: listed },
    );
}

/** Inside a tenant only its own records count, for every caller; the platform's records follow the caller's scope. */
function scopeFor(call: Call, table: Table, tenantId: number | null): Scope {
  const isTenants = table.members.tenantId !== undefined && tenantId !== null;
  return isTenants ? { all: false, tenantIds: [tenantId], organisationIds: [] } : call.visible;
}

type Named = Omit<Reference, 'tenantId'>;

function ownReferences(kind: RecordKind, input: Row, pointer: string): Named[] {
  return Object.entries(kind.references).flatMap(([member, table]): Named[] => {
    const id = input[member];
    return typeof id === 'number' ? [{ table, id, pointer: `${pointer}/${member}` }] : [];
  });
}

function bindingReferences(
  bindings: readonly Binding[],
  holder: Row | BindingItem,
  pointer: string,
): Named[] {
  return bindings.flatMap((binding) => {
    const items = holder[binding.member];
    if (!isItems(items)) return [];
    return items.flatMap((item, index) => {
      const itemPointer = `${pointer}/${binding.member}/${index}`;
      const itemReferences = Object.entries(binding.items).flatMap(([member, { references }]): Named[] => {
        const id = item[member];
        return references && typeof id === 'number'
          ? [{ table: references(), id, pointer: `${itemPointer}/${member}` }]
          : [];
      });
      return [...itemReferences, ...bindingReferences(binding.bindings, item, itemPointer)];
    });
  });
}
