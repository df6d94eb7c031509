import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { invalid } from '../../model/errors.ts';
import type { DocumentTable } from './documentTable.ts';

export type SortItem = { field: string; order?: 'asc' | 'desc'; direction?: 'asc' | 'desc' };

/**
 * What follows ORDER BY: nulls last, texts by code point, and always a last word so that pages never overlap. `upToTime`
 * is the same without that word, which only tells documents of the same time apart.
 */
export type Order = { whole: Sql; upToTime: Sql };

export function sortSql(table: DocumentTable, sort: readonly SortItem[] | undefined): Order {
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
    // A column that is never null needs no word on nulls, and can then be read from its index in order.
    return item.field === 'timestamp' || item.field === 'uid'
      ? sql`${value} ${raw(order)}`
      : sql`${value} ${raw(order)} nulls last`;
  });
  const upToTime = join([...items, raw('t.timestamp desc')], ', ');
  return { upToTime, whole: sql`${upToTime}, t.uid` };
}

/** The order when none is asked for. */
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
  const root = table.mapping.dynamic.find((member) => name.startsWith(`${member}.`));
  if (root === undefined)
    throw invalid(pointer, 'unknown-field', `is not a field: there is no ${name} to sort on.`);
  const isText = name.endsWith('.keyword');
  const path = (isText ? name.slice(0, -'.keyword'.length) : name).split('.').slice(1);
  const value = sql`(${table.columns.get(root)!.sql} #> ${path}::text[])`;
  return isText
    ? sql`(case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end) collate "C"`
    : sql`(case when jsonb_typeof(${value}) = 'number' then (${value} #>> '{}')::float8 end)`;
}
