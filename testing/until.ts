import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the condition gives something truthy, and returns that. */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`The condition did not hold within ${timeoutMs} ms.`);
    await sleep(10);
  }
}
