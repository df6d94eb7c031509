import { itemAt } from '../../lib/itemAt.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { createRecords } from './createRecords.ts';
import type { RecordKind } from './recordKind.ts';

/** Checks, writes, binds and audits a new record; the caller's transaction makes it one step. */
export async function createRecord(call: Call, kind: RecordKind, input: Row): Promise<Row> {
  return itemAt(await createRecords(call, kind, [input], () => ''), 0);
}
