import { Problem } from '../model/errors.ts';
import { findRecord } from '../store/records.ts';
import { nounOf, type Table } from '../store/table.ts';
import type { Call } from './call.ts';

const names = ['id', 'tenantId'] as const;

/** The record that a report is about, if the caller may see it; missing and another tenant's are told alike. */
export async function findReadable(
  call: Call,
  table: Table,
  id: number,
): Promise<{ id: number; tenantId: number }> {
  const record = await findRecord(call.db, table, call.scope, id, names);
  if (!record) throw new Problem('not-found', `There is no such ${nounOf(table)}.`);
  return { id: Number(record.id), tenantId: Number(record.tenantId) };
}
