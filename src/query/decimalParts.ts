/** A decimal number as `0.digits × 10^magnitude`, without zeros at either end; zero has no digits. */
type DecimalParts = { readonly isNegative: boolean; readonly digits: string; readonly magnitude: number };

/** Reads a decimal number as queries and JSON write it: with an optional sign, fraction and exponent. */
export function decimalParts(number: string): DecimalParts {
  const [, sign, whole = '', fraction = '', exponent = '0'] = pattern.exec(number) ?? [];
  const digits = whole + fraction;
  let first = 0;
  let end = digits.length;
  while (digits[first] === '0') first += 1;
  while (end > first && digits[end - 1] === '0') end -= 1;
  return {
    isNegative: sign === '-',
    digits: digits.slice(first, end),
    magnitude: Math.max(-maxMagnitude, Math.min(maxMagnitude, whole.length - first + Number(exponent))),
  };
}

/** Doubles reach from -323 to 309, plain decimals from -77 to 78: beyond them, more makes no difference. */
const maxMagnitude = 400;
const pattern = /^([+-])?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;
