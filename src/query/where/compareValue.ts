import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { ValueTest } from './bindTest.ts';
import type { Bound } from './bindValue.ts';
import type { LikePattern } from './toLikePattern.ts';
import type { Operator } from './tree.ts';

/** SQL that reads a value as a type; NULL if it is of another. */
export type ReadAs = (cast: Bound['cast']) => Sql;

/** The test over one value, in SQL's own three-valued logic. */
export function compareValue(test: ValueTest, readAs: ReadAs): Sql {
  if (test.type === 'compare') return compare(readAs, test.operator, test.value);
  if (test.type === 'like') return like(readAs('text'), test.like);
  if (test.type === 'between') {
    return sql`${compare(readAs, '>=', test.low)} and ${compare(readAs, '<=', test.high)}`;
  }
  const groups = [...groupByCast(test.values)];
  return join(
    groups.map(([cast, values]) => sql`${readAs(cast)} = any(${values}::${raw(cast)}[])`),
    ' or ',
  );
}

function compare(readAs: ReadAs, operator: Operator, { cast, value }: Bound): Sql {
  // Order is by code point whatever the database's collation; equality needs none, and so can use an index.
  const collation = raw(cast === 'text' && operator !== '=' ? ' collate "C"' : '');
  return sql`${readAs(cast)}${collation} ${raw(operator)} ${value}::${raw(cast)}`;
}

function groupByCast(values: readonly Bound[]): Map<Bound['cast'], Bound['value'][]> {
  const groups = new Map<Bound['cast'], Bound['value'][]>();
  for (const { cast, value } of values) {
    const group = groups.get(cast);
    if (group) group.push(value);
    else groups.set(cast, [value]);
  }
  return groups;
}

function like(value: Sql, { pattern, upper, lower }: LikePattern): Sql {
  const folded = upper === '' ? value : sql`translate(${value}, ${upper}::text, ${lower}::text)`;
  return sql`${folded} collate "C" like ${pattern}::text`;
}
