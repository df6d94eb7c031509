import { type Sql, sql } from '../../lib/sql.ts';
import type { Db } from './db.ts';

/**
 * Hits of a search, to be read page by page: the rows at the moment of the search, with their content when they are
 * read.
 */
export type ExportSource = {
  /** Number of rows that follow; fewer when some are deleted meanwhile. */
  count: number;
  /** False when more rows match than are exported. */
  isComplete: boolean;
  /** The JSON texts of rows from this position on, and the position of the next page. */
  read(at: number): Promise<ExportPage>;
};

export type ExportPage = { lines: string[]; next: number };

export const maxExportRows = 100_000;
const pageRows = 500;
/** A page ends with the row that passes this length, so that large rows do not fill the memory. */
const pageBytes = 1_000_000;

/** Number of keys to look for: one more than are exported shows that there are more. */
export function exportLimit(size: number | undefined): number {
  return Math.min(size ?? Number.POSITIVE_INFINITY, maxExportRows + 1);
}

/** `select` returns `n`, counted from 1, and the `json` of the rows at these positions. */
export async function readExportPage(
  db: Db,
  count: number,
  index: number,
  select: (from: number, to: number) => Sql,
): Promise<ExportPage> {
  const to = Math.min(index + pageRows, count);
  if (index >= to) return { lines: [], next: to };
  const rows = await db.query<{ n: number; json: string; before: number }>(
    sql`select n, json, before from (
        select n, json, (sum(octet_length(json)) over (order by n))::bigint - octet_length(json) as before
        from (${select(index, to)}) found) page
      where before < ${pageBytes} order by n`,
  );
  const last = rows.at(-1);
  const isFull = last !== undefined && last.before + Buffer.byteLength(last.json) >= pageBytes;
  return { lines: rows.map(({ json }) => json), next: isFull ? index + last.n : to };
}
