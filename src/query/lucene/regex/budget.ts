import { RegexTooComplexError } from './errors.ts';

/**
 * Remaining limits of one query: states that its patterns may build or visit, and steps to find out if their automata
 * are small.
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
