/**
 * Usual values of a recurring number: the count, the least and the largest (which fade slowly), and the last few.
 * Logarithms but for the count, because gas, fees and sizes vary by factors.
 */
export type RobustSeries = readonly [count: number, low: number, high: number, recent: readonly number[]];

export const emptySeries: RobustSeries = [0, 0, 0, []];

const keptRecent = 40;
/** After so many numbers an extreme has lost two thirds of its distance. */
const fading = 2_000;

export function extendSeries([count, low, high, recent]: RobustSeries, value: number): RobustSeries {
  const x = toLog(value);
  const next = [...recent, x].slice(-keptRecent);
  if (count === 0) return [1, x, x, next];
  const middle = median(next);
  const fade = (extreme: number) => round(middle + (extreme - middle) * (1 - 1 / fading));
  return [count + 1, Math.min(x, fade(low)), Math.max(x, fade(high)), next];
}

export type SeriesJudgement = { usual: number; score: number };

/**
 * Distance of a number from the usual in robust deviations (median and MAD). Undefined unless it exceeds everything
 * before by this factor, because numbers with several modes are not odd within them.
 */
export function judgeInSeries(
  [, low, high, recent]: RobustSeries,
  value: number,
  factor = 1.5,
): SeriesJudgement | undefined {
  const x = toLog(value);
  const beyond = Math.log(factor);
  if (recent.length === 0 || (x <= high + beyond && x >= low - beyond)) return undefined;
  const middle = median(recent);
  const mad = median(recent.map((value) => Math.abs(value - middle)));
  return { usual: Math.exp(middle) - 1, score: (x - middle) / Math.max(1.4826 * mad, leastSpread) };
}

/** Lower bound, because in a nearly constant series a trifle would look far away. */
const leastSpread = 0.05;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function toLog(value: number): number {
  return round(Math.log(1 + value));
}

/** Keeps what is stored short. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
