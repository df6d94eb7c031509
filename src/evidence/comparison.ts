import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
} from '../lib/decimal.ts';

export type Comparison = { left: string; operator: '<' | '<=' | '>' | '>=' | '==' | '!='; right: string };

/**
 * The two sides of an expression that is one comparison, to show both and apply a tolerance; undefined for anything
 * else, such as operators that bind more loosely.
 */
export function splitComparison(expression: string): Comparison | undefined {
  let match: { at: number; length: number; operator: Comparison['operator'] } | undefined;
  let depth = 0;
  for (let index = 0; index < expression.length; index++) {
    const char = expression.charAt(index);
    // Quotes, templates, comments and regular expressions are not worth reading here.
    if (/["'`\\;]/.test(char) || expression.startsWith('//', index) || expression.startsWith('/*', index))
      return undefined;
    if ('([{'.includes(char)) depth++;
    if (')]}'.includes(char)) depth--;
    if (depth > 0) continue;
    const operator = operators.find((word) => expression.startsWith(word, index));
    if (operator === undefined) continue;
    const comparison = comparisons.get(operator);
    if (loose.has(operator) || (match && comparison)) return undefined;
    if (comparison) match = { at: index, length: operator.length, operator: comparison };
    index += operator.length - 1;
  }
  if (!match || /\breturn\b/.test(expression)) return undefined;
  const left = expression.slice(0, match.at).trim();
  const right = expression.slice(match.at + match.length).trim();
  if (left === '' || right === '') return undefined;
  return { left, operator: match.operator, right };
}

/** Longer ones first, since `<` begins `<=` and `<<`. */
const operators = '=== !== >>> <= >= == != => << >> && || ?? ?. < > = ? , & | ^'.split(' ');
const loose = new Set(['=>', '&&', '||', '??', '=', '?', ',', '&', '|', '^']);
const comparisons = new Map<string, Comparison['operator']>([
  ['===', '=='],
  ['==', '=='],
  ['!==', '!='],
  ['!=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

/** True if a comparison holds with a tolerance: an amount (`5`), or a share of the right side (`0.1%`). */
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
