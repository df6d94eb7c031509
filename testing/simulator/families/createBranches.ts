import type { Random } from '../../createRandom.ts';

/** A payment between two of a few accounts, whatever the family calls it. Amounts are in smallest units. */
export type Payment = {
  id: string;
  from: number;
  to: number;
  amount: number;
  fee: number;
  isSuccess: boolean;
};

export type Link = {
  number: number;
  hash: string;
  parentHash: string;
  /** Unix seconds. */
  time: number;
  payments: readonly Payment[];
};

export type Branches = ReturnType<typeof createBranches>;

const accounts = 5;
/** Blocks above the one that is final; no fork goes as deep. */
const finalDepth = 40;
const deepest = 12;

/** A chain of random payments that grows and forks. `skips`: some numbers have no block. */
export function createBranches(
  random: Pick<Random, 'below' | 'chance'>,
  toHash: (number: number, digits: string) => string,
  skips = false,
) {
  const startedAt = Math.floor(Date.now() / 1000) - 100_000;
  const digits = () =>
    Array.from({ length: 8 }, () =>
      random
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
  const link = (number: number, parentHash: string, payments: readonly Payment[]): Link => ({
    number,
    hash: toHash(number, digits()),
    parentHash,
    time: startedAt + 10 * number,
    payments,
  });
  const blocks = [link(0, toHash(0, '0'.repeat(64)), [])];
  const head = () => blocks.at(-1)!;

  function payment(): Payment {
    return {
      id: digits(),
      from: random.below(accounts),
      to: random.below(accounts),
      amount: 1 + random.below(2_000_000_000),
      fee: 1000 + random.below(random.chance(0.1) ? 1_000_000 : 1000),
      isSuccess: random.chance(0.7),
    };
  }

  /** `waiting` are payments that were in blocks which are gone; each may be mined again. */
  function extend(count: number, waiting: readonly Payment[] = []): void {
    const left = waiting.filter(() => random.chance(0.5));
    for (let n = 0; n < count; n++) {
      const { number, hash } = head();
      const payments = left.splice(0, random.below(3));
      while (random.chance(0.6)) payments.push(payment());
      const gap = skips && random.chance(0.3) ? random.below(4) : 0;
      blocks.push(link(number + 1 + gap, hash, payments));
    }
  }

  return {
    extend,
    head,
    blocks: (): readonly Link[] => blocks,
    final: () => blocks[Math.max(0, blocks.length - 1 - finalDepth)]!,
    /** Takes the newest blocks back, and grows beyond where they were. Returns those that are gone. */
    fork(): Link[] {
      const depth = 1 + random.below(Math.min(deepest, blocks.length - 1));
      const dropped = blocks.splice(-depth);
      const height = dropped.at(-1)!.number;
      extend(
        depth + random.below(3),
        dropped.flatMap(({ payments }) => payments),
      );
      // Only a chain that is longer than before is sure to win.
      while (head().number <= height) extend(1);
      return dropped;
    },
  };
}
