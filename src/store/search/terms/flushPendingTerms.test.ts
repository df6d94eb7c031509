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

it('does not wait for a server that hangs, where alerts of another one come', async () => {
  const asked: unknown[][] = [];
  const hang = new Promise<never>(() => {});
  const query = async (statement: Sql): Promise<never[]> => {
    const { values } = render(statement);
    asked.push(values.slice(1));
    return values[1] === 1 ? hang : [];
  };
  const store = { isDistributed: async () => true, query } as unknown as Store;
  await flushPendingTerms(store, 1000, 1);
  await flushPendingTerms(store, 1000, 2);
  const hanging = flushPendingTerms(store, 4000, 1).then(() => 'hanging');
  const other = flushPendingTerms(store, 4000, 2).then(() => 'other');
  expect(await Promise.race([hanging, other])).toBe('other');
  expect(asked).toEqual([[1], [2], [2]]);
});
