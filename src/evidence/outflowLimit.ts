import { compareDecimal, multiplyDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { compareToLimit } from './amounts.ts';
import { baselineOf, largestBefore, type Outflows } from './outflows.ts';

export type OutflowLimit = {
  /** Whole tokens, or a share of the largest balance in the window. */
  readonly limit: string;
  /** Multiple of what is usual. */
  readonly factor?: number;
  /** Undefined where they cannot be read: the limit counts as reached then. */
  decimals(): number | undefined;
};

export function exceededBy(
  { limit, factor, decimals }: OutflowLimit,
  sum: bigint,
  flows: Outflows,
): 'limit' | 'baseline' | undefined {
  const before = largestBefore(flows);
  // Nothing was there to take a share of: what left had come in between.
  const hasShare = !limit.endsWith('%') || before > 0n;
  if (hasShare && compareToLimit(limit, sum, before, decimals) > 0) return 'limit';
  const baseline = factor === undefined ? undefined : baselineOf(flows);
  if (factor === undefined || baseline === undefined || sum <= baseline.largest) return undefined;
  const most = multiplyDecimal(parseDecimal(factor), toDecimal(baseline.usual));
  return compareDecimal(toDecimal(sum), most) > 0 ? 'baseline' : undefined;
}

/** A sum that hovers at the limit is one event. */
export function isOverStill(limit: OutflowLimit, sum: bigint, flows: Outflows): boolean {
  return exceededBy(limit, (sum * 5n) / 4n, flows) !== undefined;
}

/** Money that comes in as fast as it goes out is no drain. */
export function hasFallen(limit: string, flows: Outflows, balance: () => bigint): boolean {
  if (!limit.endsWith('%')) return true;
  const before = largestBefore(flows);
  return compareToLimit(limit, ((before - balance()) * 5n) / 4n, before, () => 0) >= 0;
}
