import { decimalParts } from './decimalParts.ts';

/**
 * A text that stands for a decimal number: keys are in the order of code points as their numbers are, exactly, and equal numbers
 * have one key. Numbers of any length are so compared without arithmetic.
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
