import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { invalid } from '../../model/errors.ts';
import type { Catalogue, ScalarField } from './catalogue.ts';
import { quote } from './invalidWhere.ts';
import { type Resolved, resolve } from './resolve.ts';

export type WhereSortItem = { field: string; order?: 'asc' | 'desc'; direction?: 'asc' | 'desc' };

/** The ORDER BY clause: nulls last, text by code point, and a unique key at the end, so pages never overlap. */
export function compileSort(
  sort: readonly WhereSortItem[] | undefined,
  catalogue: Catalogue,
  tieBreaker: Sql,
): Sql {
  if (sort?.length === 0)
    throw invalid('/sort', 'too-few', 'Name at least one field to sort by, or leave sort out.');
  const keys = new Map<string, Sql>();
  for (const [index, item] of (sort ?? []).entries()) {
    // A field that was already sorted by cannot change the order any more.
    if (!keys.has(item.field)) keys.set(item.field, toKey(item, `/sort/${index}`, catalogue));
  }
  return join([...keys.values(), tieBreaker], ', ');
}

function toKey({ field: path, order, direction }: WhereSortItem, pointer: string, catalogue: Catalogue): Sql {
  if (order !== undefined && direction !== undefined && order !== direction) {
    throw invalid(
      `${pointer}/field`,
      'contradiction',
      `${quote(path)} cannot be sorted both ${order} and ${direction}; give one of them.`,
    );
  }
  const resolved = resolve(path.split('.'), catalogue);
  if ('fault' in resolved)
    throw invalid(`${pointer}/field`, 'unknown-field', `Cannot sort: ${resolved.fault}.`);
  const descending = (order ?? direction) === 'desc';
  const value = toSortable(resolved, descending);
  if (value === undefined) {
    throw invalid(
      `${pointer}/field`,
      'not-sortable',
      `Cannot sort: ${quote(path)} has no order, because it is not a single plain value.`,
    );
  }
  return sql`${value} ${raw(descending ? 'desc' : 'asc')} nulls last`;
}

/** Undefined for objects, free-form JSON, whose values may have any type, and members inside a list of objects. */
function toSortable({ field, outer }: Resolved, descending: boolean): Sql | undefined {
  if (field.type === 'one' || field.type === 'many' || field.type === 'json') return undefined;
  if (outer.some(({ type }) => type === 'many')) return undefined;
  return outer.reduceRight(
    (inner, { from }) => sql`(select ${inner} from ${from})`,
    scalarKey(field, descending),
  );
}

function scalarKey({ type, column, array }: ScalarField, descending: boolean): Sql {
  if (type === 'date') return sql`(${column})::timestamptz`;
  const collation = raw(type === 'string' ? ' collate "C"' : '');
  if (!array) return sql`(${column})${collation}`;
  // The least item when ascending, the greatest when descending.
  const key = sql`sort_item.value${collation}`;
  const order = raw(descending ? 'desc' : 'asc');
  return sql`(select ${key} from unnest(${column}) as sort_item(value) order by ${key} ${order} nulls last limit 1)`;
}
