/**
 * Runs work that is aborted after the time limit, or when `signal` aborts. A signal made by `AbortSignal.any` would
 * leave a listener on `signal` for as long as that lives.
 */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  timeLimitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort(signal.reason);
  const timer = setTimeout(
    () => limit.abort(new DOMException('The operation timed out.', 'TimeoutError')),
    timeLimitMs,
  );
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** The result of the work, or of `onTimeout` where it takes longer than this; the work itself goes on. */
export async function settleWithin<T, U>(
  timeLimitMs: number,
  work: Promise<T>,
  onTimeout: () => U | Promise<U>,
): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeLimitMs, 'late');
  });
  try {
    const settled = await Promise.race([work.then((result) => ({ result })), late]);
    return settled === 'late' ? await onTimeout() : settled.result;
  } finally {
    clearTimeout(timer);
  }
}
