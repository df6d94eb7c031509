/** Number of the last blocks from which the next one is predicted. */
const remembered = 32;
/** Times of blocks are whole seconds: below this interval they tell nothing about a single block. */
const minClockedMs = 1500;
/** A longer time between two blocks of a fast chain is a pause. */
const longestUsualMs = 5000;
/** Fewer blocks tell nothing. */
const minSteps = 3;

/** A block as it was found: when, and when the node was last asked in vain for it, if it was. */
type Arrival = { number: number; timestamp: number; foundAt: number; missedAt: number | undefined };
type Known = { number: number; timestamp: number; appearedAt: number | undefined };

/**
 * Learns when blocks of a chain appear: after their own time where a regular clock sets it, else after the block
 * before. Polling sees only that a block appeared between two polls.
 */
export function createArrivals(nominalMs: number) {
  let arrivals: Known[] = [];

  /** The time between two blocks; undefined while it is not known, or not regular. */
  function pace(): number | undefined {
    const steps = arrivals.slice(1).flatMap(({ number, timestamp }, index) => {
      const before = arrivals[index];
      return before && number > before.number
        ? [(timestamp - before.timestamp) / (number - before.number)]
        : [];
    });
    if (steps.length < minSteps) return undefined;
    const middle = quantile(steps, 0.5);
    if (middle >= minClockedMs)
      return quantile(steps, 0.8) <= 1.6 * quantile(steps, 0.2) && isClock(middle) ? middle : undefined;
    // A pause of the chain says nothing about its pace.
    const usual = steps.filter((step) => step <= longestUsualMs);
    const mean = usual.reduce((sum, step) => sum + step, 0) / usual.length;
    return usual.length >= 8 && mean > 0 && mean < 2 * nominalMs ? Math.max(20, mean) : undefined;
  }

  /** True if the blocks appear as far apart as their times are, which on test chains can be anything. */
  function isClock(interval: number): boolean {
    const delays = offsets();
    return delays.length >= minSteps && quantile(delays, 0.9) - quantile(delays, 0.1) < 0.7 * interval;
  }

  /** Delays between the blocks' own times and their appearance. */
  function offsets(): number[] {
    return arrivals.flatMap(({ timestamp, appearedAt }) =>
      appearedAt === undefined ? [] : [appearedAt - timestamp],
    );
  }

  return {
    /** The usual time between two blocks, whatever the chain is said to have. */
    intervalMs: () => pace() ?? nominalMs,
    /** The time within which another block usually appears, however irregular they are; not more than the chain is said to need. */
    usualMs(): number {
      const steps = arrivals.slice(1).flatMap(({ appearedAt }, index) => {
        const before = arrivals[index]?.appearedAt;
        return appearedAt === undefined || before === undefined ? [] : [appearedAt - before];
      });
      return steps.length < minSteps ? nominalMs : Math.min(nominalMs, quantile(steps, 0.5));
    },
    /** `spacingMs`: how far polls are apart. */
    add({ number, timestamp, foundAt, missedAt }: Arrival, spacingMs: number): void {
      const after = Math.max(missedAt ?? 0, foundAt - spacingMs);
      arrivals = [...arrivals, { number, timestamp, appearedAt: (after + foundAt) / 2 }].slice(-remembered);
    },
    /** Blocks found while catching up tell the interval, but not when they appeared; what was thought of others was wrong. */
    addPast(blocks: readonly { number: number; timestamp: number }[]): void {
      const past = blocks.map(({ number, timestamp }) => ({ number, timestamp, appearedAt: undefined }));
      arrivals = [...arrivals, ...past]
        .slice(-remembered)
        .map((block) => ({ ...block, appearedAt: undefined }));
    },
    /** The next block is likely due between `from` and `to`; undefined when that is not known. */
    due(now: number): { from: number; to: number } | undefined {
      const interval = pace();
      const last = arrivals.at(-1);
      if (interval === undefined || !last) return undefined;
      if (interval < minClockedMs)
        return last.appearedAt === undefined
          ? undefined
          : { from: last.appearedAt + interval * 0.9, to: last.appearedAt + interval * 1.2 };
      const delays = offsets();
      const early = quantile(delays, 0.25);
      const late = quantile(delays, 0.95);
      const slot = (count: number) => last.timestamp + count * interval;
      // A slot can stay empty: the block may come in any later one.
      const passed = Math.floor((now - slot(1) - late) / interval + 0.5);
      const start = slot(1 + Math.max(0, passed));
      // The next block cannot be further away than that, so the times of this chain are not those of a clock.
      if (start + early - now > 1.5 * interval) return undefined;
      return { from: start + early, to: start + late };
    },
    /** Forgets blocks that are no longer part of the chain. */
    rewind(to: number): void {
      arrivals = arrivals.filter(({ number }) => number <= to);
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
