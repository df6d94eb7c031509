import { afterAll, beforeAll } from 'vitest';
import { type Anvil, startAnvil } from '../../harness/anvil.ts';
import { type Observer, observeTrigger } from '../../harness/observe.ts';

type World = Parameters<typeof observeTrigger>[3];

/** A chain for the tests of one file, and triggers on it that begin at its head; all are stopped at the end. */
export function useChain() {
  let anvil: Anvil;
  const observers: Observer[] = [];
  beforeAll(async () => {
    anvil = await startAnvil();
  });
  afterAll(async () => {
    await Promise.all(observers.map((observer) => observer.close()));
    await anvil.stop();
  });
  return {
    get anvil() {
      return anvil;
    },
    async watch(triggerType: string, params: object, world: World): Promise<Observer> {
      const observer = await observeTrigger(anvil.url, triggerType, params, world);
      observers.push(observer);
      await observer.skip();
      return observer;
    },
  };
}
