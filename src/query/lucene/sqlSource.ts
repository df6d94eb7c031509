import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { plainDecimal } from '../plainDecimal.ts';
import type { Field } from './mapping.ts';
import type { Pattern } from './patternNode.ts';
import type { Predicate } from './predicate.ts';

/** The place of a field's values: a column, an array of texts, or a JSON document. */
export type SqlColumn = {
  sql: Sql;
  store: 'text' | 'text[]' | 'number' | 'boolean' | 'json';
  /** Form of its terms in the inverted index, if they are there; of booleans only true. */
  hashed?: 'whole' | 'words';
  /** Set if a further index finds rows by comparing it, alone or beside the tenant. */
  indexed?: 'alone' | 'with tenant';
  /** An indexed condition that rows with one of these values fulfil. */
  find?: (values: readonly string[]) => Sql;
  /** The same for those rows that have one of these values but no term for it; undefined if there are none. */
  findUnhashed?: (values: readonly string[]) => Sql | undefined;
  /** A number that stands for a hashed keyword, and the values of that. */
  stands?: { for: string; of: ReadonlyMap<string, number> };
  /** The only numbers that rows of this search have in it. */
  only?: readonly number[];
  /** The number that is stored for each of its few values, which is compared faster than the text it stands for. */
  codes?: { sql: Sql; of: ReadonlyMap<string, number> };
  /** False for values that it never has, so that nothing is searched for them. */
  isPossible?: (value: string) => boolean;
  /** All values that it can have, where they are few. */
  values?: readonly string[];
  /** Pattern that all of its characters fit. */
  characters?: RegExp;
  /** True if most rows have none. */
  isRare?: boolean;
  /** True if every row has one. */
  isRequired?: boolean;
  /** The text as JSON, where PostgreSQL writes that faster than it escapes the text. */
  json?: Sql;
};

export type SqlSource = {
  /** By dotted path; a JSON column serves every path below its own. */
  columns: ReadonlyMap<string, SqlColumn>;
  /** JSON map of the row's texts that PostgreSQL cannot cut into words itself. */
  oddWords: Sql;
  /** The column of the row's hashes. */
  terms?: Sql;
  /** The hashes of a term under a column's name, for all tenants searched; absent where there is no inverted index. */
  hash?: (column: string, term: string) => TermHashes;
  /** True if the index has the terms of numbers and booleans, and of whole short texts. */
  hasMemberTerms?: boolean;
  /** True if the index also has the numbers that are plain decimal texts. */
  hasDecimalTerms?: boolean;
  /** True if the index has the beginnings of addresses and hashes. */
  hasBeginnings?: boolean;
  /** About how many rows have the term, as far as that is known. */
  countOf?: (column: string, term: string) => number;
  /** Words, or terms of how words begin, one of which every match of a pattern has in its field, where all of them are known. */
  wordsOf?: (pattern: Pattern) => readonly string[] | undefined;
  /** The condition on the tenants searched. */
  tenants?: Sql;
};

/** Lists of hashes; a row with the term has one of each list. */
export type TermHashes = readonly (readonly number[])[];

type Found = { name: string; column: SqlColumn; below: readonly string[] };

export function findColumn(
  field: Pick<Field, 'path'>,
  source: Pick<SqlSource, 'columns'>,
): Found | undefined {
  for (let length = field.path.length; length > 0; length--) {
    const name = field.path.slice(0, length).join('.');
    const column = source.columns.get(name);
    if (column) return { name, column, below: field.path.slice(length) };
  }
  return undefined;
}

/** The name under which the index has the terms of a dynamic member, or for a name pattern those of any. */
export function memberName({ path }: Field): string {
  return path.join('.');
}

