import type { Row } from '../store/records.ts';
import { resumeLanes } from '../store/scores/resumeLanes.ts';
import { audit } from './audit.ts';
import type { Call } from './call.ts';
import { findWritable } from './findWritable.ts';
import type { RecordKind } from './recordKind.ts';

/** Tries again what a fault has stopped, without a change of the license. */
export async function resumeScoring(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const { tenantId } = await findWritable(call, kind, id);
  const place = { tenantId: Number(tenantId), instanceId: id };
  await resumeLanes(call.db, place);
  await audit(call, 'instance', 'resume', { id, tenantId: place.tenantId }, undefined, undefined);
  return { id };
}
