import { createRandom } from './createRandom.ts';
import { isFull } from './proveSize.ts';

/** Picks one case in `every` by its number, in each run others; `npm run prove` takes all of them. */
export function createTurns(test: string, every: number): (n: number) => boolean {
  const turn = createRandom(test).below(every);
  return (n) => isFull || n % every === turn;
}