/** True if any value of the field passes the test; the test gets text, float8 or boolean SQL. */
export function someValue(
  field: Field,
  source: SqlSource,
  kind: 'string' | 'number' | 'boolean' | 'any',
  test: (value: Sql) => Sql,
): Sql {
  const location = findColumn(field, source);
  if (!location) return sql`false`;
  const { column } = location;
  switch (column.store) {
    case 'json':
      return someJson(field, location, kind, test);
    case 'text[]':
      return sql`exists (select 1 from unnest(${column.sql}) v(value) where ${test(sql`v.value`)})`;
    case 'number':
      return kind === 'boolean' ? sql`false` : notNull(column.sql, test(asKind(column.sql, kind)));
    case 'boolean':
      return kind === 'number'
        ? sql`false`
        : notNull(column.sql, test(kind === 'string' ? sql`${column.sql}::text` : column.sql));
    case 'text':
      return kind === 'string' || kind === 'any' ? notNull(column.sql, test(column.sql)) : sql`false`;
  }
}

function asKind(value: Sql, kind: 'string' | 'number' | 'any'): Sql {
  return kind === 'string' ? sql`${value}::text` : sql`${value}::float8`;
}

function notNull(column: Sql, test: Sql): Sql {
  return sql`(${column} is not null and ${test})`;
}

type Kind = 'string' | 'number' | 'boolean' | 'any';

/** Items of arrays are values of their own, up to three levels deep; a single value is tried without unfolding it. */
function someJson(field: Field, { column, below }: Found, kind: Kind, test: (value: Sql) => Sql): Sql {
  const path = isMany(field) ? `${jsonPath(below)}.**` : `${jsonPath(below)}[*][*][*]`;
  const unfolded = sql`exists (select 1 from jsonb_path_query(${column.sql}, ${path}::jsonpath) v(value)
    where ${jsonTest(field, kind, sql`v.value`, test)})`;
  const member = singleMember(field, { column, below });
  if (!member) return unfolded;
  return sql`(case jsonb_typeof(${member}) when 'array' then ${unfolded}
    else coalesce(${jsonTest(field, kind, member, test)}, false) end)`;
}

/** True if a number of a JSON field is within bounds; compared as doubles, like numbers of JavaScript. */
export function someJsonNumber(
  field: Field,
  { column, below }: Found,
  { min, max }: { min?: number; max?: number },
): Sql {
  const bounds = [
    '@.type() == "number"',
    ...(min === undefined ? [] : [`@ >= ${min}`]),
    ...(max === undefined ? [] : [`@ <= ${max}`]),
  ];
  // The test itself unfolds an array once more.
  const path = isMany(field) ? `${jsonPath(below)}.**` : `${jsonPath(below)}[*][*]`;
  const unfolded = sql`jsonb_path_exists(${column.sql}, ${`${path} ? (${bounds.join(' && ')})`}::jsonpath)`;
  const member = singleMember(field, { column, below });
  if (!member) return unfolded;
  const test = join(
    [
      ...(min === undefined ? [] : [sql`${member} >= ${String(min)}::jsonb`]),
      ...(max === undefined ? [] : [sql`${member} <= ${String(max)}::jsonb`]),
      ...(min === undefined && max === undefined ? [sql`true`] : []),
    ],
    ' and ',
  );
  return sql`(case jsonb_typeof(${member}) when 'number' then ${test} when 'array' then ${unfolded} else false end)`;
}

/**
 * True if an object has a member at or above every name that fits a pattern; rows where no name fits mostly have none.
 */
export function someMember({ glob = '*', path }: Field, source: SqlSource): Sql {
  const column = findColumn({ path }, source)?.column;
  const root = `${path.join('.')}.`;
  const beginning = glob.slice(0, glob.indexOf('*'));
  if (!column || path.length > 1 || !beginning.startsWith(root) || beginning === root) return sql`true`;
  const below = beginning.slice(root.length);
  return sql`(case when jsonb_typeof(${column.sql}) <> 'object' then true else exists (
    select 1 from jsonb_object_keys(${column.sql}) k(name)
    where starts_with(k.name, ${below}) or starts_with(${below}, k.name || '.')) end)`;
}

