import { type Fault, Problem } from '../../model/errors.ts';
import type { Scope } from '../../model/principal.ts';
import { type BindingItem, isItems } from '../../store/records/bindings.ts';
import { lockRecords, type Row } from '../../store/records/records.ts';
import { type Binding, nounOf, type Table } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import type { RecordKind } from './recordKind.ts';

type Reference = { table: Table; id: number; pointer: string };

/**
 * Every id in a body must be an existing record of the same tenant; foreign and missing ones are reported alike.
 * Referenced records are locked until the transaction ends against deletion.
 */
export async function checkReferences(
  call: Call,
  kind: RecordKind,
  tenantId: number | null,
  input: Row,
): Promise<void> {
  const references = [...ownReferences(kind, input), ...bindingReferences(kind.table.bindings, input, '')];
  const faults: Fault[] = [];
  for (const table of new Set(references.map((reference) => reference.table))) {
    const ofTable = references.filter((reference) => reference.table === table);
    const ids = [...new Set(ofTable.map((reference) => reference.id))];
    const records = await lockRecords(call.db, table, scopeFor(call, table, tenantId), ids, 'read');
    for (const { id, pointer } of ofTable) {
      if (records.has(id)) continue;
      faults.push({
        pointer,
        code: 'unknown-reference',
        message: `There is no ${nounOf(table)} with this id.`,
      });
    }
  }
  if (faults.length > 0) {
    throw new Problem(
      'unprocessable',
      faults.map((fault) => `${fault.pointer}: ${fault.message}`).join(' '),
      {
        errors: faults,
      },
    );
  }
}

/** Inside a tenant only its own records count, for every caller; the platform's records follow the caller's scope. */
function scopeFor(call: Call, table: Table, tenantId: number | null): Scope {
  const isTenants = table.members.tenantId !== undefined && tenantId !== null;
  return isTenants ? { all: false, tenantIds: [tenantId], organisationIds: [] } : call.visible;
}

function ownReferences(kind: RecordKind, input: Row): Reference[] {
  return Object.entries(kind.references).flatMap(([member, table]): Reference[] => {
    const id = input[member];
    return typeof id === 'number' ? [{ table, id, pointer: `/${member}` }] : [];
  });
}

function bindingReferences(
  bindings: readonly Binding[],
  holder: Row | BindingItem,
  pointer: string,
): Reference[] {
  return bindings.flatMap((binding) => {
    const items = holder[binding.member];
    if (!isItems(items)) return [];
    return items.flatMap((item, index) => {
      const itemPointer = `${pointer}/${binding.member}/${index}`;
      const itemReferences = Object.entries(binding.items).flatMap(
        ([member, { references }]): Reference[] => {
          const id = item[member];
          return references && typeof id === 'number'
            ? [{ table: references(), id, pointer: `${itemPointer}/${member}` }]
            : [];
        },
      );
      return [...itemReferences, ...bindingReferences(binding.bindings, item, itemPointer)];
    });
  });
}
