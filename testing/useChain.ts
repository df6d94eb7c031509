import { afterAll, beforeAll, expect } from 'vitest';
import type { Finding } from '../src/model/alert.ts';
import { type Observer, observeDetector } from './observeDetector.ts';
import { type Anvil, startAnvil } from './startAnvil.ts';

type World = Parameters<typeof observeDetector>[3];

/** A chain for the tests of one file, and detectors (or triggers) observed on it; all are stopped at the end. */
export function useChain(start = observeDetector) {
  let anvil: Anvil;
  const observers: Observer[] = [];
  beforeAll(async () => {
    anvil = await startAnvil();
  });
  afterAll(async () => {
    await Promise.all(observers.map((observer) => observer.close()));
    await anvil.stop();
  });

  async function observe(name: string, settings: object, world: World): Promise<Observer> {
    const observer = await start(anvil.url, name, settings, world);
    observers.push(observer);
    return observer;
  }

  return {
    get anvil() {
      return anvil;
    },
    /** Begins at the head of the chain, without the baseline that the product takes there. */
    async watch(name: string, settings: object, world: World): Promise<Observer> {
      const observer = await observe(name, settings, world);
      await observer.skip();
      return observer;
    },
    /** What it finds from the first block on; it must not stumble. */
    async replay(name: string, settings: object, world: World): Promise<Finding[]> {
      const observer = await observe(name, settings, world);
      const found = await observer.catchUp();
      expect(observer.faults).toEqual([]);
      return found;
    },
  };
}
