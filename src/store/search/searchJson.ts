import { createTextWriter } from '../../lib/createTextWriter.ts';
import { sql } from '../../lib/sql.ts';
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
  /** What the answer lacks. */
  missing?: readonly string[],
): Promise<string | Buffer[]> {
  const seen = asSeenIn(table, scope);
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
    end: (rows: readonly DocumentRow[], total: number, missing?: readonly string[]): string | Buffer[] => {
      for (const { json } of rows) add(json as string);
      const partial = missing ? `,"partial":${JSON.stringify(missing)}` : '';
      write(`${separator === ',' ? '' : separator}],"total":${total}${partial}}`);
      return end();
    },
  };
}
