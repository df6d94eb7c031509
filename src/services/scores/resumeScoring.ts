import type { Row } from '../../store/records/records.ts';
import { resumeLanes } from '../../store/scores/resumeLanes.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';

/** Retries an instance that a fault has stopped, without a change of the license. */
export async function resumeScoring(call: Call, kind: RecordKind, id: number): Promise<Row> {
  const { tenantId } = await findWritable(call, kind, id);
  const instance = { tenantId: Number(tenantId), instanceId: id };
  await resumeLanes(call.db, instance);
  await audit(call, 'instance', 'resume', { id, tenantId: instance.tenantId }, undefined, undefined);
  return { id };
}
