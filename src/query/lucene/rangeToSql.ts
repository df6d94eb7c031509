import { join, type Sql, sql } from '../../lib/sql.ts';
import { booleanTerm, textTerm } from '../memberTerms.ts';
import { rangeTerms } from '../numberTerms.ts';
import type { Predicate } from './predicate.ts';
import { always, anyTerm, never, orMatcher, type SqlPredicate } from './sqlPredicate.ts';
import {
  findColumn,
  memberName,
  type SqlSource,
  someJsonDecimal,
  someJsonNumber,
  someValue,
} from './sqlSource.ts';

type Range = Extract<Predicate, { type: 'range' }>;
type DecimalRange = Extract<Predicate, { type: 'decimalRange' }>;

/** True if a number of the field lies within the bounds, both included. */
export function rangeToSql(range: Range, source: SqlSource): SqlPredicate {
  const { field, min = -Infinity, max = Infinity } = range;
  const location = findColumn(field, source);
  if (!location || min === Infinity || max === -Infinity) return never;
  const { only } = location.column;
  const possible = only?.filter((value) => value >= min && value <= max);
  if (possible?.length === 0) return never;
  if (only && possible?.length === only.length) return always;
  const condition = rangeCondition(range, source);
  return { ...orMatcher(field, condition), ...narrowRange(range, location, condition, source) };
}

/** True if a number of a dynamic member, or a decimal text, lies within the bounds. */
export function decimalRangeToSql(range: DecimalRange, source: SqlSource): SqlPredicate {
  const { field, lower, upper } = range;
  const location = findColumn(field, source);
  if (location?.column.store !== 'json') return never;
  const { hash, hasMemberTerms, hasDecimalTerms } = source;
  const part = orMatcher(field, someJsonDecimal(field, location, range));
  if (!location.column.hashed || !hash || !hasMemberTerms) return part;
  const { member, any } = rangeTerms(lower && Number(lower.number), upper && Number(upper.number));
  const hashesOf = (name: string, terms: readonly string[]) => anyTerm(terms.map((term) => hash(name, term)));
  // Until the index has decimal texts, any text of the member may be one.
  const named = [...member, ...(hasDecimalTerms ? [] : [textTerm])];
  return {
    ...part,
    narrow: [
      ...(field.glob === undefined ? [hashesOf(memberName(field), named)] : []),
      ...(any && hasDecimalTerms ? [hashesOf(location.name, any)] : []),
    ],
  };
}

/** True if a boolean of the field equals `value`. */
export function flagToSql(
  { field, value }: Extract<Predicate, { type: 'is' }>,
  source: SqlSource,
): SqlPredicate {
  const condition = someValue(field, source, 'boolean', (flag) => sql`${flag} = ${value}`);
  const part = orMatcher(field, condition);
  const location = findColumn(field, source);
  const { hash, hasMemberTerms } = source;
  if (!location?.column.hashed || !hash || !hasMemberTerms) return part;
  if (location.column.store === 'json')
    return { ...part, narrow: [anyTerm([hash(memberName(field), booleanTerm(value))])] };
  return value ? { ...part, narrow: [anyTerm([hash(location.name, 'true')])] } : part;
}

function rangeCondition(range: Range, source: SqlSource): Sql {
  const { field, min = -Infinity, max = Infinity } = range;
  const location = findColumn(field, source);
  if (location?.column.store === 'json') return someJsonNumber(field, location, range);
  if (location?.column.store === 'number' && field.type !== 'double')
    return integers(location.column.sql, min, max);
  return someValue(field, source, 'number', (number) =>
    both(
      range.min === undefined ? undefined : sql`${number} >= ${min}::float8`,
      range.max === undefined ? undefined : sql`${number} <= ${max}::float8`,
    ),
  );
}

type FoundColumn = NonNullable<ReturnType<typeof findColumn>>;

/** The index condition for the numbers of a range, if there is one. */
function narrowRange(
  { min, max }: Range,
  { name, column }: FoundColumn,
  condition: Sql,
  { hash, hasMemberTerms, tenants }: SqlSource,
): Pick<SqlPredicate, 'narrow' | 'choice' | 'common'> {
  if (column.indexed === 'alone') return { narrow: [{ hashes: [], rows: [condition] }] };
  if (column.indexed && tenants)
    return { narrow: [{ hashes: [], rows: [sql`(${tenants} and ${condition})`] }] };
  if (!hash || !hasMemberTerms) return { narrow: [] };
  const { stands } = column;
  if (stands) {
    const values = Array.from(stands.of).filter(
      ([, number]) => number >= (min ?? -Infinity) && number <= (max ?? Infinity),
    );
    const choice = anyTerm(values.map(([value]) => hash(stands.for, value)));
    return { narrow: [], choice, common: condition };
  }
  const isEqual = column.store === 'number' && column.hashed && min !== undefined && min === max;
  return { narrow: isEqual ? [anyTerm([hash(name, String(min))])] : [] };
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
