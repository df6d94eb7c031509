import { decimalParts } from './decimalParts.ts';

/**
 * A text that represents a decimal number: keys sort by code point as the numbers do, and equal numbers share a key. So
 * numbers of any length compare without arithmetic.
 */
export function decimalKey(number: string): string {
  const { isNegative, digits, magnitude } = decimalParts(number);
  if (digits === '') return 'b';
  const key = String(magnitude + middle).padStart(5, '0') + digits;
  // Of negative numbers the greater magnitude comes first, also where one has the digits of the other and more.
  return isNegative ? `a${key.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}~` : `c${key}`;
}

/** Makes every magnitude positive. */
const middle = 50_000;
