import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { columnPrefix, keyNames, type Level, measuresOf } from './aggregateLevel.ts';
import { mergedColumns, sortColumn } from './aggregateParts.ts';

/** More buckets of a histogram than these are refused in any case. */
const histogramSize = 10_001;

/**
 * The tables `x1`, `x2` … with the buckets of each level that are answered, and the group without a key. `r` is the place
 * among the neighbours, `o` the sum of the counts of all of them, chosen or not, and `docs` counts the slot's documents.
 */
export function aggregateChoice(levels: readonly Level[], hasSlots: boolean): Sql {
  const tables = levels.map((level, index) => {
    const groups = index === levels.length - 1 ? raw('base') : raw(`g${index + 1}`);
    const chosen = index === 0 && !hasSlots ? chooseAlone(level, groups) : chooseInside(level, index, groups);
    const table = sql`${raw(`x${index + 1}`)} as (${chosen})`;
    return index === levels.length - 1 ? table : sql`${groups} as (${mergedGroups(level, index)}), ${table}`;
  });
  return join(tables, ', ');
}

function mergedGroups(level: Level, index: number): Sql {
  const groups = raw(['s', ...keyNames(index + 1)].join(', '));
  const columns = measuresOf(level).flatMap((measure, number) =>
    mergedColumns(measure, columnPrefix(index, number)),
  );
  return sql`select ${join([groups, raw('sum(d) as d'), ...columns], ', ')} from base group by ${groups}`;
}

/** The few first of many groups are found faster than the place of each. */
function chooseAlone(level: Level, groups: Sql): Sql {
  const order = orderOf(level, 0);
  return sql`select l.*, row_number() over (order by ${order}) as r1, (select sum(d) from ${groups}) as docs,
      (select sum(${raw(`${columnPrefix(0, 0)}docs`)}) from ${groups} where k1 is not null) as o1
    from ((select * from ${groups} l where k1 is not null order by ${order} limit ${sizeOf(level)})
      union all select * from ${groups} where k1 is null) l`;
}

function chooseInside(level: Level, index: number, groups: Sql): Sql {
  const place = index + 1;
  const outer = ['s', ...keyNames(index)];
  const same = outer.map((column) => `y.${column} = l.${column}`).join(' and ');
  const within = index === 0 ? raw('') : raw(`join x${index} y on ${same}`);
  const partition = raw(`partition by ${outer.map((column) => `l.${column}`).join(', ')}`);
  const isMissing = raw(`l.k${place} is null`);
  const count = raw(`l.${columnPrefix(index, 0)}docs`);
  const docs = index === 0 ? sql`sum(l.d) over (${partition}) as docs,` : raw('');
  return sql`select * from (
    select l.*, ${docs}
      row_number() over (${partition} order by ${isMissing}, ${orderOf(level, index)}) as ${raw(`r${place}`)},
      sum(${count}) filter (where not ${isMissing}) over (${partition}) as ${raw(`o${place}`)}
    from ${groups} l ${within}) l where ${raw(`r${place}`)} <= ${sizeOf(level)} or ${isMissing}`;
}

function sizeOf({ item: { buckets } }: Level): number {
  return buckets?.type === 'terms' ? buckets.size : histogramSize;
}

function orderOf({ item: { buckets } }: Level, index: number): Sql {
  const key = raw(`l.k${index + 1}`);
  if (buckets?.type !== 'terms') return key;
  const sort = buckets.sort.length > 0 ? buckets.sort : [{ by: 'count', order: 'desc' } as const];
  const keys = sort.map((item) => {
    if (item.by === 'key') return sql`${key} ${raw(item.order)}`;
    const column =
      item.by === 'count'
        ? raw(`l.${columnPrefix(index, 0)}docs`)
        : sortColumn(item.word, `l.${columnPrefix(index, item.measure)}`);
    return sql`${column} ${raw(item.order)} nulls last`;
  });
  return join([...keys, key], ', ');
}
