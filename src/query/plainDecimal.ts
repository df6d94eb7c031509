/**
 * Whether a text is a plain decimal number, as detectors store amounts: an optional sign, up to 78 digits (the most that
 * 256 bits have) and up to 78 behind a point. In a dynamic member, such a text is a number. Stored, so it may never change.
 */
export function isPlainDecimal(text: string): boolean {
  return plain.test(text);
}

/** The same as PostgreSQL and its JSON paths read it. */
export const plainDecimal = '^[+-]?[0-9]{1,78}([.][0-9]{1,78})?$';

const plain = new RegExp(plainDecimal);
