import type { Db, Store } from '../../../src/store/db/db.ts';

export const moments = [
  'before a transaction',
  'within a transaction',
  'after a transaction',
  'statement',
] as const;
type Moment = (typeof moments)[number];

export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * A store whose process dies at a moment: before a transaction, before a statement of one, or after its commit and before the
 * process hears of it. Nothing that it does afterwards reaches the database.
 */
export function createMortalStore(store: Store, diesAt: (moment: Moment) => boolean): Store {
  let diedAt: Moment | undefined;
  function pass(moment: Moment): void {
    if (!diedAt && diesAt(moment)) diedAt = moment;
    if (diedAt) throw new Killed(diedAt);
  }
  const mortal = (db: Db, moment: Moment): Db => ({
    ...db,
    query: async (statement) => {
      pass(moment);
      return db.query(statement);
    },
    prepared: async (statement) => {
      pass(moment);
      return db.prepared(statement);
    },
  });
  return {
    ...store,
    ...mortal(store, 'statement'),
    async transaction(work) {
      pass('before a transaction');
      const result = await store.transaction(async (tx) => {
        const done = await work(mortal(tx, 'within a transaction'));
        // At a statement that the work did not wait for: no commit follows it.
        if (diedAt) throw new Killed(diedAt);
        return done;
      });
      pass('after a transaction');
      return result;
    },
  };
}
