import { createTextWriter } from '../../lib/createTextWriter.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { raw, sql } from '../../lib/sql.ts';
import { createExplainer } from '../../query/lucene/createExplainer.ts';
import type { Db } from '../db/db.ts';
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
): Promise<string | Buffer[]> {
  const seen = asSeenIn(table, scope);
  if (search.matched) return searchExplained(db, seen, scope, search, names, now);
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
  return writer.end(data, total);
}

/** The same with `matched`: for each record the clauses that it matches, by what the caller may see of it. */
async function searchExplained(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
): Promise<string> {
  const everything = [...table.columns.keys()];
  const columns = sql`${documentJson(table, names)} as json, ${documentJson(table, everything)} as whole`;
  const { data, total } = await findRows(db, table, scope, search, { columns, use: 'explained' }, now);
  const explain = search.query?.trim() ? createExplainer(search.query, table.mapping, now) : undefined;
  const matched: unknown[] = [];
  for (const { whole } of data)
    matched.push(explain ? await explain(JSON.parse(String(whole)), yieldToEventLoop) : []);
  const records = data.map(({ json }) => String(json)).join();
  return `{"data":[${records}],"total":${total},"matched":${JSON.stringify(matched)}}`;
}

/** With more hits, looking the record up by itself takes no longer than proving it beside each of them. */
const maxProven = 100;

/** True if the statements of a search can prove that the record of the scope exists. */
export function isProvable(
  { proof }: DocumentScope,
  { size = 10, cursor, matched }: DocumentSearch,
): boolean {
  return proof !== undefined && size <= maxProven && cursor === undefined && !matched;
}

/** The same as `searchJson`; where it is proven, the record that the scope is about need not be looked up. */
export async function searchProven(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
): Promise<{ json: string | Buffer[]; isProven: boolean }> {
  const condition = scope.proof ?? raw('false');
  const columns = sql`${documentJson(table, names)} as json, ${condition} as proven`;
  const proof = search.size === 0 ? { condition, isProven: false } : undefined;
  const result = await findRows(db, table, scope, search, { columns, names, use: 'proven', proof }, now);
  const { data, total } = result;
  const isProven = data.length > 0 ? data.every(({ proven }) => proven === true) : result.isProven === true;
  const json = createReplyWriter().end(data, total);
  return { json, isProven: isProven || proof?.isProven === true };
}

function createReplyWriter() {
  const { write, end } = createTextWriter();
  let separator = '{"data":[';
  const add = (json: string): void => {
    write(separator);
    write(json);
    separator = ',';
  };
  return {
    add,
    end: (rows: readonly DocumentRow[], total: number): string | Buffer[] => {
      for (const { json } of rows) add(json as string);
      write(`${separator === ',' ? '' : separator}],"total":${total}}`);
      return end();
    },
  };
}
