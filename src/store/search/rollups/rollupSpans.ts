import { dayMs, quarterMs } from './rollups.ts';

/** Instead of a cut: the numbers count the whole day, or they count its quarters. */
export const wholeDay = 0;
export const everyQuarter = -1;

/** Days from `first` to `last`, all with the same cut. */
export type DaySpan = { cut: number; first: number; last: number };

/** Days in which one bucket begins have a cut; those with several, and those that are not counted as a whole, have all quarters. */
export function rollupSpans(cuts: readonly [number, ...number[]]): DaySpan[] {
  const cutOf = new Map<number, number>();
  for (const [index, time] of cuts.entries()) {
    const day = Math.floor(time / dayMs);
    const isEnd = index === 0 || index === cuts.length - 1;
    const cut = isEnd || cutOf.has(day) ? everyQuarter : (time % dayMs) / quarterMs;
    if (time % dayMs !== 0) cutOf.set(day, cut);
  }
  const spans: DaySpan[] = [];
  const push = (cut: number, first: number, last: number) => {
    const before = spans.at(-1);
    if (first > last) return;
    if (before?.cut === cut) before.last = last;
    else spans.push({ cut, first, last });
  };
  let next = Math.floor(cuts[0] / dayMs);
  for (const [day, cut] of cutOf) {
    push(wholeDay, next, day - 1);
    push(cut, day, day);
    next = day + 1;
  }
  push(wholeDay, next, Math.ceil(cuts.at(-1)! / dayMs) - 1);
  return spans;
}

/** Days before yesterday hardly change any more. */
export function splitSettled(spans: readonly DaySpan[]): { settled: DaySpan[]; others: DaySpan[] } {
  const last = Math.floor(Date.now() / dayMs) - 2;
  const settled = spans.map((span) => ({ ...span, last: Math.min(span.last, last) }));
  const rest = spans.map((span) => ({ ...span, first: Math.max(span.first, last + 1) }));
  const isAny = (span: DaySpan) => span.first <= span.last;
  return { settled: settled.filter(isAny), others: rest.filter(isAny) };
}
