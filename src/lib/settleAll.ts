/**
 * Waits for every promise and returns all results, or throws the first failure. No promise is left behind that would
 * still use the caller's abandoned transaction.
 */
export async function settleAll<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ -readonly [each in keyof T]: Awaited<T[each]> }> {
  await Promise.allSettled<unknown>(work);
  return Promise.all(work);
}
