import { RegexTooComplexError } from './errors.ts';

/**
 * How many states the patterns of one query may still build, counting what is visited to build them, and how many steps
 * may still be taken to find out whether their automata are small.
 */
export type Budget = { left: number; steps: number };

/** Enough for a pattern of 1,000 characters or a thousand repetitions, few enough to follow all of them at once. */
export function createBudget(): Budget {
  return { left: 5_000, steps: 5_000 };
}

export function spend(budget: Budget, amount: number): void {
  budget.left -= amount;
  if (budget.left < 0)
    throw new RegexTooComplexError('The regular expressions of the query need too many states');
}
