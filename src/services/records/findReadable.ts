import { Problem } from '../../model/errors.ts';
import { findOrganisationOf } from '../../store/accounts/users.ts';
import { findRecord } from '../../store/records/records.ts';
import { nounOf, type Table } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';

const names = ['id', 'tenantId'] as const;

/** The record that a report is about, if the caller may see it; missing and another tenant's are reported alike. */
export async function findReadable(
  call: Call,
  table: Table,
  id: number,
): Promise<{ id: number; tenantId: number; isForeign: boolean }> {
  const record = await findRecord(call.db, table, call.scope, id, names);
  if (!record) throw new Problem('not-found', `There is no such ${nounOf(table)}.`);
  const tenantId = Number(record.tenantId);
  return { id: Number(record.id), tenantId, isForeign: await isForeign(call, tenantId) };
}

/** True if the caller sees records of the tenant only because they are shared. */
async function isForeign({ db, scope }: Call, tenantId: number): Promise<boolean> {
  if (scope.all || scope.tenantIds.includes(tenantId)) return false;
  const organisationId = await findOrganisationOf(db, tenantId);
  return organisationId === null || !scope.organisationIds.includes(organisationId);
}
