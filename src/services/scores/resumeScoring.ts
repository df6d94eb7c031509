import type { Row } from '../../store/records/records.ts';
import { resumeLanes } from '../../store/scores/resumeLanes.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';

/** Tries again what a fault has stopped, without a change of the license. */
export async function resumeScoring(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const { tenantId } = await findWritable(call, kind, id);
  const place = { tenantId: Number(tenantId), instanceId: id };
  await resumeLanes(call.db, place);
  await audit(call, 'instance', 'resume', { id, tenantId: place.tenantId }, undefined, undefined);
  return { id };
}
