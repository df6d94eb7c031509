import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until `subscribe` calls back or the signal aborts, at most this long. A signal made by `AbortSignal.any` would leave a
 * listener on `signal` each time.
 */
export async function waitForNews(
  ms: number,
  signal: AbortSignal,
  subscribe: (wake: () => void) => () => void = () => () => {},
): Promise<void> {
  if (signal.aborted) return;
  const waking = new AbortController();
  const wake = () => waking.abort();
  const unsubscribe = subscribe(wake);
  signal.addEventListener('abort', wake, { once: true });
  await sleep(ms, undefined, { signal: waking.signal }).catch(() => undefined);
  signal.removeEventListener('abort', wake);
  unsubscribe();
}
