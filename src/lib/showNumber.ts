/** A whole number in a sentence: `5`, or `1.2346 × 10^18` for one of more digits than anyone reads. */
export function showNumber(value: bigint): string {
  const digits = value.toString().replace('-', '');
  if (digits.length < tooLong) return value.toString();
  const bits = value.toString(2).length;
  if (bits >= 64 && value + 1n === 2n ** BigInt(bits)) return `2^${bits} − 1`;
  const fraction = digits.slice(1, 5).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits[0]}${fraction && `.${fraction}`} × 10^${digits.length - 1}`;
}

/** A number that names something, such as a proposal: both ends of a long one. */
export function showId(value: unknown): string {
  const digits = String(value);
  return digits.length < tooLong ? digits : `${digits.slice(0, 4)}…${digits.slice(-4)}`;
}

const tooLong = 12;
