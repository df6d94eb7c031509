import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  toDecimal,
} from './decimal.ts';

/** A threshold: `> 10`, `< -20`, `>= 5%`, `++100`, `>> 1e18`. */
export type Condition = {
  readonly operator: Comparison | '++' | '--';
  readonly amount: Decimal;
  /** A number that carries a sign is compared with its sign; otherwise inequalities look at the size alone. */
  readonly isSigned: boolean;
  /** Compares the change since the previous value, in per cent of that. */
  readonly isPercent: boolean;
  /** Fires once when it begins to hold, and again only after it has ceased to. */
  readonly isEdge: boolean;
};

type Comparison = '=' | '!=' | '>' | '<' | '>=' | '<=';
type Amount = Decimal | bigint | number;
type Sample = { value: Amount; previous?: Amount | undefined; armed?: boolean | undefined };

export class ConditionError extends RangeError {
  override readonly name = 'ConditionError';
  /** Position in the text, counted from 0. */
  readonly position: number;

  constructor(position: number, message: string) {
    super(`At position ${position}: ${message}`);
    this.position = position;
  }
}

export function parseCondition(text: string): Condition {
  const start = text.length - text.trimStart().length;
  const symbol = symbols.find((candidate) => text.startsWith(candidate, start));
  if (symbol === undefined) {
    throw new ConditionError(start, 'a condition begins with one of = != > < >= <= >> << ++ --.');
  }
  const afterSymbol = start + symbol.length;
  const rest = text.slice(afterSymbol);
  const numberAt = afterSymbol + rest.length - rest.trimStart().length;
  const body = rest.trim();
  const isPercent = body.endsWith('%');
  const amount = readAmount(isPercent ? body.slice(0, -1).trimEnd() : body, numberAt);
  const isSigned = body.startsWith('+') || body.startsWith('-');
  const { operator, isEdge } = meanings[symbol];
  if (operator === '++' || operator === '--') {
    if (isSigned) {
      throw new ConditionError(
        numberAt,
        `the number after ${symbol} has no sign: ++ is a rise and -- is a fall.`,
      );
    }
    if (isPercent) {
      const instead = operator === '++' ? '>= +' : '<= -';
      throw new ConditionError(
        text.lastIndexOf('%'),
        `${symbol} compares an amount; for per cent write ${instead}${body}.`,
      );
    }
  }
  return { operator, amount, isSigned, isPercent, isEdge };
}

/** `armed` is what the previous sample answered; what has never been sampled is armed. */
export function evaluateCondition(
  condition: Condition,
  sample: Sample,
): { holds: boolean; fires: boolean; armed: boolean } {
  const holds = doesHold(condition, sample);
  if (!condition.isEdge) return { holds, fires: holds, armed: true };
  return { holds, fires: holds && (sample.armed ?? true), armed: !holds };
}

/** Longer symbols first, since `>` begins `>=` and `>>`. */
const symbols = ['>>', '<<', '>=', '<=', '!=', '++', '--', '=', '>', '<'] as const;
const meanings: Readonly<
  Record<(typeof symbols)[number], { operator: Condition['operator']; isEdge: boolean }>
> = {
  '>>': { operator: '>', isEdge: true },
  '<<': { operator: '<', isEdge: true },
  '>=': { operator: '>=', isEdge: false },
  '<=': { operator: '<=', isEdge: false },
  '!=': { operator: '!=', isEdge: false },
  '++': { operator: '++', isEdge: false },
  '--': { operator: '--', isEdge: false },
  '=': { operator: '=', isEdge: false },
  '>': { operator: '>', isEdge: false },
  '<': { operator: '<', isEdge: false },
};

function readAmount(text: string, position: number): Decimal {
  try {
    return parseDecimal(text);
  } catch {
    const shown = text === '' ? 'nothing' : `'${text.slice(0, 40)}'`;
    throw new ConditionError(
      position,
      `a number such as 10, -2.5, 1_000 or 1e18 belongs here, with % after it for a change in per cent; found ${shown}.`,
    );
  }
}

function doesHold(condition: Condition, sample: Sample): boolean {
  const { operator, amount, isPercent } = condition;
  const value = toExact(sample.value);
  if (operator !== '++' && operator !== '--' && !isPercent) return compare(condition, value, amount);
  if (sample.previous === undefined) return false;
  const previous = toExact(sample.previous);
  const change = subtractDecimal(value, previous);
  if (operator === '++') return isRise(change, amount);
  if (operator === '--') return isRise(subtractDecimal(zero, change), amount);
  if (change.units === 0n) return compare(condition, zero, amount);
  // Both sides times the previous value, because a quotient would have to be rounded; a change from
  // nothing is then more than any per cent in its direction.
  const base = absoluteDecimal(previous);
  if (base.units === 0n) return isBeyond(condition, change);
  return compare(condition, multiplyDecimal(change, hundred), multiplyDecimal(amount, base));
}

const zero = toDecimal(0n);
const hundred = toDecimal(100n);

function toExact(amount: Amount): Decimal {
  if (typeof amount === 'bigint') return toDecimal(amount);
  return typeof amount === 'number' ? parseDecimal(amount) : amount;
}

/** A value that stays where it is has not risen, not even by nothing. */
function isRise(change: Decimal, amount: Decimal): boolean {
  return change.units > 0n && compareDecimal(change, amount) >= 0;
}

function isBeyond({ operator, isSigned }: Condition, change: Decimal): boolean {
  if (operator === '=') return false;
  if (operator === '!=') return true;
  const isUp = !isSigned || change.units > 0n;
  return isUp === (operator === '>' || operator === '>=');
}

function compare({ operator, isSigned }: Condition, value: Decimal, limit: Decimal): boolean {
  const isInequality = operator !== '=' && operator !== '!=';
  const order = compareDecimal(isInequality && !isSigned ? absoluteDecimal(value) : value, limit);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '++':
      return order >= 0;
    case '<=':
    case '--':
      return order <= 0;
  }
}
