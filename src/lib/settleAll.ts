/** Waits for every promise, then throws the first failure: one that fails does not stop the others. */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
