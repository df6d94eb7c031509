import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { FieldValues } from './aggregateField.ts';
import type { PlannedItem } from './aggregateItem.ts';
import { columnNames, mergedColumns, partColumns, type Source, sortColumn } from './aggregateParts.ts';
import type { DocumentTable } from './documentTable.ts';

/** An item with buckets, and the keys that these have. */
export type Level = { item: PlannedItem; key: Pick<FieldValues, 'sql' | 'isMany' | 'type'> };

export type Reading = {
  table: DocumentTable;
  condition: Sql;
  /** The items around the first level, outermost first, and the buckets of these that are read. */
  ancestors: readonly Level[];
  slots: readonly { keys: readonly unknown[] }[];
  /** Each is nested in the one before it. */
  levels: readonly Level[];
  /** The conditions of the measures that have a query of their own. */
  filters: ReadonlyMap<PlannedItem, Sql>;
};

/**
 * One reading of the table for a chain of nested items. `base` groups by all keys of the chain; an outer level is merged
 * from it. A row of the answer is a bucket of the innermost level with the buckets around it: `s` is the slot, and of
 * level 1 (2, …) there are its key `k1` (null: the documents without one), `o1`, the sum of the counts of all buckets
 * beside it, and the parts `p1_0_*` of the item and `p1_1_*` … of its measures. `docs` counts the slot's documents.
 */
export function aggregateStatement(reading: Reading, limit: number): Sql {
  const { levels } = reading;
  const names = levels.map((_, index) => `x${index + 1}`);
  const joins = names.slice(1).map((name, index) => {
    const outer = names[index]!;
    const same = ['s', ...keyNames(index + 1)].map((column) => `${name}.${column} = ${outer}.${column}`);
    return raw(` left join ${name} on ${same.join(' and ')}`);
  });
  const columns = levels.flatMap((level, index) => [
    raw(`to_jsonb(${names[index]}.k${index + 1}) as k${index + 1}`),
    raw(`o${index + 1}`),
    ...measuresOf(level).flatMap((measure, number) =>
      columnNames(measure, `${names[index]}.${prefix(index, number)}`),
    ),
  ]);
  const order = names.flatMap((name, index) => [`${name}.k${index + 1} is null`, `r${index + 1}`]);
  return sql`with base as materialized (${base(reading)}), ${join(levels.map(choose), ', ')}
    select x1.s, docs, ${join(columns, ', ')} from x1${join(joins, '')}
    order by x1.s, ${raw(order.join(', '))} limit ${limit}`;
}

/** For an item without buckets that is in none: one row with its parts `p0_0_*`. */
export function measureStatement(table: DocumentTable, condition: Sql, item: PlannedItem): Sql {
  const source = sourceOf(item, 'm');
  const columns = partColumns(item, source, [], prefix(-1, 0));
  return sql`select ${join(columns, ', ')} from ${raw(table.name)} t ${manyValues(item, 'm')} where ${condition}`;
}

/** Names of columns begin with the level (from 1 on) and the number of the measure (0 is the item itself). */
export function prefix(level: number, measure: number): string {
  return `p${level + 1}_${measure}_`;
}

function base({ table, condition, ancestors, slots, levels, filters }: Reading): Sql {
  const keyFirst = levels.flatMap((level, index) =>
    level.key.isMany ? [{ index, first: first(`k${index}`) }] : [],
  );
  const measured = levels.flatMap((level, index) =>
    measuresOf(level).map((item, number) => ({
      index,
      number,
      item,
      source: sourceOf(item, `m${index}_${number}`),
    })),
  );
  const firsts = (but: unknown, deeperThan: number): Sql[] => [
    ...keyFirst.filter(({ index }) => index > deeperThan).map((key) => key.first),
    ...measured.flatMap((other) => (other !== but && other.source?.first ? [other.source.first] : [])),
  ];
  const columns = measured.flatMap((measure) => {
    const filter = filters.get(measure.item);
    const rows = [...firsts(measure, measure.index), ...(filter ? [sql`(${filter})`] : [])];
    return partColumns(measure.item, measure.source, rows, prefix(measure.index, measure.number));
  });
  const all = firsts(undefined, -1);
  const docs = all.length === 0 ? raw('count(*)') : sql`count(*) filter (where ${join(all, ' and ')})`;
  const keys = levels.map(({ key }, index) => sql`${keyValue(key, `k${index}`)} as ${raw(`k${index + 1}`)}`);
  const froms = [
    slotJoin(ancestors, slots),
    ...levels.map(({ key }, index) => (key.isMany ? keyRows(key.sql, `k${index}`, 'left') : raw(''))),
    ...measured.map(({ index, number, item }) => manyValues(item, `m${index}_${number}`)),
  ];
  const slot = ancestors.length === 0 ? raw('0') : raw('c.slot');
  return sql`select ${slot} as s, ${join([...keys, sql`${docs} as d`, ...columns], ', ')}
    from ${raw(table.name)} t ${join(froms, ' ')} where ${condition}
    group by ${raw(['1', ...keys.map((_, index) => String(index + 2))].join(', '))}`;
}

