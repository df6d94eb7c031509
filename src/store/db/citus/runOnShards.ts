import { hash, randomUUID } from 'node:crypto';
import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import { type Sql, sql } from '../../../lib/sql.ts';
import { distributedTables } from './distributedTables.ts';
import { notSent } from './notSent.ts';
import { quoteElement } from './quoteElement.ts';

/** A statement for one shard, which one of its tenants names. */
export type ShardStatement = { tenantId: number; text: string; values: readonly unknown[] };

/**
 * Statements with one text for several shards of a worker, in a single call, because each call costs the coordinator
 * more than its content. Their values travel as one text, read at most once.
 */
export function runOnShards(statements: readonly [ShardStatement, ...ShardStatement[]]): Sql {
  const [{ tenantId, text }] = statements;
  const values = statements.map((statement) => statement.values.map(toText));
  const marks = findMarks(values.flat());
  const joined = values.map((texts) => texts.map((value) => value ?? marks.null).join(marks.value));
  const { statement, key } = prepare(text, marks);
  return sql`select row from run_on_shards(${tenantId}, ${statements.map((statement) => statement.tenantId)}::bigint[],
    ${key}, ${statement}, ${joined.join(marks.shard)}, ${marks.shard}) row`;
}

type Marks = { shard: string; value: string; null: string };

/** The same for all calls, so that their statements stay prepared, and nothing that a sender of texts could know. */
const processSuffix = randomUUID();

/** Control characters, which few texts have; where one does, with a suffix that makes them occur in none. */
function findMarks(texts: readonly (string | null)[]): Marks {
  for (let suffix = ''; ; suffix = suffix === '' ? processSuffix : randomUUID()) {
    const marks = { shard: `\u001d${suffix}`, value: `\u001f${suffix}`, null: `\u001e${suffix}` };
    if (texts.every((text) => text === null || Object.values(marks).every((mark) => !text.includes(mark))))
      return marks;
  }
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(toElement).join()}}` : toScalar(value);
}

function toElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'string' ? quoteElement(value) : toScalar(value);
}

function toScalar(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  throw new Error(`A value of type ${typeof value} cannot be bound.`);
}

const maxPrepared = 1000;
const prepared = createBoundedMap<string, { statement: string; key: string }>(maxPrepared);

/** The statement with its values from a setting, which has all of them. A statement casts each from text to what it needs. */
function prepare(text: string, marks: Marks): { statement: string; key: string } {
  const name = `${marks.value}${text}`;
  let found = prepared.get(name);
  if (!found) {
    const list = `string_to_array(current_setting('vigil.values'), '${marks.value}', '${marks.null}')`;
    const statement =
      `with bound as materialized (select ${list} as values), ` +
      text.replace(/^\s*with\s/, '').replaceAll(/\$(\d+)/g, '(select values[$1] from bound)');
    found = { statement, key: `w${hash('sha1', statement)}` };
    prepared.set(name, found);
  }
  return found;
}

const tables = distributedTables.map((table) => `'${table}'`).join();

/** Keeps the shards of these tenants where they are until the transaction ends; their shards in this order, and where these are. */
export const createHoldShards = `create or replace function hold_shards(tenants bigint[], lock integer)
    returns json language plpgsql as $$
  declare
    shards bigint[] := array(select get_shard_id_for_distribution_column('${distributedTables[0]}', id)
      from unnest(tenants) id);
    held bigint[] := array(select distinct shard from unnest(shards) shard);
  begin
    perform lock_shard_metadata(lock, held);
    -- A statement of its own, which sees where they have moved to before they were locked.
    return (select json_build_object('shards', shards, 'workers', json_object_agg(shardid, groupid))
      from pg_dist_placement where shardid = any(held) and shardstate = 1);
  end $$`;

/**
 * Runs a statement on the tables of each shard, where it stays prepared under its name. The caller has to hold the shards, all of
 * which are on the worker of the first tenant.
 */
export const createRunOnShards = `create or replace function run_on_shards(tenant bigint, tenants bigint[], name text,
    statement text, shard_values text, mark text) returns setof text language plpgsql as $$
  declare
    lists text[] := string_to_array(shard_values, mark);
    shard text;
    own text;
    relation text;
    of_shard text;
  begin
    for i in 1 .. cardinality(tenants) loop
      shard := get_shard_id_for_distribution_column('${distributedTables[0]}', tenants[i]);
      if to_regclass('${distributedTables[0]}_' || shard) is null then
        raise exception 'Citus did not send a statement to the worker of tenant %.', tenants[i]
          using errcode = '${notSent}';
      end if;
      own := name || '_' || shard;
      if not exists (select from pg_prepared_statements p where p.name = own) then
        if (select count(*) from pg_prepared_statements) >= 64 then
          deallocate all;
        end if;
        of_shard := statement;
        for relation in select t.name from unnest(array[${tables}]) t(name)
            join pg_dist_partition d on d.logicalrelid = to_regclass(t.name) and d.partmethod = 'h' loop
          of_shard := regexp_replace(of_shard, '\\m(from|join|into|update)(\\s+)' || relation || '\\M',
            '\\1\\2' || relation || '_' || get_shard_id_for_distribution_column(relation::regclass, tenants[i]), 'gi');
        end loop;
        execute format('prepare %I as %s', own, of_shard);
      end if;
      perform set_config('vigil.values', lists[i], true);
      return query execute format('execute %I', own);
    end loop;
  end $$`;
