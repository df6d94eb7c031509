import type { Store } from '../../../src/store/db/db.ts';

/** The store of a process that dies before its transaction commits. */
export function dyingStore(store: Store): Store {
  return {
    ...store,
    transaction: (work) =>
      store.transaction(async (tx) => {
        await work(tx);
        throw new Error('The process died.');
      }),
  };
}
