import { decimalParts } from '../decimalParts.ts';
import { parseNumber } from './numbers.ts';

/** A number of a query with all its digits, as JSON and SQL read it; undefined if the text is none. */
export function exactNumber(text: string): string | undefined {
  if (parseNumber(text) === undefined) return undefined;
  const { isNegative, digits, magnitude } = decimalParts(text);
  if (digits === '') return '0';
  // No value has so many digits, so that any digit behind them tells it from all that are shorter.
  const significant = digits.length > maxDigits ? `${digits.slice(0, maxDigits)}1` : digits;
  return `${isNegative ? '-' : ''}0.${significant}e${magnitude}`;
}

const maxDigits = 400;
