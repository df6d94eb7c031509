import { timedUid } from '../lib/uid.ts';

/** Scores are whole millionths, so that adding and subtracting the same change returns exactly the same number. */
const unit = 1e6;

export type Bounds = { min: number; max: number };

/** Applies the change that a script requests to a score, within the bounds of the license. */
export function applyChange(
  base: number,
  requested: number,
  { min, max }: Bounds,
): { score: number; scoreChange: number } {
  const before = toMillionths(base);
  const after = Math.min(Math.max(before + toMillionths(requested), toMillionths(min)), toMillionths(max));
  return { score: after / unit, scoreChange: difference(after, before) };
}

/** The score nearest to a number that a script returned, within the range of all licenses. */
export function toScore(value: number): number {
  return (toMillionths(Math.min(Math.max(value, -scoreRange), scoreRange)) + 0) / unit;
}

/** The change that leads from one score to another. */
export function changeBetween(before: number, after: number): number {
  return difference(toMillionths(after), toMillionths(before));
}

const scoreRange = 2e9;

function difference(after: number, before: number): number {
  return (after - before) / unit;
}

/** Never -0, which would be stored as 0 and read back as another number. */
function toMillionths(value: number): number {
  return Math.round(value * unit) + 0;
}

/** Deterministic: the same change always gets the same uid. */
export function scoreUid(change: {
  tenantId: number;
  instanceId: number;
  timestamp: number;
  i: number;
}): string {
  const { tenantId, instanceId, timestamp, i } = change;
  return timedUid(timestamp, ['score', tenantId, instanceId, timestamp, i]);
}
