import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order, Tally } from './load.ts';

/** The load process; `run` sends requests for a while and reports how many were served and how fast. */
export function startLoad(): { run(order: Order): Promise<Tally>; stop(): void } {
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)));
  return {
    run: async (order) => {
      child.send(order);
      const [tally]: [Tally] = (await once(child, 'message')) as [Tally];
      if (tally.refusal !== undefined) throw new Error(`A request was refused:\n${tally.refusal}`);
      return tally;
    },
    stop: () => child.disconnect(),
  };
}
