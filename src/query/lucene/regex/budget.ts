import { RegexTooComplexError } from './errors.ts';

/** How many states the patterns of one query may still build, counting what is visited to build them. */
export type Budget = { left: number };

/** Enough for a pattern of 1,000 characters or a thousand repetitions, few enough to follow all of them at once. */
export function createBudget(): Budget {
  return { left: 5_000 };
}

export function spend(budget: Budget, amount: number): void {
  budget.left -= amount;
  if (budget.left < 0)
    throw new RegexTooComplexError('The regular expressions of the query need too many states');
}
