import type { Db } from '../../db/db.ts';
import type { QueryInput } from '../compile/compileQuery.ts';
import type { DocumentScope, DocumentTable, Proof } from '../documents/documentTable.ts';
import { type CellCount, countByRollup } from '../rollups/countByRollup.ts';
import { dayMs } from '../rollups/rollups.ts';
import { createCellTest, kindOf } from './createCellTest.ts';

/** Far beyond every alert, and the end of a day. */
const end = 3_000_000 * dayMs - 1;

/** Number of hits, up to a limit that the last weeks often reach; undefined where the roll-ups lack it. */
export async function countUpToByCells(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: QueryInput,
  now: number,
  limit: number,
  proof?: Proof,
): Promise<number | undefined> {
  if (limit <= fewHits && !search.timeseries) {
    const from = Math.floor(now / dayMs - recentDays) * dayMs;
    const recent = await countCells(
      db,
      table,
      scope,
      { ...search, timeseries: [{ from, to: end }] },
      now,
      proof,
    );
    if (!recent || sumOf(recent) >= limit) return recent && limit;
  }
  const all = await countCells(db, table, scope, search, now, proof);
  return all && Math.min(sumOf(all), limit);
}

const fewHits = 10_000;
const recentDays = 45;

export function sumOf(cells: readonly { count: number }[]): number {
  return cells.reduce((sum, { count }) => sum + count, 0);
}

/** The alerts that a search finds, by group and severity, from the roll-ups; undefined where these do not have them. */
export async function countCells(
  db: Db,
  { name }: DocumentTable,
  { counted }: DocumentScope,
  { query, timeseries = [{ from: 0, to: end }] }: QueryInput,
  now: number,
  proof?: Proof,
): Promise<CellCount[] | undefined> {
  const [time, another] = timeseries;
  if (name !== 'alert' || !counted || !time || another) return undefined;
  const isCounted = createCellTest(query, counted, now);
  if (!isCounted) return undefined;
  const [from, to] = [Math.max(0, time.from), Math.min(end, time.to)];
  if (from > to) return [];
  const counts = await countByRollup(db, counted, { from, to, starts: [from] }, proof);
  return counts?.filter(
    (cell) => isCounted(cell) && (counted.kind === undefined || kindOf(cell.group) === counted.kind),
  );
}
