import { readQuality as findQuality, type Quality, qualityDays } from '../../store/alerts/judgements.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';

const dayMs = 86_400_000;

/** The precision of a detector, and how long its alerts waited for someone. */
export async function readQuality(
  call: Call,
  id: number,
): Promise<Quality & { precision: number | null; total: number }> {
  const key = await findReadable(call, detectorTable, id);
  const quality = await findQuality(call.db, key, call.now - qualityDays * dayMs);
  const { TRUE, BENIGN, KNOWN, TEST } = quality.judged;
  // A test says nothing about what a detector finds in earnest.
  const total = TRUE + BENIGN + KNOWN;
  return { ...quality, total: total + TEST, precision: total === 0 ? null : TRUE / total };
}
