/**
 * Waits for every promise and returns all results, or throws the first failure: one that fails does not stop the others, and leaves
 * none behind that would still use a transaction which the caller gives up.
 */
export async function settleAll<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ -readonly [each in keyof T]: Awaited<T[each]> }> {
  await Promise.allSettled<unknown>(work);
  return Promise.all(work);
}
