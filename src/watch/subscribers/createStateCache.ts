import type { SubscriberState } from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Db } from '../../store/db/db.ts';
import { findStates, type StateChange } from '../../store/watch/states.ts';

/** The states of subscribers: read when first needed, cached while the chain is followed. */
export function createStateCache(db: Db) {
  const cached = new Map<string, SubscriberState | undefined>();
  const keyOf = ({ kind, id }: { kind: string; id: number }) => `${kind} ${id}`;

  return {
    async load(subscribers: Iterable<Subscriber>): Promise<void> {
      const unknown = [...subscribers].filter((subscriber) => !cached.has(keyOf(subscriber)));
      if (unknown.length === 0) return;
      const states = await findStates(db, unknown);
      for (const subscriber of unknown) cached.set(keyOf(subscriber), undefined);
      for (const row of states) cached.set(keyOf(row), row.state as SubscriberState);
    },
    get: (subscriber: Subscriber): SubscriberState | undefined => cached.get(keyOf(subscriber)),
    /** Caches the states that a block changed; returns what to write. */
    apply(number: number, changed: ReadonlyMap<Subscriber, SubscriberState>): StateChange[] {
      return Array.from(changed, ([subscriber, after]) => {
        const { kind, id, contract } = subscriber;
        const before = cached.get(keyOf(subscriber));
        cached.set(keyOf(subscriber), after);
        return { kind, id, tenantId: contract.tenantId, number, before, after };
      });
    },
    /** Called when stored states may differ from the cached. */
    clear: () => cached.clear(),
  };
}
