/** Count, mean and sum of squared deviations of numbers that come one by one, kept by Welford's method. */
export type Series = [count: number, mean: number, squares: number];

export const emptySeries: Series = [0, 0, 0];

/** Beyond `keep` numbers an old one weighs less with each new one, so that the mean follows the times. */
export function extendSeries([count, mean, squares]: Series, value: number, keep: number): Series {
  const isFull = count >= keep;
  const before = isFull ? keep - 1 : count;
  const spread = isFull ? (squares * before) / count : squares;
  const next = mean + (value - mean) / (before + 1);
  return [before + 1, next, spread + (value - mean) * (value - next)];
}

/**
 * How many standard deviations a number is away from the mean. What hardly varies would make a trifle look far away, so that
 * at least 1 % of the mean counts as usual.
 */
export function scoreInSeries([count, mean, squares]: Series, value: number): number {
  if (count < 2) return 0;
  const deviation = Math.max(Math.sqrt(squares / (count - 1)), Math.abs(mean) / 100);
  if (deviation === 0) return value === mean ? 0 : Math.sign(value - mean) * farthest;
  return (value - mean) / deviation;
}

/** JSON has no infinity. */
const farthest = 1e9;
