/** Runs the work at most once in this time, and only when it is asked to. */
export function createThrottle(everyMs: number): (work: () => Promise<unknown>) => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (work) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    await work();
  };
}
