/** Scores are whole millionths, so that adding and taking away again gives the same number bit for bit. */
const unit = 1e6;

export type Bounds = { min: number; max: number };

/** What a change that a script asks for does to a score, within the bounds of the license. */
export function applyChange(
  base: number,
  asked: number,
  { min, max }: Bounds,
): { score: number; scoreChange: number } {
  const before = toMillionths(base);
  const after = Math.min(Math.max(before + toMillionths(asked), toMillionths(min)), toMillionths(max));
  return { score: after / unit, scoreChange: difference(after, before) };
}

/** The nearest score to a number that a script gave; beyond the widest bounds one is as good as the other. */
export function toScore(value: number): number {
  return (toMillionths(Math.min(Math.max(value, -widest), widest)) + 0) / unit;
}

/** The change that leads from one score to another. */
export function changeBetween(before: number, after: number): number {
  return difference(toMillionths(after), toMillionths(before));
}

const widest = 2e9;

function difference(after: number, before: number): number {
  return (after - before) / unit;
}

/** Never -0, which would be written as 0 and come back as another number. */
function toMillionths(value: number): number {
  return Math.round(value * unit) + 0;
}
