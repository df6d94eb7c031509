import { atMember } from '../../model/errors.ts';
import { type BindingTable, findStoredQueries } from '../../store/destinations/findStoredQueries.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';
import { findQueryMistake } from '../../store/search/findQueryMistake.ts';
import type { Call } from '../call.ts';

type Filtered = { id?: number; query?: string | null };

/** Checks the query of every binding: it can be matched against alerts, and names members and values that exist. */
export async function checkBindingFilters(
  call: Call,
  tenantId: number | null,
  table: BindingTable,
  items: readonly Filtered[] | undefined,
  pointer: string,
): Promise<void> {
  const mistaken = (items ?? []).filter(({ query }, index) => {
    if (!query?.trim()) return false;
    atMember(`${pointer}/${index}/query`, 'query', () => createAlertMatcher(query, call.now));
    return findQueryMistake(query) !== undefined;
  });
  const ids = mistaken.flatMap(({ id }) => id ?? []);
  const stored =
    ids.length > 0 && tenantId !== null ? await findStoredQueries(call.db, tenantId, table, ids) : new Map();
  items?.forEach(({ id, query }, index) => {
    if (query?.trim()) checkNames(call, query, `${pointer}/${index}/query`, [stored.get(id)]);
  });
}

/** A mistake in a query that is stored already is a warning, so that a record that was read can be sent back. */
export function checkNames(
  call: Call,
  query: string,
  pointer: string,
  stored: readonly (string | null | undefined)[],
): void {
  const mistake = findQueryMistake(query);
  if (mistake === undefined) return;
  if (stored.includes(query)) call.warnings.push(`${pointer}: ${mistake.message}`);
  else
    atMember(pointer, 'query', () => {
      throw mistake;
    });
}
