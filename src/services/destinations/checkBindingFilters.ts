import { Problem } from '../../model/errors.ts';
import { createAlertMatcher } from '../../store/alerts/createAlertMatcher.ts';

/** Checks that the query of every binding can be matched against alerts. */
export function checkBindingFilters(
  items: readonly { query?: string | null }[] | undefined,
  pointer: string,
  now: number,
): void {
  items?.forEach(({ query }, index) => {
    if (query?.trim()) checkQuery(query, `${pointer}/${index}/query`, now);
  });
}

function checkQuery(query: string, pointer: string, now: number): void {
  try {
    createAlertMatcher(query, now);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { position } = error.members;
    throw new Problem('invalid-input', `${pointer}: ${error.message}`, {
      errors: [{ pointer, code: 'query', message: error.message }],
      ...(position === undefined ? {} : { position }),
    });
  }
}
