import { join, raw, type Sql, sql } from '../../../lib/sql.ts';
import { invalid } from '../../../model/errors.ts';
import { subField } from '../../../query/lucene/mapping.ts';
import { isPlainDecimalSql } from '../../../query/lucene/sqlSource.ts';
import type { Db } from '../../db/db.ts';
import { type DocumentTable, memberColumn } from './documentTable.ts';

export type SortItem = { field: string; order?: 'asc' | 'desc'; direction?: 'asc' | 'desc' };

/**
 * ORDER BY: nulls last, texts by code point, the least or greatest of several values, and finally a unique key, so
 * pages never overlap. `upToTime` is without that key.
 */
export type SortClause = { whole: Sql; upToTime: Sql };

export function sortSql(table: DocumentTable, sort: readonly SortItem[] | undefined): SortClause {
  const items = (sort ?? []).map((item, index) => {
    if (item.order && item.direction && item.order !== item.direction) {
      throw invalid(
        `/sort/${index}/direction`,
        'contradiction',
        '`order` and `direction` are two names of one thing.',
      );
    }
    const order = item.order ?? item.direction ?? 'asc';
    const value = sortValue(table, item.field, order, `/sort/${index}/field`);
    // Without `nulls last`, which a column that is never null does not need, the index returns this order.
    return item.field === 'timestamp' || item.field === 'uid'
      ? sql`${value} ${raw(order)}`
      : sql`${value} ${raw(order)} nulls last`;
  });
  const upToTime = join([...items, raw('t.timestamp desc')], ', ');
  return { upToTime, whole: sql`${upToTime}, t.uid` };
}

/** The default order. */
export function isNewestFirst(sort: readonly SortItem[] | undefined): boolean {
  const [first, second] = sort ?? [];
  if (!first) return true;
  return first.field === 'timestamp' && (first.order ?? first.direction) === 'desc' && !second;
}

function sortValue(table: DocumentTable, name: string, order: 'asc' | 'desc', pointer: string): Sql {
  if (name === 'uid') return raw('t.uid');
  const field = table.mapping.fields.get(name);
  if (field?.type === 'text') throw invalid(pointer, 'not-sortable', `is a text; sort by ${name}.keyword.`);
  const column = field && table.columns.get(field.path.join('.'));
  if (column?.store === 'text[]') {
    const pick = raw(order === 'asc' ? 'min' : 'max');
    return sql`(select ${pick}(v.value collate "C") from unnest(${column.sql}) v(value))`;
  }
  if (column && column.store !== 'json') {
    return column.store === 'text' ? sql`(${column.sql}) collate "C"` : column.sql;
  }
  const member = dynamicMember(table, name);
  if (member === undefined)
    throw invalid(pointer, 'unknown-field', `is not a field: there is no ${name} to sort on.`);
  return dynamicKey(member, order);
}

/** A member of a dynamic object as a sort names it: `meta.x`, or `meta.x.keyword` for its texts only. */
type DynamicMember = { column: Sql; path: readonly string[]; isText: boolean };

function dynamicMember(table: DocumentTable, name: string): DynamicMember | undefined {
  const root = table.mapping.dynamic.find((member) => name.startsWith(`${member}.`));
  if (root === undefined) return undefined;
  const isText = name.endsWith(subField);
  const path = (isText ? name.slice(0, -subField.length) : name).split('.').slice(1);
  return path.includes('') ? undefined : { column: memberColumn(table, root).sql, path, isText };
}

/**
 * The least value of a member, or the greatest in descending order: numbers and decimal texts come before other texts
 * (by code point), then false and true. Null without any.
 */
function dynamicKey({ column, path, isText }: DynamicMember, order: 'asc' | 'desc'): Sql {
  const key = isText ? textKey : valueKey;
  const values = sql`select ${key(sql`v.value`)} as key
    from jsonb_path_query(${column}, ${jsonPath(path)}::jsonpath) v(value)
    where jsonb_typeof(v.value) ${isText ? sql`= 'string'` : sql`in ('number', 'string', 'boolean')`}`;
  const chosen = sql`(select k.key from (${values}) k order by k.key ${raw(order)} limit 1)`;
  const [name] = path;
  if (path.length > 1 || name === undefined) return chosen;
  const value = sql`(${column} -> ${name}::text)`;
  const single = isText
    ? sql`case when jsonb_typeof(${value}) = 'string' then ${key(value)} end`
    : key(value);
  return sql`(case when jsonb_typeof(${value}) = 'array' then ${chosen} else ${single} end)`;
}

/** Rows compare member by member. */
function valueKey(value: Sql): Sql {
  const text = sql`(${value} #>> '{}')`;
  const number = sql`row(1, ${text}::numeric, null::bytea)`;
  return sql`(case jsonb_typeof(${value}) when 'number' then ${number}
    when 'string' then case when ${isPlainDecimalSql(text)} then ${number} else ${textKey(value)} end
    when 'boolean' then row(3, ${value}::boolean::int::numeric, null::bytea) end)`;
}

/** Bytes of UTF-8 are in the order of code points. */
function textKey(value: Sql): Sql {
  return sql`row(2, null::numeric, convert_to(${value} #>> '{}', 'UTF8'))`;
}

function jsonPath(path: readonly string[]): string {
  return `$${path.map((name) => `[*][*].${JSON.stringify(name)}`).join('')}[*][*][*]`;
}

/** Enough documents to find the type of a member. */
const sampleSize = 50;

/** Objects have no order: rejects a sort by a member that is always an object. */
export async function rejectObjectSort(
  db: Db,
  table: DocumentTable,
  condition: Sql,
  sort: readonly SortItem[] | undefined,
): Promise<void> {
  for (const [index, { field }] of (sort ?? []).entries()) {
    const member = table.mapping.fields.has(field) ? undefined : dynamicMember(table, field);
    if (!member || field === 'uid') continue;
    const values = sql`select jsonb_path_query_first(${member.column}, ${jsonPath(member.path)}::jsonpath) as value
      from ${raw(table.name)} t where ${condition}`;
    const [row] = await db.query<{ isObject: boolean | null }>(
      sql`select bool_and(jsonb_typeof(f.value) = 'object') as "isObject"
        from (select value from (${values}) v where value is not null limit ${sampleSize}) f`,
    );
    if (row?.isObject) {
      throw invalid(
        `/sort/${index}/field`,
        'not-sortable',
        `is an object, which has no order; sort by one of its members, such as ${field}.name.`,
      );
    }
  }
}
