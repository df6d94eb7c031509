import { median } from './robustSeries.ts';

/** Counts of the last slices of a window that slides, and of whole windows by the calendar that lie before. */
export type WindowCounts = {
  readonly slices: readonly (readonly [slice: number, hits: number, all: number])[];
  readonly past?: readonly number[];
  readonly running?: readonly [window: number, hits: number];
};

const slicesPerWindow = 50;
const maxPastWindows = 48;
const minPastWindows = 3;

/** Keeps the state small on busy contracts: the window moves on by a slice at a time. */
export function countEvent(
  { slices, past = [], running }: WindowCounts,
  moment: number,
  windowMs: number,
  isHit: boolean,
): Required<WindowCounts> {
  const slice = Math.floor((moment * slicesPerWindow) / windowMs);
  const recent = slices.filter(([time]) => time >= slice - slicesPerWindow && time !== slice);
  const [, hits, all] = slices.find(([time]) => time === slice) ?? [slice, 0, 0];
  const window = Math.floor(moment / windowMs);
  const [last, sum] = running ?? [window, 0];
  const quiet = Array<number>(Math.min(maxPastWindows, Math.max(0, window - last - 1))).fill(0);
  const over = window > last ? [...past, sum, ...quiet].slice(-maxPastWindows) : past;
  const hit = isHit ? 1 : 0;
  return {
    slices: [...recent, [slice, hits + hit, all + 1]],
    past: over,
    running: [window, (window > last ? 0 : sum) + hit],
  };
}

/** Hits in the window now, and the time of the first, to a fiftieth of the window. */
export function countWithin({ slices }: WindowCounts, windowMs: number) {
  const first = slices.find(([, hits]) => hits > 0)?.[0] ?? 0;
  return {
    hits: slices.reduce((sum, [, hits]) => sum + hits, 0),
    all: slices.reduce((sum, [, , all]) => sum + all, 0),
    firstAt: Math.ceil((first * windowMs) / slicesPerWindow),
  };
}

/**
 * The most hits of a window that are still usual, by the median and MAD of the windows before and at least as rare events
 * scatter; undefined while there are too few windows.
 */
export function usualMost({ past = [] }: WindowCounts): number | undefined {
  if (past.length < minPastWindows) return undefined;
  const middle = median(past);
  const mad = median(past.map((count) => Math.abs(count - middle)));
  return middle + 6 * Math.max(1.4826 * mad, Math.sqrt(middle));
}
