/**
 * Does something that is broken off after some time, or when `ending` says so. A signal made by `AbortSignal.any` would
 * leave a trace in `ending` for as long as that lives.
 */
export async function withTimeLimit<T>(
  ending: AbortSignal,
  timeLimitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort(ending.reason);
  const timer = setTimeout(
    () => limit.abort(new DOMException('The time is over.', 'TimeoutError')),
    timeLimitMs,
  );
  if (ending.aborted) end();
  ending.addEventListener('abort', end, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', end);
  }
}
