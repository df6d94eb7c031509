import type { Db, Store } from '../../../src/store/db.ts';

export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * A store whose process dies at a moment: before a transaction, before a statement of one, or after its commit and before the
 * process hears of it. Nothing that it does afterwards reaches the database.
 */
export function createMortalStore(store: Store, diesAt: (moment: string) => boolean): Store {
  let isDead = false;
  function pass(moment: string): void {
    if (!isDead && diesAt(moment)) isDead = true;
    if (isDead) throw new Killed(moment);
  }
  const mortal = (db: Db, moment: string): Db => ({
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
      const result = await store.transaction((tx) => work(mortal(tx, 'within a transaction')));
      pass('after a transaction');
      return result;
    },
  };
}
