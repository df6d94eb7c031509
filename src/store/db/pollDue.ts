import { createCoalescedLoop } from '../../lib/createCoalescedLoop.ts';
import { join, type Sql, sql } from '../../lib/sql.ts';
import type { Db, Store } from './db.ts';

type Poll = { isDue: () => Sql; wake: () => void };

const everyMs = 1000;

/**
 * Calls back every second while something is due. `isDue` is SQL whose text never varies. All polls of a process are one
 * statement, because idle processes pay for polling. Announced work must not wait for it.
 */
export function pollDue(store: Store, isDue: Poll['isDue'], wake: () => void): () => void {
  const poller = store.poller ?? store;
  const pulse = pulses.get(poller) ?? createPulse(poller);
  pulses.set(poller, pulse);
  return pulse.add({ isDue, wake });
}

const pulses = new WeakMap<Db, ReturnType<typeof createPulse>>();

function createPulse(store: Db) {
  const polls = new Set<Poll>();
  let timer: NodeJS.Timeout | undefined;
  const loop = createCoalescedLoop(ask, () => {
    // Each worker meets the failure itself and reports it.
    for (const { wake } of polls) wake();
  });

  async function ask(): Promise<void> {
    const asked = [...polls];
    if (asked.length === 0) return;
    // Distributed queues are on several servers, whose conditions are no single statement.
    if (await store.isDistributed()) {
      for (const { wake } of asked) wake();
      return;
    }
    const conditions = asked.map(({ isDue }) => sql`(${isDue()})`);
    const [row] = await store.prepared<{ due: boolean[] }>(
      sql`select array[${join(conditions, ', ')}] as due`,
    );
    for (const [index, poll] of asked.entries()) if (row?.due[index] && polls.has(poll)) poll.wake();
  }

  return {
    add(poll: Poll): () => void {
      polls.add(poll);
      timer ??= setInterval(loop.wake, everyMs).unref();
      return () => {
        polls.delete(poll);
        if (polls.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
