/** The call data of `decimals()`. */
export const decimalsData = '0x313ce567';

/**
 * Decimals of a token whose answer to `decimals()` says none or makes no sense. Its amounts are then counted in whole units,
 * as block explorers do: a threshold is reached too early rather than never.
 */
export const defaultDecimals = 0;

/** More than 256 bits can count; a larger number would only stretch texts. */
const maxDecimals = 77n;

/** What a token answers to `decimals()`; the default for anything that is no such answer. */
export function readTokenDecimals(data: string | undefined): number {
  if (data === undefined || data.length < 66) return defaultDecimals;
  const decimals = BigInt(data.slice(0, 66));
  return decimals <= maxDecimals ? Number(decimals) : defaultDecimals;
}
