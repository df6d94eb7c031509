import { createTextWriter } from '../../lib/createTextWriter.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { sql } from '../../lib/sql.ts';
import { createExplainer } from '../../query/lucene/createExplainer.ts';
import type { Db } from '../db/db.ts';
import { createPageLimit } from '../db/limitPages.ts';
import { documentJson } from './documents/documentJson.ts';
import { asSeenIn, type DocumentScope, type DocumentTable } from './documents/documentTable.ts';
import type { DocumentRow } from './searchCandidates.ts';
import { type DocumentSearch, findRows } from './searchDocuments.ts';

/**
 * The JSON text of the response to a search, built by PostgreSQL: parsing records only to serialise them takes longest.
 */
export async function searchJson(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
  /** Workers whose documents the answer lacks. */
  missing?: readonly string[],
): Promise<string | Buffer[]> {
  const seen = asSeenIn(table, scope);
  if (search.matched) return searchExplained(db, seen, scope, search, names, now, missing);
  const columns = sql`${documentJson(seen, names)} as json`;
  const writer = createReplyWriter();
  const { data, total } = await findRows(
    db,
    seen,
    scope,
    search,
    { columns, names, onText: writer.add },
    now,
  );
  return writer.end(data, total, missing);
}

/** The same with `matched`: for each record the clauses that it matches, by what the caller may see of it. */
async function searchExplained(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
  missing: readonly string[] | undefined,
): Promise<string> {
  const everything = [...table.columns.keys()];
  const columns = sql`${documentJson(table, names)} as json, ${documentJson(table, everything)} as whole`;
  const { data, total } = await findRows(db, table, scope, search, { columns }, now);
  const explain = search.query?.trim() ? createExplainer(search.query, table.mapping, now) : undefined;
  const matched: unknown[] = [];
  for (const { whole } of data)
    matched.push(explain ? await explain(JSON.parse(String(whole)), yieldToEventLoop) : []);
  const records = data.map(({ json }) => String(json)).join();
  const partial = missing && missing.length > 0 ? `,"partial":${JSON.stringify(missing)}` : '';
  return `{"data":[${records}],"total":${total},"matched":${JSON.stringify(matched)}${partial}}`;
}

function createReplyWriter() {
  const { write, end } = createTextWriter();
  const check = createPageLimit();
  let separator = '{"data":[';
  const add = (json: string): void => {
    check(json);
    write(separator);
    write(json);
    separator = ',';
  };
  return {
    add,
    end: (rows: readonly DocumentRow[], total: number, missing?: readonly string[]): string | Buffer[] => {
      for (const { json } of rows) add(json as string);
      const partial = missing ? `,"partial":${JSON.stringify(missing)}` : '';
      write(`${separator === ',' ? '' : separator}],"total":${total}${partial}}`);
      return end();
    },
  };
}
