import { processorMs } from './processorMs.ts';

const words = Array.from({ length: 120_000 }, (_, n) => `${n.toString(36)}.x`).join(' ');
/** What a quiet machine needs, on which limits of processor time were set. */
const quietMs = 5.5;

/** How many times slower the processor is now, by the fastest of some rounds; at least 1. */
export function measureSlowdown(): number {
  const rounds = Array.from({ length: 10 }, () => processorMs(() => words.toLowerCase().split(' ')));
  return Math.max(1, Math.min(...rounds) / quietMs);
}
