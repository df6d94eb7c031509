import { Problem } from '../../model/errors.ts';
import type { Row } from '../../store/records/records.ts';
import { findScoreChange, tagScoreChange } from '../../store/scores/scoreRecords.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

/** Changes the tags of a score change, its only member that can change. */
export async function tagScore(
  call: Call,
  change: { index: string; uid: string },
  tags: string[] | undefined,
  names: readonly string[],
  check: (current: Row) => void,
): Promise<Row> {
  const before = await findScoreChange(call.db, call.scope, change, names);
  if (!before) throw new Problem('not-found', 'There is no such score change.');
  check(before);
  if (tags === undefined) return before;
  const tenantId = Number(before.tenantId);
  const former = Array.isArray(before.tags) ? before.tags.map(String) : [];
  const key = { tenantId, timestamp: Number(before.timestamp), uid: change.uid };
  await tagScoreChange(call.db, key, former, tags);
  const after = { ...before, tags };
  await audit(call, 'score', 'update', { id: null, tenantId }, before, after, { uid: change.uid });
  return after;
}
