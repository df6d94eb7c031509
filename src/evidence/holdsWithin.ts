import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
} from '../lib/decimal.ts';
import type { Comparison } from './splitComparison.ts';

/** Whether a comparison holds when it may be missed by an amount (`5`), or by a share of the right side (`0.1%`). */
export function holdsWithin(
  left: Decimal,
  operator: Comparison['operator'],
  right: Decimal,
  tolerance: string,
): boolean {
  const slack = slackOf(right, tolerance);
  const gap = subtractDecimal(left, right);
  switch (operator) {
    case '==':
      return compareDecimal(absoluteDecimal(gap), slack) <= 0;
    case '!=':
      return compareDecimal(absoluteDecimal(gap), slack) > 0;
    case '<':
      return compareDecimal(gap, slack) < 0;
    case '<=':
      return compareDecimal(gap, slack) <= 0;
    case '>':
      return compareDecimal(negative(gap), slack) < 0;
    case '>=':
      return compareDecimal(negative(gap), slack) <= 0;
  }
}

function slackOf(right: Decimal, tolerance: string): Decimal {
  if (!tolerance.endsWith('%')) return parseDecimal(tolerance);
  const share = parseDecimal(tolerance.slice(0, -1).trimEnd());
  return multiplyDecimal(multiplyDecimal(absoluteDecimal(right), share), parseDecimal('0.01'));
}

function negative({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}
