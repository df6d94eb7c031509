import type { ActorSetup } from './openActor.ts';

/** The orders for a process that works until it kills itself at a point or is killed. */
export type Order =
  | { type: 'setup'; setup: ActorSetup }
  | { type: 'start' }
  | { type: 'killAt'; point: string; nth: number };

type Work = { start(options: { onStep: (point: string) => void }): unknown };

export function obeyOrders(open: (setup: ActorSetup) => Promise<Work>): void {
  let work: Promise<Work> | undefined;
  let fatal: { point: string; nth: number } | undefined;

  function onStep(point: string): void {
    if (point !== fatal?.point) return;
    fatal.nth--;
    if (fatal.nth === 0) process.kill(process.pid, 'SIGKILL');
  }

  async function obey(order: Order): Promise<void> {
    switch (order.type) {
      case 'setup':
        work = open(order.setup);
        await work;
        process.send?.('ready');
        return;
      case 'start':
        (await work)?.start({ onStep });
        return;
      case 'killAt':
        fatal = order;
        process.send?.('armed');
    }
  }

  process.on('message', (order: Order) => void obey(order));
  process.on('disconnect', () => process.exit());
}
