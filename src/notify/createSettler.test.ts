import { describe, expect, it } from 'vitest';
import { deriveAuditKey } from '../lib/auditKey.ts';
import type { Db, Store } from '../store/db/db.ts';
import { type AttemptResult, createSettler } from './createSettler.ts';

const keys = { newest: () => deriveAuditKey(1, Buffer.alloc(32)), find: async () => undefined };

const result = (id: number): AttemptResult => ({
  tenantId: 1,
  id,
  destinationId: id,
  at: 0,
  durationMs: 1,
  isDelivered: true,
  isStep: true,
  status: 200,
  error: null,
  nextAttemptAt: null,
  isGone: false,
  pausedUntil: null,
});

/** A store that fails this often before it works, never takes one delivery, and counts what comes through. */
function createStore(failures: number, refused = '') {
  const seen = { tries: 0, written: 0 };
  const db: Db = {
    isDistributed: async () => false,
    query: async () => [],
    repeated: async () => [],
    prepared: async (statement) => {
      if (refused && JSON.stringify(statement).includes(refused)) throw new Error('This is refused.');
      return [];
    },
  };
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
    const settler = createSettler({ store, keys, now: () => 0, onDisabled: () => {}, onError: () => {} });
    await Promise.all([1, 2, 3, 4, 5].map((id) => settler.settle([result(id)])));
    expect(seen.written).toBeLessThanOrEqual(2);
  });

  it('keeps what cannot be written until it can be', async () => {
    const { store, seen } = createStore(1);
    const errors: unknown[] = [];
    const settler = createSettler({
      store,
      keys,
      now: () => 0,
      onDisabled: () => {},
      onError: (error) => errors.push(error),
    });
    await settler.settle([result(1)]);
    expect([seen.tries, seen.written, errors.length]).toEqual([2, 1, 1]);
  });

  it('writes the rest when one result cannot be written', async () => {
    const { store, seen } = createStore(0, '\\"id\\":3,');
    const settler = createSettler({ store, keys, now: () => 0, onDisabled: () => {}, onError: () => {} });
    const settled: number[] = [];
    const settling = [1, 2, 3, 4, 5].map((id) => settler.settle([result(id)]).then(() => settled.push(id)));
    await Promise.all(settling.toSpliced(2, 1));
    expect(new Set(settled)).toEqual(new Set([1, 2, 4, 5]));
    expect(seen.tries).toBeLessThan(10);
    settler.stop();
    await settling[2];
  });

  it('ends although the store stays away once it is stopped', async () => {
    const { store, seen } = createStore(Number.POSITIVE_INFINITY);
    const settler = createSettler({ store, keys, now: () => 0, onDisabled: () => {}, onError: () => {} });
    const settling = settler.settle([result(1)]);
    settler.stop();
    await settling;
    expect(seen.written).toBe(0);
  });
});
