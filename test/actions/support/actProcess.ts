import { type ActorSetup, openActor } from './openActor.ts';

/** The orders for the process that fires actions until it kills itself at a point or is killed. */
export type Order =
  | { type: 'setup'; setup: ActorSetup }
  | { type: 'start' }
  | { type: 'killAt'; point: string; nth: number };

let actor: ReturnType<typeof openActor> | undefined;
let fatal: { point: string; nth: number } | undefined;

function onStep(point: string): void {
  if (point !== fatal?.point) return;
  fatal.nth--;
  if (fatal.nth === 0) process.kill(process.pid, 'SIGKILL');
}

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());

async function obey(order: Order): Promise<void> {
  switch (order.type) {
    case 'setup':
      actor = openActor(order.setup);
      await actor;
      process.send?.('ready');
      return;
    case 'start':
      (await actor)?.start({ onStep });
      return;
    case 'killAt':
      fatal = order;
      process.send?.('armed');
  }
}