function measuresOf({ item }: Level): PlannedItem[] {
  return [item, ...item.measures];
}

function sourceOf({ values, words }: PlannedItem, alias: string): Source | undefined {
  if (!values || words.size === 0) return undefined;
  return values.isMany ? { value: raw(`${alias}.value`), first: first(alias) } : { value: values.sql };
}

function manyValues(item: PlannedItem, alias: string): Sql {
  if (!item.values?.isMany || item.words.size === 0) return raw('');
  return sql`left join lateral (select v.value, row_number() over () = 1 as first
    from (${item.values.sql}) v where v.value is not null) ${raw(alias)} on true`;
}

/** A document is in one bucket of each of its distinct values. */
function keyRows(values: Sql, alias: string, kind: 'left' | 'inner'): Sql {
  return sql`${raw(kind)} join lateral (select v.value, row_number() over () = 1 as first
    from (select distinct w.value from (${values}) w where w.value is not null) v) ${raw(alias)} on true`;
}

/** A document without values has one row all the same, in which this is null. */
function first(alias: string): Sql {
  return raw(`${alias}.first is not false`);
}

function keyValue(key: Level['key'], alias: string): Sql {
  return key.isMany ? raw(`${alias}.value`) : key.sql;
}

function slotJoin(ancestors: readonly Level[], slots: Reading['slots']): Sql {
  if (ancestors.length === 0) return raw('');
  const types = ancestors.map(({ key }, index) => `, a${index} ${key.type}`).join('');
  const rows = slots.map(({ keys }, slot) => ({
    slot,
    ...Object.fromEntries(keys.map((key, index) => [`a${index}`, key])),
  }));
  const same = ancestors.map(({ key }, index) => sql`${keyValue(key, `b${index}`)} = ${raw(`c.a${index}`)}`);
  const many = ancestors.map(({ key }, index) =>
    key.isMany ? keyRows(key.sql, `b${index}`, 'inner') : raw(''),
  );
  return sql`${join(many, ' ')} join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) c(slot int${raw(types)})
    on ${join(same, ' and ')}`;
}

function keyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${index + 1}`);
}

/** The buckets of one level that are answered, inside those that were chosen on the level around it. */
function choose(level: Level, index: number, levels: readonly Level[]): Sql {
  const place = index + 1;
  const outer = ['s', ...keyNames(index)];
  const partition = raw(`partition by ${outer.map((column) => `l.${column}`).join(', ')}`);
  const same = outer.map((column) => `y.${column} = l.${column}`).join(' and ');
  const within = index === 0 ? raw('') : raw(` join x${index} y on ${same}`);
  const docs = index === 0 ? sql`sum(l.d) over (${partition}) as docs,` : raw('');
  return sql`${raw(`x${place}`)} as (select * from (
    select l.*, ${docs}
      row_number() over (${partition} order by ${raw(`l.k${place}`)} is null, ${order(level, index)}) as ${raw(`r${place}`)},
      sum(${raw(`l.${prefix(index, 0)}docs`)}) filter (where ${raw(`l.k${place}`)} is not null) over (${partition})
        as ${raw(`o${place}`)}
    from ${place === levels.length ? raw('base') : mergedGroups(level, index)} l${within}) q
    where ${raw(`r${place}`)} <= ${sizeOf(level)} or ${raw(`k${place}`)} is null)`;
}

function mergedGroups(level: Level, index: number): Sql {
  const groups = raw(['s', ...keyNames(index + 1)].join(', '));
  const columns = measuresOf(level).flatMap((measure, number) =>
    mergedColumns(measure, prefix(index, number)),
  );
  return sql`(select ${join([groups, raw('sum(d) as d'), ...columns], ', ')} from base group by ${groups})`;
}

/** More buckets of a histogram than these are refused in any case. */
const histogramSize = 10_001;

function sizeOf({ item: { buckets } }: Level): number {
  return buckets?.type === 'terms' ? buckets.size : histogramSize;
}

function order({ item: { buckets } }: Level, index: number): Sql {
  const key = raw(`l.k${index + 1}`);
  if (buckets?.type !== 'terms') return key;
  const sort = buckets.sort.length > 0 ? buckets.sort : [{ by: 'count', order: 'desc' } as const];
  const keys = sort.map((item) => {
    if (item.by === 'key') return sql`${key} ${raw(item.order)}`;
    const column =
      item.by === 'count'
        ? raw(`l.${prefix(index, 0)}docs`)
        : sortColumn(item.word, `l.${prefix(index, item.measure)}`);
    return sql`${column} ${raw(item.order)} nulls last`;
  });
  return join([...keys, key], ', ');
}
