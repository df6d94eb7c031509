import { empty, raw, type Sql, sql } from '../../../lib/sql.ts';
import { distributedTables } from './distributedTables.ts';

const tables = new RegExp(`\\b(from|join|into|update)(\\s+)(${distributedTables.join('|')})\\b`, 'gi');

const routing = '/* for routing */';
const routed = /\bt\.tenant_id = (\$\d+) \/\* for routing \*\//g;

/** A condition ` and t.tenant_id = …` that finds nothing by itself: it only leads the statement to the tenant's worker. */
export function forRouting(ofTenant: Sql): Sql {
  return ofTenant === empty ? empty : sql`${ofTenant} ${raw(routing)}`;
}

/**
 * The statement on the shard's own tables, as `run_on_shard` makes it. A routing condition is only tested there:
 * PostgreSQL would look up all rows of the tenant by it.
 */
export function toShardText(text: string, shardIds: Readonly<Record<string, number>>): string {
  return text
    .replace(
      tables,
      (_, word: string, space: string, table: string) =>
        `${word}${space}${table}_${shardIds[table.toLowerCase()]}`,
    )
    .replace(routed, 't.tenant_id + 0 = $1');
}
