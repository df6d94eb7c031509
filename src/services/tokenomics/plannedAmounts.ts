import { addDecimal, type Decimal, formatDecimal, parseDecimal } from '../../lib/decimal.ts';

/** An amount that holds from a time on, until the next one of its line. */
export type Point = { timestamp: number; amount: string };

/** Running totals of releases; releases of the same time are one step. */
export function sumLines(releases: readonly Point[]): Point[] {
  const points: Point[] = [];
  let sum: Decimal = parseDecimal('0');
  for (const { timestamp, amount } of sortByTime(releases)) {
    sum = addDecimal(sum, parseDecimal(amount));
    if (points.at(-1)?.timestamp === timestamp) points.pop();
    points.push({ timestamp, amount: formatDecimal(sum) });
  }
  return points;
}

export function sortByTime(points: readonly Point[]): Point[] {
  return points.toSorted((left, right) => left.timestamp - right.timestamp);
}

/** Amount of a line at a time: 0 before its first point, and null without a line. */
export function amountAt(line: readonly Point[], time: number): string | null {
  if (line.length === 0) return null;
  return line.findLast(({ timestamp }) => timestamp <= time)?.amount ?? '0';
}

/** The part of a line in a range of time; it opens with what holds at the start. */
export function sliceLine(line: readonly Point[], from: number | undefined, to = Number.POSITIVE_INFINITY) {
  const inside = line.filter(({ timestamp }) => timestamp >= (from ?? 0) && timestamp <= to);
  if (from === undefined || inside[0]?.timestamp === from) return inside;
  const opening = amountAt(line, from);
  return opening === null ? inside : [{ timestamp: from, amount: opening }, ...inside];
}
