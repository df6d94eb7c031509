/**
 * True for a plain decimal number as detectors store amounts: an optional sign, up to 78 digits (256 bits) and 78
 * decimals. Such a text counts as a number. Stored, so it must not change.
 */
export function isPlainDecimal(text: string): boolean {
  return plain.test(text);
}

/** The same as PostgreSQL and its JSON paths read it. */
export const plainDecimal = '^[+-]?[0-9]{1,78}([.][0-9]{1,78})?$';

const plain = new RegExp(plainDecimal);