type DecimalBounds = Pick<Extract<Predicate, { type: 'decimalRange' }>, 'lower' | 'upper'>;

/** True if a number of a JSON field, or a plain decimal text, is within bounds; compared exactly. */
export function someJsonDecimal(field: Field, { column, below }: Found, bounds: DecimalBounds): Sql {
  const plain = `@.type() == "string" && @ like_regex "${plainDecimal}"`;
  const inPath = ['@.type() == "number"', ...comparisons(bounds).map(({ sign, end }) => `@ ${sign} ${end}`)];
  // The test itself unfolds an array once more.
  const path = isMany(field) ? `${jsonPath(below)}.**` : `${jsonPath(below)}[*][*]`;
  const unfolded = sql`exists (select 1
    from jsonb_path_query(${column.sql}, ${`${path} ? (${inPath.join(' && ')} || ${plain})`}::jsonpath) v(value)
    where ${within(bounds, sql`(v.value #>> '{}')::numeric`, 'numeric')})`;
  const member = singleMember(field, { column, below });
  if (!member) return unfolded;
  const text = sql`(${member} #>> '{}')`;
  return sql`(case jsonb_typeof(${member}) when 'number' then ${within(bounds, member, 'jsonb')}
    when 'string' then case when ${isPlainDecimalSql(text)}
      then ${within(bounds, sql`${text}::numeric`, 'numeric')} else false end
    when 'array' then ${unfolded} else false end)`;
}

function within(bounds: DecimalBounds, value: Sql, type: 'numeric' | 'jsonb'): Sql {
  const tests = comparisons(bounds).map(({ sign, end }) => sql`${value} ${raw(sign)} ${end}::${raw(type)}`);
  return tests.length === 0 ? sql`true` : join(tests, ' and ');
}

function comparisons({ lower, upper }: DecimalBounds): { sign: string; end: string }[] {
  return [
    ...(lower ? [{ sign: lower.isInclusive ? '>=' : '>', end: lower.number }] : []),
    ...(upper ? [{ sign: upper.isInclusive ? '<=' : '<', end: upper.number }] : []),
  ];
}

/** Only such a text can be cast to a number. */
export function isPlainDecimalSql(text: Sql): Sql {
  return sql`${text} ~ ${plainDecimal}`;
}

function isMany(field: Field): boolean {
  return field.glob !== undefined || field.type === 'object';
}

function jsonPath(below: readonly string[]): string {
  return `$${below.map((name) => `[*][*].${JSON.stringify(name)}`).join('')}`;
}

/** The value of a field that has only one location. */
function singleMember(field: Field, { column, below }: Pick<Found, 'column' | 'below'>): Sql | undefined {
  const [name] = below;
  if (isMany(field) || name === undefined || below.length > 1) return undefined;
  return sql`(${column.sql} -> ${name}::text)`;
}

/** A value of the wrong kind does not pass. */
function jsonTest(field: Field, kind: Kind, json: Sql, test: (value: Sql) => Sql): Sql {
  const value = sql`(${json} #>> '{}')`;
  switch (kind) {
    case 'string':
      // A member that is not dynamic is of the type it is mapped to, and its number is its digits.
      return field.isDynamic
        ? sql`jsonb_typeof(${json}) = 'string' and ${test(value)}`
        : sql`jsonb_typeof(${json}) in ('string', 'number', 'boolean') and ${test(value)}`;
    case 'number':
      return sql`case when jsonb_typeof(${json}) = 'number' then ${test(sql`${value}::float8`)} else false end`;
    case 'boolean':
      return sql`case when jsonb_typeof(${json}) = 'boolean' then ${test(sql`${value}::boolean`)} else false end`;
    case 'any':
      return sql`jsonb_typeof(${json}) in ('string', 'number', 'boolean')`;
  }
}
