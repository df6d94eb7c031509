import { Problem } from '../model/errors.ts';
import { parseQuery } from '../query/lucene/parser.ts';
import { resolve } from '../query/lucene/resolve.ts';
import { alertTable } from '../store/alerts/alertTable.ts';
import { isItems } from '../store/bindings.ts';

/** The query of every binding must be one that alerts can be held against. */
export function checkBindingFilters(items: unknown, pointer: string, now: number): void {
  if (!isItems(items)) return;
  items.forEach(({ query }, index) => {
    if (typeof query === 'string' && query.trim() !== '') checkQuery(query, `${pointer}/${index}/query`, now);
  });
}

function checkQuery(query: string, pointer: string, now: number): void {
  try {
    resolve(parseQuery(query), alertTable.mapping, now);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { position } = error.members;
    throw new Problem('invalid-input', `${pointer}: ${error.message}`, {
      errors: [{ pointer, code: 'query', message: error.message }],
      ...(position === undefined ? {} : { position }),
    });
  }
}
