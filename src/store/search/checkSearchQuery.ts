import { atMember } from '../../model/errors.ts';
import { compile } from '../../query/lucene/compile.ts';
import { searchQueryBudget } from '../../query/lucene/cost.ts';
import { parseQuery } from '../../query/lucene/parseQuery.ts';
import { alertTable } from './documents/alertTable.ts';

/** Refuses a query that a search of alerts would refuse, at the member that holds it. */
export function checkSearchQuery(query: string, pointer: string, now: number): void {
  atMember(pointer, 'query', () => compile(parseQuery(query), alertTable.mapping, now, searchQueryBudget));
}
