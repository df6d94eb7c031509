import { Problem } from '../../model/errors.ts';
import { findUnknownName } from '../../query/lucene/findUnknownName.ts';
import { parseQuery } from '../../query/lucene/parseQuery.ts';
import { alertTable } from './documents/alertTable.ts';

/** The first condition of a query that no alert can ever meet, because of a misspelt member or value. */
export function findQueryMistake(query: string): Problem | undefined {
  if (query.trim() === '') return undefined;
  const mistake = findUnknownName(parseQuery(query), alertTable.mapping, fixedValues);
  if (mistake === undefined) return undefined;
  const position = mistake.offset + 1;
  return new Problem('invalid-query', `The query at column ${position}: ${mistake.message}`, { position });
}

/** For queries that wait for future alerts or change the alerts they find. A search that finds nothing says so itself. */
export function refuseQueryMistake(query: string): void {
  const mistake = findQueryMistake(query);
  if (mistake) throw mistake;
}

const fixedValues = new Map(
  Array.from(alertTable.columns).flatMap(([name, { values }]) => (values ? [[name, values] as const] : [])),
);
