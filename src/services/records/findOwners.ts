import { type Fault, invalid, Problem } from '../../model/errors.ts';
import { faultLimit } from '../../model/validate.ts';
import { lockRecords, type Row, type Use } from '../../store/records/records.ts';
import { nounOf, type Table } from '../../store/tables/table.ts';
import { tenantTable } from '../../store/tables/tenantTable.ts';
import type { Call } from '../call.ts';
import type { RecordKind } from './recordKind.ts';

/** The tenant that a new record belongs to; it must be one that the caller may write for. */
export async function ownerOf(
  call: Call,
  kind: Pick<RecordKind, 'owner'>,
  input: Row,
): Promise<number | null> {
  const [owner = null] = await findOwners(call, kind, [input], () => '');
  return owner;
}

/** The tenant of each of many new records. */
export async function findOwners(
  call: Call,
  { owner }: Pick<RecordKind, 'owner'>,
  inputs: readonly Row[],
  pointerOf: (index: number) => string,
): Promise<(number | null)[]> {
  if (owner === 'platform') return inputs.map(() => null);
  if (typeof owner === 'object') {
    const ids = inputs.map((input) => Number(input[owner.member]));
    const parents = await findParents(call, owner, ids, pointerOf);
    return parents.map((parent) => (typeof parent?.tenantId === 'number' ? parent.tenantId : null));
  }
  const tenantIds = inputs.map(({ tenantId }, index) => {
    const id = typeof tenantId === 'number' ? tenantId : call.principal.tenantId;
    if (id !== null || owner === 'anyone') return id;
    throw invalid(
      `${pointerOf(index)}/tenantId`,
      'required',
      'You belong to no tenant, so `tenantId` must name the one this record is for.',
    );
  });
  // Only administrators change tenants, but callers that may write for one may create records in it.
  await findParents(call, { table: tenantTable, member: 'tenantId', use: 'read' }, tenantIds, pointerOf);
  return tenantIds;
}

type Parent = { table: Table; member: string; use: Use };

/** Finds and locks the records that new ones belong to; none where the id is null. */
async function findParents(
  call: Call,
  { table, member, use }: Parent,
  ids: readonly (number | null)[],
  pointerOf: (index: number) => string,
): Promise<(Row | undefined)[]> {
  const distinct = [...new Set(ids)].flatMap((id) => (id === null ? [] : [id]));
  if (distinct.length === 0) return ids.map(() => undefined);
  const records = await lockRecords(call.db, table, call.scope, distinct, use);
  const message = `There is no ${nounOf(table)} with this id.`;
  const faults = ids.flatMap((id, index): Fault[] => {
    const pointer = `${pointerOf(index)}/${member}`;
    return id === null || records.has(id) ? [] : [{ pointer, code: 'unknown-reference', message }];
  });
  if (faults[0])
    throw new Problem('unprocessable', `${faults[0].pointer}: ${message}`, {
      errors: faults.slice(0, faultLimit),
    });
  return ids.map((id) => (id === null ? undefined : records.get(id)));
}
