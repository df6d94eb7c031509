/** The bytes that the word at this place of ABI data points to, as far as they are there; it never fails. */
export function bytesAt(data: string, place: number): string {
  const start = 2 + 2 * sizeAt(data, 2 + 64 * place);
  return `0x${data.slice(start + 64, start + 64 + 2 * sizeAt(data, start))}`;
}

/** The number that begins at this digit; 0 where there is none. */
export function sizeAt(data: string, digit: number): number {
  const word = data.slice(digit, digit + 64);
  return word.length < 64 ? 0 : Number(BigInt(`0x${word}`));
}
