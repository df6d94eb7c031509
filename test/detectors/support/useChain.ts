import { afterAll, beforeAll, expect } from 'vitest';
import type { Finding } from '../../../src/model/alert.ts';
import { type Anvil, startAnvil } from '../../harness/anvil.ts';
import { type Observer, observeDetector } from '../../harness/observe.ts';

type World = Parameters<typeof observeDetector>[3];

/** A chain for the tests of one file, and observers on it; all are stopped at the end. */
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

  async function observe(detector: string, config: object, world: World): Promise<Observer> {
    const observer = await observeDetector(anvil.url, detector, config, world);
    observers.push(observer);
    return observer;
  }

  return {
    get anvil() {
      return anvil;
    },
    /** Begins at the head of the chain. */
    async watch(detector: string, config: object, world: World): Promise<Observer> {
      const observer = await observe(detector, config, world);
      await observer.skip();
      return observer;
    },
    /** What it finds from the first block on; it must not stumble. */
    async replay(detector: string, config: object, world: World): Promise<Finding[]> {
      const observer = await observe(detector, config, world);
      const found = await observer.catchUp();
      expect(observer.faults).toEqual([]);
      return found;
    },
  };
}
