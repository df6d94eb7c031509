import type { Answer } from '../../testing/startTestApi.ts';

/** Does the same many times at once. */
export function together<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)));
}

/** How many answers had each status. */
export function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** One address for each number. */
export function address(i: number): string {
  return `0x${(i + 1).toString(16).padStart(40, '0')}`;
}
