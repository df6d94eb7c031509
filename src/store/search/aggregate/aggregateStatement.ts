import { join, raw, type Sql, sql } from '../../../lib/sql.ts';
import { kindOf } from '../count/createCellTest.ts';
import type { DocumentTable } from '../documents/documentTable.ts';
import type { CellCount } from '../rollups/countByRollup.ts';
import type { PlannedItem } from './aggregateItem.ts';
import { columnPrefix, isMatched, type Level, measuresOf, partNames } from './aggregateLevel.ts';
import { partColumns, type ValueSource } from './aggregateParts.ts';
import { chooseBuckets } from './chooseBuckets.ts';

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
  /** The documents as the roll-ups count them, where levels are of nothing else. */
  cells?: readonly CellCount[];
};

/**
 * Scans the table once for a chain of nested items. A row is an innermost bucket with its outer ones: slot `s`, and per
 * level `k1`, `o1` (count of all siblings) and parts `p1_0_*`.
 */
export function aggregateStatement(reading: Reading, limit: number): Sql {
  const { levels, ancestors } = reading;
  const columns = levels.flatMap((level, index) => [
    shownKey(level.key, `k${index + 1}`),
    raw(`o${index + 1}`),
    ...partNames(level, index),
  ]);
  const order = raw(['s', ...levels.map((_, index) => `r${index + 1}`)].join(', '));
  return sql`with base as materialized (${base(reading)}), ${chooseBuckets(levels, ancestors.length > 0)}
    select s, docs, ${join(columns, ', ')} from ${raw(`x${levels.length}`)} order by ${order} limit ${limit}`;
}

/** A number that no double is would lose digits on the way: it is shown as a text, which `toSlots` reads again. */
function shownKey({ type }: Level['key'], name: string): Sql {
  if (type !== 'jsonb') return raw(`to_jsonb(${name}) as ${name}`);
  return raw(`case when jsonb_typeof(${name}) <> 'number' then ${name}
    when (${name} #>> '{}')::float8::text::numeric = (${name} #>> '{}')::numeric then ${name}
    else to_jsonb(trim_scale((${name} #>> '{}')::numeric)::text) end as ${name}`);
}

/** For an item without buckets that is in none: one row with its parts `p0_0_*`. */
export function measureStatement(table: DocumentTable, condition: Sql, item: PlannedItem): Sql {
  const source = sourceOf(item, 'm');
  const columns = partColumns(item, source, [], columnPrefix(-1, 0));
  return sql`select ${join(columns, ', ')} from ${raw(table.name)} t ${manyValues(item, 'm')} where ${condition}`;
}

function base(reading: Reading): Sql {
  return reading.cells ? baseOfCells(reading.levels, reading.cells) : baseOfDocuments(reading);
}

function baseOfCells(levels: readonly Level[], cells: readonly CellCount[]): Sql {
  const keys = levels.map(({ key }, index) => sql`${key.sql} as ${raw(`k${index + 1}`)}`);
  const docs = ['d', ...levels.map((_, index) => `${columnPrefix(index, 0)}docs`)];
  return sql`select 0 as s, ${join([...keys, ...docs.map((name) => raw(`sum(t.count)::bigint as ${name}`))], ', ')}
    from unnest(${cells.map(({ numericSeverity }) => numericSeverity)}::smallint[],
      ${cells.map(({ group }) => kindOf(group))}::text[], ${cells.map(({ group }) => group)}::text[],
      ${cells.map(({ count }) => count)}::bigint[]) t(numeric_severity, kind, alert_group, count)
    group by ${join([raw('1'), ...levels.map(({ key }, index) => key.group ?? raw(String(index + 2)))], ', ')}`;
}

