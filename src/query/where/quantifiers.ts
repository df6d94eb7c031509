import { type Sql, sql } from '../../lib/sql.ts';

// The condition is computed inside its own SELECT, so that a WHERE within `from` can never bind to it.

export function some(from: Sql, condition: Sql): Sql {
  return sql`exists (select from (select ${condition} as holds from ${from}) as where_row where holds)`;
}

export function all(from: Sql, condition: Sql): Sql {
  return sql`not exists (select from (select ${condition} as holds from ${from}) as where_row where holds is not true)`;
}
