import type { Db } from '../../db/db.ts';
import type { ParsedQuery, QueryInput } from '../compile/compileQuery.ts';
import type { DocumentScope, DocumentTable } from '../documents/documentTable.ts';
import { type CellCount, countByRollup } from '../rollups/countByRollup.ts';
import { dayMs } from '../rollups/rollups.ts';
import { createCellTest, kindOf } from './createCellTest.ts';

type Search = Pick<QueryInput, 'timeseries'> & { parsed?: ParsedQuery | undefined };

/** Far beyond every alert, and the end of a day. */
const end = 3_000_000 * dayMs - 1;

/** Number of hits, up to a limit that the last weeks often reach; undefined where the roll-ups lack it. */
export async function countUpToByCells(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: Search,
  { now, limit }: { now: number; limit: number },
): Promise<number | undefined> {
  const count = createCellCounter(db, table, scope, search);
  if (limit <= fewHits && !search.timeseries) {
    const from = Math.floor(now / dayMs - recentDays) * dayMs;
    const recent = await count?.([{ from, to: end }]);
    if (!recent || sumOf(recent) >= limit) return recent && limit;
  }
  const all = await count?.(search.timeseries);
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
  table: DocumentTable,
  scope: DocumentScope,
  search: Search,
): Promise<CellCount[] | undefined> {
  return createCellCounter(db, table, scope, search)?.(search.timeseries);
}

type CellCounter = (timeseries: QueryInput['timeseries']) => Promise<CellCount[] | undefined>;

function createCellCounter(
  db: Db,
  { name }: DocumentTable,
  { counted }: DocumentScope,
  { parsed }: Search,
): CellCounter | undefined {
  const isCounted = name === 'alert' && counted ? createCellTest(parsed, counted) : undefined;
  if (!counted || !isCounted) return undefined;
  return async (timeseries = [{ from: 0, to: end }]) => {
    const [time, another] = timeseries;
    if (!time || another) return undefined;
    const [from, to] = [Math.max(0, time.from), Math.min(end, time.to)];
    if (from > to) return [];
    const counts = await countByRollup(db, counted, { from, to, starts: [from] });
    return counts?.filter(
      (cell) => isCounted(cell) && (counted.kind === undefined || kindOf(cell.group) === counted.kind),
    );
  };
}
