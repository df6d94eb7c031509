import { expect, it, vi } from 'vitest';
import { render, type Sql } from '../../../lib/sql.ts';
import type { Store } from '../../db/db.ts';
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
    for (let batch = 0; batch < batches; batch++) await flushPendingTerms(store, 100, 1);
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

it('makes alerts of one worker wait for no other worker, no matter who raises them', async () => {
  const asked: unknown[] = [];
  const hang = new Promise<never>(() => {});
  const query = async (statement: Sql): Promise<never[]> => {
    const tenantId = render(statement).values.at(-1);
    asked.push(tenantId);
    return tenantId === 11 ? hang : [];
  };
  const workerOf = (tenantId: number) => (tenantId === 11 ? 'worker 1' : 'worker 2');
  const store = { isDistributed: async () => true, query, workerOf } as unknown as Store;
  await flushPendingTerms(store, 1000, 11);
  await flushPendingTerms(store, 1000, 22);
  const hanging = flushPendingTerms(store, 4000, 11).then(() => 'hanging');
  const other = flushPendingTerms(store, 4000, 23).then(() => 'other');
  expect(await Promise.race([hanging, other])).toBe('other');
  expect(asked).toEqual([11, 22, 23]);
});
