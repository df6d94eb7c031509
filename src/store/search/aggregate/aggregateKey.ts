import { raw, type Sql, sql } from '../../../lib/sql.ts';
import { invalid } from '../../../model/errors.ts';
import type { Buckets } from '../../../query/interval.ts';
import type { Db } from '../../db/db.ts';
import type { DocumentTable } from '../documents/documentTable.ts';
import type { PlannedItem } from './aggregateItem.ts';
import type { Level } from './aggregateLevel.ts';

const maxEdges = 10_000;

/** The keys of an item's buckets. */
export async function aggregateKey(
  db: Db,
  table: DocumentTable,
  { values, buckets, pointer }: PlannedItem,
  condition: Sql,
): Promise<Level['key']> {
  if (!values) throw new Error(`The item ${pointer} has buckets, but no field.`);
  if (buckets?.type !== 'histogram') return values;
  const value = sql`${values.sql}::bigint`;
  const start = buckets.isEven
    ? evenStart(buckets.starts, value)
    : edgeStart(await findEdges(db, table, buckets.starts, value, condition, pointer), value);
  return { sql: start, isMany: false, type: 'bigint' };
}

/** No time is before the epoch, so that division rounds down. */
function evenStart(starts: Buckets, value: Sql): Sql {
  const origin = starts.start(0);
  const size = starts.next(origin) - origin;
  return sql`((${value} - ${origin}::bigint) / ${size}::bigint * ${size}::bigint + ${origin}::bigint)`;
}

function edgeStart(edges: readonly number[], value: Sql): Sql {
  return sql`(${edges}::bigint[])[width_bucket(${value}, ${edges}::bigint[])]`;
}

/** Months and the days of a time zone vary in length, so their starts are computed here, not in the database. */
async function findEdges(
  db: Db,
  table: DocumentTable,
  starts: Buckets,
  value: Sql,
  condition: Sql,
  pointer: string,
): Promise<number[]> {
  const [range] = await db.query<{ low: number | null; high: number | null }>(
    sql`select min(${value}) as low, max(${value}) as high from ${raw(table.name)} t where ${condition}`,
  );
  if (range?.low == null || range.high === null) return [];
  const edges: number[] = [];
  for (let start = starts.start(range.low); start <= range.high; start = starts.next(start)) {
    if (edges.length === maxEdges) {
      throw invalid(
        `${pointer}/interval`,
        'too-many-buckets',
        `The alerts lie more than ${maxEdges.toLocaleString('en-US')} intervals apart; ` +
          'take a longer interval or narrow the query.',
      );
    }
    edges.push(start);
  }
  return edges;
}
