import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { BoundTest } from './bindTest.ts';
import type { Bound } from './bindValue.ts';
import { compareValue } from './compareValue.ts';
import { all, some } from './quantifiers.ts';

/** TRUE where the test over a path inside jsonb is `want`. A list on the path stands for any of its items. */
export function jsonToSql(column: Sql, members: readonly string[], test: BoundTest, want: boolean): Sql {
  if (test.type === 'null') return nullToSql(column, members, want);
  const { items, value } = walk(column, members);
  const last = itemsOf(value, members.length);
  const condition = compareValue(test, (cast) => readAs(last.value, cast));
  const from = join([...items, last.from], ', ');
  return want ? some(from, condition) : all(from, sql`not (${condition})`);
}

function nullToSql(column: Sql, members: readonly string[], want: boolean): Sql {
  const { items, value } = walk(column, members);
  const condition = want ? sql`${orNull(value)} = 'null'` : sql`${orNull(value)} <> 'null'`;
  if (items.length === 0) return condition;
  const from = join(items, ', ');
  return want ? some(from, condition) : all(from, condition);
}

/** The value at the end of the path, over the items of every list passed on the way. */
function walk(column: Sql, members: readonly string[]): { items: Sql[]; value: Sql } {
  const items: Sql[] = [];
  let value = column;
  for (const [index, member] of members.entries()) {
    const item = itemsOf(value, index);
    items.push(item.from);
    value = sql`${item.value} -> ${member}::text`;
  }
  return { items, value };
}

/** In jsonpath's lax mode `[*]` gives the items of a list and any other value as it is. */
function itemsOf(value: Sql, index: number): { from: Sql; value: Sql } {
  const name = `where_item_${index}`;
  return {
    from: sql`jsonb_path_query(${orNull(value)}, 'lax $[*]') as ${raw(name)}(value)`,
    value: raw(`${name}.value`),
  };
}

/** Without a value the function would give no row, which is what an empty list gives. */
function orNull(value: Sql): Sql {
  return sql`coalesce(${value}, 'null')`;
}

/** CASE keeps PostgreSQL from casting what is of another type. */
function readAs(value: Sql, cast: Bound['cast']): Sql {
  if (cast === 'text') return sql`(case jsonb_typeof(${value}) when 'string' then ${value} #>> '{}' end)`;
  if (cast === 'boolean') return sql`(case jsonb_typeof(${value}) when 'boolean' then ${value}::boolean end)`;
  return sql`(case jsonb_typeof(${value}) when 'number' then ${value}::numeric end)`;
}
