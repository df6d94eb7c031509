import { expect, it } from 'vitest';
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
  for (let batch = 0; batch < 30; batch++) await flushPendingTerms(store, 100);
  expect(asked).toBe(3);
});
