/** Reports the first error at once, then at most one a minute. */
export function throttlePerMinute<T = unknown>(
  now: () => number,
  report: (error: T) => void,
): (error: T) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (now() < reportedAt + 60_000) return;
    reportedAt = now();
    report(error);
  };
}
