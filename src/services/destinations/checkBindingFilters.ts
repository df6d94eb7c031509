import { atMember } from '../../model/errors.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';

/** Checks that the query of every binding can be matched against alerts. */
export function checkBindingFilters(
  items: readonly { query?: string | null }[] | undefined,
  pointer: string,
  now: number,
): void {
  items?.forEach(({ query }, index) => {
    if (query?.trim()) atMember(`${pointer}/${index}/query`, 'query', () => createAlertMatcher(query, now));
  });
}
