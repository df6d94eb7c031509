/** Repeatable randomness: the same seed gives the same run. */
export type Random = {
  readonly seed: number;
  /** 0 … below 1 */
  random(): number;
  /** 0 … below - 1 */
  below(below: number): number;
  /** from … to */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
};

/** The seed comes from SEED, so that a failure can be repeated; otherwise it is new each time. It is printed. */
export function createRandom(test: string): Random {
  const seed = process.env.SEED === undefined ? Date.now() % 2 ** 32 : Number(process.env.SEED);
  console.log(`${test}: SEED=${seed}`);
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  return {
    seed,
    random: next,
    below: (below) => Math.floor(next() * below),
    integer: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)]!,
  };
}
