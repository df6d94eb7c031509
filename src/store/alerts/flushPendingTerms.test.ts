import { expect, it, vi } from 'vitest';
import type { Store } from '../db.ts';
import { flushPendingTerms } from './flushPendingTerms.ts';

it('flushes once for many alerts, and blocks no one where it may not flush', async () => {
  let asked = 0;
  const refused = async (): Promise<never> => {
    asked++;
    throw new Error('must be owner of index');
  };
  const store: Store = {
    isDistributed: async () => false,
    query: refused,
    repeated: refused,
    prepared: refused,
    transaction: refused,
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: async () => {},
  };
  const raise = async (batches: number) => {
    for (let batch = 0; batch < batches; batch++) await flushPendingTerms(store, 100);
  };
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    await raise(9);
    expect(asked).toBe(0);
    await raise(1);
    expect(asked).toBe(1);
    // As fast as this, more of them wait.
    await raise(39);
    expect(asked).toBe(1);
    await raise(1);
    expect(asked).toBe(2);
    vi.advanceTimersByTime(2000);
    await raise(9);
    expect(asked).toBe(2);
    await raise(1);
    expect(asked).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});
