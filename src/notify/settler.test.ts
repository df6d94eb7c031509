import { describe, expect, it } from 'vitest';
import type { Store } from '../store/db.ts';
import { createSettler, type Result } from './settler.ts';

const result = (id: number): Result => ({
  tenantId: 1,
  id,
  destinationId: 1,
  at: 0,
  durationMs: 1,
  isDelivered: true,
  status: 200,
  error: null,
  nextAttemptAt: null,
  isGone: false,
});

/** A store that fails this often before it works, and counts what comes through. */
function createStore(failures: number) {
  const seen = { tries: 0, written: 0 };
  const db = { query: async () => [], prepared: async () => [] };
  const store: Store = {
    ...db,
    async transaction(work) {
      seen.tries++;
      if (seen.tries <= failures) throw new Error('The store is away.');
      const done = await work(db);
      seen.written++;
      return done;
    },
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: async () => {},
  };
  return { store, seen };
}

describe('settling', () => {
  it('writes in one transaction what came together, and resolves when it is written', async () => {
    const { store, seen } = createStore(0);
    const settler = createSettler({ store, now: () => 0, onError: () => {} });
    await Promise.all([1, 2, 3, 4, 5].map((id) => settler.settle([result(id)])));
    expect(seen.written).toBeLessThanOrEqual(2);
  });

  it('keeps what cannot be written until it can be', async () => {
    const { store, seen } = createStore(1);
    const errors: unknown[] = [];
    const settler = createSettler({ store, now: () => 0, onError: (error) => errors.push(error) });
    await settler.settle([result(1)]);
    expect([seen.tries, seen.written, errors.length]).toEqual([2, 1, 1]);
  });

  it('ends although the store stays away once it is stopped', async () => {
    const { store, seen } = createStore(Number.POSITIVE_INFINITY);
    const settler = createSettler({ store, now: () => 0, onError: () => {} });
    const settling = settler.settle([result(1)]);
    settler.stop();
    await settling;
    expect(seen.written).toBe(0);
  });
});
