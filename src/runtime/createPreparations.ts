import type { Store } from '../store/db.ts';
import type { Prepared } from '../watch/spreadLeases.ts';
import type { WatchSet } from './watchChain.ts';

/** What was read of chains before their leases are taken. */
export function createPreparations() {
  const ready = new Map<string, { watchSet: WatchSet; onTaken: () => void }>();
  return {
    async add(chainUid: string, watchSet: WatchSet, store: Store): Promise<Prepared> {
      try {
        await watchSet.watchList.refresh(store, { isAhead: true });
        // What changed meanwhile: everything, when notifications were not received from the beginning.
        await watchSet.watchList.refresh(store, { isAhead: true });
      } catch (error) {
        watchSet.close();
        throw error;
      }
      const taken = new Promise<void>((onTaken) => {
        ready.set(chainUid, { watchSet, onTaken });
      });
      return {
        taken,
        drop() {
          if (ready.get(chainUid)?.watchSet !== watchSet) return;
          ready.delete(chainUid);
          watchSet.close();
        },
      };
    },
    has: (chainUid: string) => ready.has(chainUid),
    /** The caller closes it. */
    take(chainUid: string): WatchSet | undefined {
      const found = ready.get(chainUid);
      ready.delete(chainUid);
      found?.onTaken();
      return found?.watchSet;
    },
  };
}
