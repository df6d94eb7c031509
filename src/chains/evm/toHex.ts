/** A number as nodes want it. */
export function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
