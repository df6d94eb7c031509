import { join, raw, type Sql, sql } from '../../../lib/sql.ts';
import { columnPrefix, isMatched, keyNames, type Level, measuresOf, partNames } from './aggregateLevel.ts';
import { mergedColumns, sortColumn } from './aggregateParts.ts';

/** A histogram with more buckets is rejected anyway. */
const histogramSize = 10_001;

/**
 * Tables `x1`, `x2` … with the returned buckets of each level inside those of the level around it. `r1` ranks siblings,
 * `o1` sums the counts of all siblings, and `docs` counts the slot's documents.
 */
export function chooseBuckets(levels: readonly Level[], hasSlots: boolean): Sql {
  const tables = levels.map((level, index) => {
    const isInnermost = index === levels.length - 1;
    const groups = raw(isInnermost ? 'base' : `g${index + 1}`);
    const chosen =
      index > 0
        ? chooseInside(level, index, groups)
        : hasSlots
          ? chooseInSlots(level, groups)
          : chooseTop(level, groups);
    const table = sql`${raw(`x${index + 1}`)} as (${chosen})`;
    return isInnermost ? table : sql`${groups} as (${mergedGroups(level, index)}), ${table}`;
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

/** Finding the first few of many groups is faster than ranking all. */
function chooseTop(level: Level, groups: Sql): Sql {
  const order = orderOf(level, 0);
  return sql`select l.*, row_number() over (order by k1 is null, ${order}) as r1,
      (select sum(d) from ${groups}) as docs,
      (select sum(${raw(countName(0))}) from ${groups} where k1 is not null) as o1
    from ((select * from ${groups} l where k1 is not null order by ${order} limit ${sizeOf(level)})
      union all select * from ${groups} where k1 is null) l`;
}

function chooseInSlots(level: Level, groups: Sql): Sql {
  return sql`select * from (select l.*, sum(d) over (partition by s) as docs, ${rankColumns(level, 0, 'l.s')}
    from ${groups} l) l where r1 <= ${sizeOf(level)} or k1 is null`;
}

function chooseInside(level: Level, index: number, groups: Sql): Sql {
  const key = `k${index + 1}`;
  const same = ['s', ...keyNames(index)].map((name) => `y.${name} = l.${name}`).join(' and ');
  const around = ['y.s', ...Array.from({ length: index }, (_, outer) => `y.r${outer + 1}`)].join(', ');
  const columns = [raw(`y.*, l.${key}`), ...partNames(level, index, 'l.'), rankColumns(level, index, around)];
  return sql`select * from (select ${join(columns, ', ')}
    from ${raw(`x${index}`)} y full join ${groups} l on ${raw(same)} where ${isMatched(`y.r${index}`)}) l
    where ${raw(`r${index + 1}`)} <= ${sizeOf(level)} or ${raw(key)} is null`;
}

function rankColumns(level: Level, index: number, around: string): Sql {
  const n = index + 1;
  return sql`row_number() over (partition by ${raw(around)}
    order by ${raw(`l.k${n}`)} is null, ${orderOf(level, index)})
      as ${raw(`r${n}`)},
    sum(${raw(`l.${countName(index)}`)}) filter (where ${raw(`l.k${n}`)} is not null)
      over (partition by ${raw(around)})
      as ${raw(`o${n}`)}`;
}

function countName(index: number): string {
  return `${columnPrefix(index, 0)}docs`;
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
        ? raw(`l.${countName(index)}`)
        : sortColumn(item.word, `l.${columnPrefix(index, item.measure)}`);
    return sql`${column} ${raw(item.order)} nulls last`;
  });
  return join([...keys, key], ', ');
}
