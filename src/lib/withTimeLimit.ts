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
