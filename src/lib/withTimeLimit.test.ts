import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settleWithin, withTimeLimit } from './withTimeLimit.ts';

describe('work within a time', () => {
  it('is done, and leaves nothing behind', async () => {
    const { signal } = new AbortController();
    let seen: AbortSignal | undefined;
    const work = async (limit: AbortSignal) => {
      seen = limit;
      return 7;
    };
    expect(await withTimeLimit(signal, 20, work)).toBe(7);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await sleep(60);
    expect(seen?.aborted).toBe(false);
  });

  it('is broken off when the time is over', async () => {
    const { signal } = new AbortController();
    const work = withTimeLimit(signal, 20, (limit) => sleep(10_000, undefined, { signal: limit }));
    await expect(work).rejects.toMatchObject({ cause: { name: 'TimeoutError' } });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is broken off with what it belongs to, also when that has ended before', async () => {
    const ending = new AbortController();
    const wait = () =>
      withTimeLimit(ending.signal, 10_000, (limit) => sleep(10_000, undefined, { signal: limit }));
    const work = wait();
    ending.abort(new Error('Enough.'));
    await expect(work).rejects.toMatchObject({ cause: { message: 'Enough.' } });
    await expect(wait()).rejects.toMatchObject({ cause: { message: 'Enough.' } });
  });
});

describe('waiting for a time', () => {
  it('takes the result or the fault of work that is done by then', async () => {
    expect(await settleWithin(10_000, Promise.resolve(7), () => 'late')).toBe(7);
    const failing = settleWithin(10_000, Promise.reject(new Error('It failed.')), () => 'late');
    await expect(failing).rejects.toThrow('It failed.');
  });

  it('goes on without work that is not done by then', async () => {
    expect(await settleWithin(1, new Promise(() => {}), () => 'late')).toBe('late');
  });
});