function baseOfDocuments({ table, condition, ancestors, slots, levels, filters }: Reading): Sql {
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
    ...measured.flatMap((part) => (part !== but && part.source?.first ? [part.source.first] : [])),
  ];
  const filtered = [...filters.keys()];
  const columns = measured.flatMap((measure) => {
    const index = filtered.indexOf(measure.item);
    const rows = [...firsts(measure, measure.index), ...(index < 0 ? [] : [raw(`t.f${index}`)])];
    return partColumns(measure.item, measure.source, rows, columnPrefix(measure.index, measure.number));
  });
  const all = firsts(undefined, -1);
  const docs = all.length === 0 ? raw('count(*)') : sql`count(*) filter (where ${join(all, ' and ')})`;
  const keys = levels.map(({ key }, index) => sql`${keyValue(key, `k${index}`)} as ${raw(`k${index + 1}`)}`);
  const froms = [
    ...levels.map(({ key }, index) => (key.isMany ? keyRows(key, `k${index}`, 'left') : raw(''))),
    ...measured.map(({ index, number, item }) => manyValues(item, `m${index}_${number}`)),
  ];
  const slot = ancestors.length === 0 ? raw('0') : raw('t.slot');
  return sql`select ${slot} as s, ${join([...keys, sql`${docs} as d`, ...columns], ', ')}
    from ${documents(table, condition, ancestors, slots, [...filters.values()])} ${join(froms, ' ')}
    group by ${join([raw('1'), ...levels.map(({ key }, index) => key.group ?? raw(String(index + 2)))], ', ')}`;
}

function sourceOf({ values, words }: PlannedItem, alias: string): ValueSource | undefined {
  if (!values || words.size === 0) return undefined;
  return values.isMany ? { value: manyValue(values, alias), first: first(alias) } : { value: values.sql };
}

function manyValues({ values, words }: PlannedItem, alias: string): Sql {
  if (!values?.isMany || words.size === 0) return raw('');
  return sql`left join lateral unnest(${values.sql}) with ordinality ${raw(`${alias}(value, n)`)} on true`;
}

/** A document is in one bucket of each of its distinct values. */
function keyRows({ sql: values }: Level['key'], alias: string, kind: 'left' | 'inner'): Sql {
  const isFirst = raw(`${alias}.n = 1 or ${alias}.value`);
  return sql`${raw(kind)} join lateral unnest(${values}) with ordinality ${raw(`${alias}(value, n)`)}
    on ${isFirst} <> all ((${values})[1:${raw(alias)}.n - 1])`;
}

/** The one row that counts for the document; a document without values has a row, too. */
function first(alias: string): Sql {
  return raw(`coalesce(${alias}.n, 1) = 1`);
}

function keyValue(key: Level['key'], alias: string): Sql {
  return key.isMany ? manyValue(key, alias) : key.sql;
}

function manyValue({ type }: Level['key'], alias: string): Sql {
  return raw(type === 'text' ? `${alias}.value collate "C"` : `${alias}.value`);
}

/**
 * The documents: `slot`, once for each bucket of outer items that has them, and `f0`, `f1`, … for the filters they
 * match. Kept out of aggregates, because Citus workers run no subquery there.
 */
function documents(
  table: DocumentTable,
  condition: Sql,
  ancestors: readonly Level[],
  slots: Reading['slots'],
  filters: readonly Sql[],
): Sql {
  const matches = filters.map((filter, index) => sql`(${filter}) as ${raw(`f${index}`)}`);
  if (ancestors.length === 0)
    return sql`(select ${join([raw('t.*'), ...matches], ', ')} from ${raw(table.name)} t where ${condition}) t`;
  const types = ancestors.map(({ key }, index) => `, a${index} ${key.type}`).join('');
  const keys = ancestors.map(({ key }, index) => sql`${keyValue(key, `b${index}`)} as ${raw(`a${index}`)}`);
  const many = ancestors.map(({ key }, index) => (key.isMany ? keyRows(key, `b${index}`, 'inner') : raw('')));
  const same = ancestors.map((_, index) => `c.a${index} = t.a${index}`).join(' and ');
  return sql`(select ${join([raw('t.*'), raw('c.slot'), ...matches], ', ')} from
    (select t.*, ${join(keys, ', ')} from ${raw(table.name)} t ${join(many, ' ')} where ${condition}) t
    full join jsonb_to_recordset(${toSlots(ancestors, slots)}::jsonb) c(slot int${raw(types)}) on ${raw(same)}
    where ${isMatched('t.tenant_id')} and ${isMatched('c.slot')}) t`;
}

/** The buckets that are read, as JSON: a text among numbers and booleans is a number with more digits than a double has. */
function toSlots(ancestors: readonly Level[], slots: Reading['slots']): string {
  const rows = slots.map(({ keys }, slot) => {
    const members = keys.map((key, index) => {
      const isNumber = typeof key === 'string' && ancestors[index]?.key.type === 'jsonb';
      return `,"a${index}":${isNumber ? key : JSON.stringify(key)}`;
    });
    return `{"slot":${slot}${members.join('')}}`;
  });
  return `[${rows.join()}]`;
}
