import type { DaySpan } from './rollupSpans.ts';
import { dayMs, monthBase } from './rollups.ts';

/** Instead of a cut: rows of packed months. */
export const wholeMonth = -2;

/** Months of these days, without repeats. */
export function monthSpans(spans: readonly DaySpan[]): DaySpan[] {
  const months: DaySpan[] = [];
  for (const { first, last } of spans.toSorted((a, b) => a.first - b.first)) {
    const [from, to] = [monthBase + firstOfMonth(first), monthBase + last];
    const before = months.at(-1);
    if (before && from <= before.last) before.last = Math.max(before.last, to);
    else months.push({ cut: wholeMonth, first: from, last: to });
  }
  return months;
}

function firstOfMonth(day: number): number {
  const date = new Date(day * dayMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / dayMs;
}

/** Visits the counts of a packed month in the order of time. Its numbers have four bytes, so that shifts are exact. */
export function unpackMonth(
  monthDay: number,
  numbers: readonly number[],
  visit: (day: number, quarter: number, cell: number, count: number) => void,
): void {
  const first = monthDay - monthBase;
  for (const number of numbers)
    visit(first + ((number >> 12) & 31), (number >> 5) & 127, number & 31, number >> 17);
}
