import { Problem } from '../../model/errors.ts';

/** A search that exceeds its time limit is a problem that the caller can do something about: `advice` says what. */
export async function reportSlowSearch<T>(
  work: () => Promise<T>,
  advice = 'Narrow it by a shorter time or by another condition.',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTimeLimit(error))
      throw new Problem('search-too-slow', `The search takes too long. ${advice}`, {}, { cause: error });
    throw error;
  }
}

/** True if a statement has exceeded its time limit, or all of them together have. */
export function isTimeLimit(error: unknown): boolean {
  return error instanceof Problem && error.code === 'unavailable' && /time limit/.test(error.message);
}
