import { setTimeout as sleep } from 'node:timers/promises';

const [shortestMs, longestMs] = [5, 100];

/**
 * Polls until the condition gives something truthy, and returns that. The longer it waits the less often it asks, because most
 * conditions cost a request, and what they wait for needs the processor too.
 */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 90_000): Promise<NonNullable<T>> {
  const startedAt = performance.now();
  for (;;) {
    const result = await condition();
    if (result) return result;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`The condition did not hold within ${timeoutMs} ms.`);
    await sleep(Math.min(Math.max(waitedMs / 5, shortestMs), longestMs));
  }
}
