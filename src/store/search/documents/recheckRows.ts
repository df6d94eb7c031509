import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { join, raw, type Sql, sql } from '../../../lib/sql.ts';
import { Problem } from '../../../model/errors.ts';
import { createPacedMatcher } from '../../../query/lucene/createPacedMatcher.ts';
import { createSubject } from '../../../query/lucene/createSubject.ts';
import { fieldsOf, type Predicate } from '../../../query/lucene/predicate.ts';
import type { Db } from '../../db/db.ts';
import { type DocumentTable, memberColumn } from './documentTable.ts';

/** At most this many rows are read to recheck what SQL matches only approximately. */
const maxRechecked = 100_000;

/** The matcher rechecks the rows that SQL found; the search continues with those that match. */
export async function recheckRows(
  db: Db,
  table: DocumentTable,
  condition: Sql,
  predicate: Predicate,
): Promise<Sql> {
  const names = [...new Set(fieldsOf(predicate).flatMap(({ path }) => path.slice(0, 1)))].filter((name) =>
    table.columns.has(name),
  );
  const columns = names.map((name) => sql`${memberColumn(table, name).sql} as ${raw(`"${name}"`)}`);
  const rows = await db.query<{ [member: string]: unknown; _uid: string; _timestamp: number }>(
    sql`select ${join([...columns, raw('t.uid as _uid'), raw('t.timestamp as _timestamp')], ', ')}
      from ${raw(table.name)} t where ${condition} limit ${maxRechecked + 1}`,
  );
  if (rows.length > maxRechecked) {
    throw new Problem(
      'search-too-slow',
      `This query has to be checked row by row, and more than ${maxRechecked} rows are possible. ` +
        'Narrow it by a shorter time or by another condition.',
    );
  }
  const matches = createPacedMatcher(predicate);
  const passing: typeof rows = [];
  for (const row of rows) if (await matches(createSubject(row), yieldToEventLoop)) passing.push(row);
  const times = [...new Set(passing.map((row) => row._timestamp))];
  return sql`t.timestamp = any(${times}::bigint[]) and t.uid = any(${passing.map((row) => row._uid)}::uuid[])`;
}
