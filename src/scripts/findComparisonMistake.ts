import { nearest } from '../lib/nearest.ts';
import type { Mistake, ValueShape } from './valueShape.ts';

type Side = {
  /** As it is written. */
  text: string;
  shape: ValueShape;
  /** The number or text that is written there. */
  constant: number | string | undefined;
};

const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const equalities = ['==', '===', '!=', '!=='];

/** The mistake in a comparison with a constant: a comparison with the same result for every alert is no test. */
export function findComparisonMistake(left: Side, operator: string, right: Side): Mistake | undefined {
  if (!equalities.includes(operator) && !mirrored[operator]) return undefined;
  if (right.constant !== undefined) return compare(left, operator, right.constant);
  if (left.constant !== undefined) return compare(right, mirrored[operator] ?? operator, left.constant);
  return undefined;
}

function compare({ text, shape }: Side, operator: string, constant: number | string): Mistake | undefined {
  if (shape.type === 'text')
    return typeof constant === 'number'
      ? toFault(`${text} is a text, never a number${numberHint(text, shape, operator, constant)}`)
      : compareText(text, shape, operator, constant);
  if (shape.type !== 'number') return undefined;
  if (typeof constant === 'string')
    return operator === '===' || operator === '!=='
      ? toFault(`${text} is a number, never the text ${JSON.stringify(constant)}`)
      : undefined;
  return compareNumber(text, shape.numbers, operator, constant);
}

type TextShape = Extract<ValueShape, { type: 'text' }>;

function compareText(
  text: string,
  shape: TextShape,
  operator: string,
  constant: string,
): Mistake | undefined {
  const { words } = shape;
  if (!words) return undefined;
  if (!equalities.includes(operator))
    return toFault(
      `${text} is a word, and words compare by the alphabet${numberHint(text, shape, operator, constant)}`,
    );
  if (words.includes(constant)) return undefined;
  const guess =
    words.find((word) => word.toLowerCase() === constant.toLowerCase()) ?? nearest(constant, words);
  const hint = guess ? `did you mean ${JSON.stringify(guess)}? It` : 'it';
  const list = words.length > 20 ? '' : `; ${hint} is one of ${words.join(', ')}`;
  return toFault(`${text} is never ${JSON.stringify(constant)}${list}`);
}

/** `e.severity >= 0.5` was meant as `e.numericSeverity >= 50`. */
function numberHint(text: string, shape: TextShape, operator: string, constant: number | string): string {
  const { words, number } = shape;
  if (!number) return words && words.length <= 20 ? `; it is one of ${words.join(', ')}` : '';
  const meant =
    typeof constant === 'string'
      ? number.of[constant.toUpperCase()]
      : constant <= 1
        ? constant * 100
        : constant;
  const path = text.replace(/\w+$/, number.member);
  return `; write ${path} ${operator} ${meant ?? Object.values(number.of).at(-1)} (${listNumbers(number.of)})`;
}

function listNumbers(numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([word, number]) => `${word} ${number}`)
    .join(', ');
}

function compareNumber(
  text: string,
  numbers: readonly number[] | undefined,
  operator: string,
  constant: number,
): Mistake | undefined {
  if (!numbers) return undefined;
  const results = new Set(numbers.map((number) => holds(number, operator, constant)));
  if (results.size > 1) return undefined;
  const outcome = results.has(true) ? 'always' : 'never';
  return {
    message: `${text} ${operator} ${constant} is ${outcome} true; ${text} is one of ${numbers.join(', ')}`,
    isFault: outcome === 'never',
  };
}

function holds(left: number, operator: string, right: number): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '!=':
    case '!==':
      return left !== right;
    default:
      return left === right;
  }
}

function toFault(message: string): Mistake {
  return { message, isFault: true };
}
