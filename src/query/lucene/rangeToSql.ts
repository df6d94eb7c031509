import { join, type Sql, sql } from '../../lib/sql.ts';
import type { Predicate } from './predicate.ts';
import { findColumn, type SqlSource, someJsonNumber, someValue } from './sqlSource.ts';

type Range = Extract<Predicate, { type: 'range' }>;

/** Whether a number of the field lies within the bounds, both included. */
export function rangeToSql(range: Range, source: SqlSource): Sql {
  const { field, min = -Infinity, max = Infinity } = range;
  if (min === Infinity || max === -Infinity) return sql`false`;
  const found = findColumn(field, source);
  if (found?.column.store === 'json') return someJsonNumber(field, found, range);
  if (found?.column.store === 'number' && field.type !== 'double')
    return integers(found.column.sql, min, max);
  return someValue(field, source, 'number', (number) =>
    both(
      range.min === undefined ? undefined : sql`${number} >= ${min}::float8`,
      range.max === undefined ? undefined : sql`${number} <= ${max}::float8`,
    ),
  );
}

/** Compares without a cast, so an index and the planner's statistics apply; every value fits into a double. */
function integers(column: Sql, min: number, max: number): Sql {
  const limit = Number.MAX_SAFE_INTEGER;
  if (min > limit || max < -limit) return sql`false`;
  const bounds =
    min === max
      ? sql`${column} = ${min}::bigint`
      : both(
          min < -limit ? undefined : sql`${column} >= ${min}::bigint`,
          max > limit ? undefined : sql`${column} <= ${max}::bigint`,
        );
  return sql`(${column} is not null and ${bounds})`;
}

function both(lower: Sql | undefined, upper: Sql | undefined): Sql {
  return join(
    [lower, upper].filter((bound) => bound !== undefined).concat(lower || upper ? [] : [sql`true`]),
    ' and ',
  );
}
