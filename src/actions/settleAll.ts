/** Waits for all of it and then throws what went wrong first: one's trouble is not the others'. */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const done = await Promise.allSettled(work);
  const failed = done.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
