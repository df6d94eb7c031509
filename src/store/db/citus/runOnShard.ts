import { hash } from 'node:crypto';
import type pg from 'pg';
import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import type { ServerUse } from './createHangWatch.ts';
import { distributedTables } from './distributedTables.ts';
import { notSent } from './notSent.ts';
import type { Workers } from './openWorkers.ts';

type Query = { text: string; values: unknown[]; name?: string };
type Run = (query: Query, use?: ServerUse) => Promise<pg.QueryResult>;

/**
 * Runs statements on the tenant's worker itself: Citus plans them twice and prepares them on neither server. Statements
 * on other tables go the usual way. Reads ask the worker directly, where `workers` are given.
 */
export function runOnShard(
  run: Run,
  tenantId: number,
  {
    distributed,
    parserOf,
    workers,
  }: { distributed: ReadonlySet<string>; parserOf: ParserOf; workers?: Workers | undefined },
): Run {
  return async (query, use) => {
    const shape = shapeOf(query.text);
    const isOfShard = shape.relations?.every((name) => distributed.has(name)) ?? false;
    if (!isOfShard || shape.fields?.length === 0) return run(query, use);
    const answer = await workers?.ask(tenantId, query, use);
    if (answer) return answer;
    if (!shape.fields) {
      const first = await run(query, use);
      shape.fields = first.fields;
      return first;
    }
    const { fields } = shape;
    const result = await run(toCall(tenantId, query, shape.key, fields), use);
    return { ...result, rows: toRows(result.rows as { row: string }[], fields, parserOf) };
  };
}

type ParserOf = (oid: number) => (text: string) => unknown;
type Field = Pick<pg.FieldDef, 'name' | 'dataTypeID'>;

/**
 * Analysis of a statement text: its tables, if all are seen, and its columns. Every process prepares the same text by
 * its key, because a pooler exchanges sessions.
 */
type Shape = { relations: readonly string[] | undefined; key: string; fields?: Field[] };

const maxShapes = 1000;
const shapes = createBoundedMap<string, Shape>(maxShapes);

function shapeOf(text: string): Shape {
  let shape = shapes.get(text);
  if (shape) return shape;
  shape = { relations: relationsOf(text), key: `v${hash('sha1', text)}` };
  shapes.set(text, shape);
  return shape;
}

const relation = /\b(?:from|join|into|update)\s+([a-z_]\w*)\b(?!\s*\()/gi;
const named = /\b([a-z_]\w*)\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi;

/** A list of tables, of which only the first would be seen. */
const listed = /\bfrom\s+[a-z_]\w*(?:\s+(?:as\s+)?[a-z_]\w*)?\s*,/i;

function relationsOf(text: string): readonly string[] | undefined {
  if (listed.test(text)) return undefined;
  // Words that follow `from` or `update` without naming a table, and what the statement itself names.
  const keywords = new Set(['lateral', 'set', 'rows', 'skip']);
  for (const [, name = ''] of text.matchAll(named)) keywords.add(name.toLowerCase());
  const names = Array.from(text.matchAll(relation), ([, name = '']) => name.toLowerCase());
  return names.length === 0 ? undefined : names.filter((name) => !keywords.has(name));
}

/** Each row comes as one text: that of its column, or a JSON array of those of several, which are read as the driver reads them. */
function toCall(
  tenantId: number,
  { name, text, values }: Query,
  key: string,
  fields: readonly Field[],
): Query {
  const columns = fields.map((_, index) => `c${index}`);
  const texts = columns.map((column) => `q.${column}::text`).join();
  const row = fields.length === 1 ? texts : `json_build_array(${texts})::text`;
  const statement = `select ${row} from (${text}) q(${columns.join()})`;
  const places = values.map((_, index) => `$${index + 4}::text`).join();
  return {
    name: `shard_${values.length}`,
    text: `select row from run_on_shard($1, $2, $3, variadic array[${places}]::text[]) row`,
    values: [tenantId, name === undefined ? null : key, statement, ...values],
  };
}

function toRows(
  rows: readonly { row: string | null }[],
  fields: readonly Field[],
  parserOf: ParserOf,
): Record<string, unknown>[] {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
  const [only] = columns;
  const isOne = columns.length === 1;
  return rows.map(({ row }) => {
    const texts = (isOne ? [row] : JSON.parse(row ?? '[]')) as (string | null)[];
    const read: Record<string, unknown> = {};
    if (isOne && only) read[only.name] = row === null ? null : only.parse(row);
    else
      for (const [index, { name, parse }] of columns.entries()) {
        const text = texts[index] ?? null;
        read[name] = text === null ? null : parse(text);
      }
    return read;
  });
}

const tables = distributedTables.map((table) => `'${table}'`).join();

/**
 * On the worker a statement reads the tables of the shard themselves, and stays prepared under its name. Elsewhere it runs as it
 * is, unless only a worker can run it.
 */
export const createRunOnShard = `create or replace function run_on_shard(tenant bigint, name text, statement text,
    variadic args text[]) returns setof text language plpgsql as $$
  declare
    shard text := get_shard_id_for_distribution_column('${distributedTables[0]}', tenant);
    own text := coalesce(name || '_' || shard, 'once');
    is_here boolean := to_regclass('${distributedTables[0]}_' || shard) is not null;
    relation text;
  begin
    if name is null or not is_here or not exists (select from pg_prepared_statements p where p.name = own) then
      if is_here then
        if (select count(*) from pg_prepared_statements) >= 64 then
          deallocate all;
        end if;
        for relation in select t.name from unnest(array[${tables}]) t(name)
            join pg_dist_partition d on d.logicalrelid = to_regclass(t.name) and d.partmethod = 'h' loop
          statement := regexp_replace(statement, '\\m(from|join|into|update)(\\s+)' || relation || '\\M',
            '\\1\\2' || relation || '_' || get_shard_id_for_distribution_column(relation::regclass, tenant), 'gi');
        end loop;
      else
        -- Processes of 0.13 change several tables by it.
        if position('as shard_row ' in statement) > 0 then
          raise exception 'Citus did not send a statement to the worker of tenant %.', tenant
            using errcode = '${notSent}';
        end if;
        own := 'once';
      end if;
      -- What failed before has left it.
      if own = 'once' and exists (select from pg_prepared_statements p where p.name = own) then
        deallocate once;
      end if;
      execute format('prepare %I as %s', own, statement);
    end if;
    return query execute format('execute %I%s', own,
      (select '(' || string_agg(quote_nullable(a), ', ' order by n) || ')' from unnest(args) with ordinality u(a, n)));
    if own = 'once' then
      deallocate once;
    end if;
  end $$`;
