import { toVigilError, VigilError } from './VigilError.ts';

export type Attempts = {
  fetch: typeof fetch;
  /** How often a request is repeated that failed for a passing reason. */
  retries: number;
  /** How long one try may take, its answer included. */
  timeoutMs: number;
};

/** A server that asks for more patience than this gets no further try; the error says how long. */
const maxWaitMs = 60_000;
const firstWaitMs = 250;
const longestWaitMs = 8000;

/**
 * Sends a request until its answer is read. A request that may have been carried out is repeated only when that changes nothing;
 * one that was refused by a rate limit always.
 */
export async function fetchWithRetries<T>(
  { fetch, retries, timeoutMs }: Attempts,
  url: string,
  init: RequestInit & { headers: Record<string, string> },
  isRepeatable: boolean,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { signal } = init;
  for (let attempt = 0; ; attempt++) {
    const { value, failure } = await tryOnce();
    if (!failure) return value;
    const waitMs = failure.retryAfterMs ?? backoffMs(attempt);
    if (attempt >= retries || waitMs > maxWaitMs || !isPassing(failure, isRepeatable)) throw failure;
    await wait(waitMs, signal);
  }

  async function tryOnce(): Promise<{ value: T; failure?: undefined } | { value?: T; failure: VigilError }> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      return response.ok ? { value: await read(response) } : { failure: await toVigilError(response) };
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof VigilError) return { failure: cause };
      const reason = late.signal.aborted ? `no answer within ${timeoutMs} ms` : 'no connection';
      return {
        failure: new VigilError('connection', `The request to Vigil failed: ${reason}.`, { cause }),
      };
    } finally {
      clearTimeout(timer);
    }
  }
}

function isPassing({ status, code }: VigilError, isRepeatable: boolean): boolean {
  if (status === 429 || code === 'idempotency-in-flight') return true;
  return isRepeatable && (code === 'connection' || [502, 503, 504].includes(status));
}

/** Doubles with each attempt, at random, so that many clients do not come back together. */
export function backoffMs(attempt: number): number {
  return Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** attempt);
}

export async function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
