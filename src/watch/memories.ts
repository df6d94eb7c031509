import type { Memory } from '../matching/evaluateMatches.ts';
import type { Subscriber } from '../matching/subscriber.ts';
import type { Db } from '../store/db.ts';
import { findStates, type StateChange } from '../store/watch/states.ts';

/** What subscribers remember: read when first needed, kept while the chain is followed. */
export function createMemories(db: Db) {
  const known = new Map<string, Memory | undefined>();
  const keyOf = ({ kind, id }: { kind: string; id: number }) => `${kind} ${id}`;

  return {
    async load(subscribers: Iterable<Subscriber>): Promise<void> {
      const unknown = [...subscribers].filter((subscriber) => !known.has(keyOf(subscriber)));
      if (unknown.length === 0) return;
      const found = await findStates(db, unknown);
      for (const subscriber of unknown) known.set(keyOf(subscriber), undefined);
      for (const row of found) known.set(keyOf(row), row.state as Memory);
    },
    recall: (subscriber: Subscriber): Memory | undefined => known.get(keyOf(subscriber)),
    /** Takes over what a block changed; returns what to write. */
    change(number: number, changed: ReadonlyMap<Subscriber, Memory>): StateChange[] {
      return Array.from(changed, ([subscriber, after]) => {
        const { kind, id, contract } = subscriber;
        const before = known.get(keyOf(subscriber));
        known.set(keyOf(subscriber), after);
        return { kind, id, tenantId: contract.tenantId, number, before, after };
      });
    },
    /** What is stored may differ from what is known here. */
    forget: () => known.clear(),
  };
}
