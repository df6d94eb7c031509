import type pg from 'pg';
import { readParts, type TableShape } from './tableShape.ts';

/** Schema of the distributed tables until they take the places of the others, with what the move notes of itself. */
export const nextSchema = 'vigil_next';

export const nextOf = ({ name }: TableShape): string => `${nextSchema}.${name}`;

/**
 * Creates the distributed table beside the one in use, with the same columns, indexes and options, unless an earlier run did.
 * `shards` says how it is distributed.
 */
export async function createNext(client: pg.Client, shape: TableShape, shards: string): Promise<void> {
  const next = nextOf(shape);
  const done = await client.query(
    `select from pg_dist_partition where logicalrelid = to_regclass($1) and partmethod = 'h'`,
    [next],
  );
  if (done.rowCount !== 0) return;
  await client.query(`drop table if exists ${next} cascade`);
  const { rows } = await client.query<{ statement: string }>(definition, [
    shape.home,
    nextSchema,
    shape.name,
  ]);
  await client.query(`begin; ${rows.map(({ statement }) => statement).join(';\n')}; commit`);
  await createNextParts(client, shape);
  await client.query(`select create_distributed_table('${next}', 'tenant_id', ${shards})`);
}

/** Drops and creates partitions as the table in use has them by now. Returns true where some have come. */
export async function createNextParts(client: pg.Client, shape: TableShape): Promise<boolean> {
  if (!shape.isPartitioned) return false;
  const existing = new Set((await readParts(client, nextSchema, shape)).map(({ name }) => name));
  const [schema = ''] = shape.home.split('.');
  const parts = await readParts(client, schema, shape);
  const missing = parts.filter(({ name }) => !existing.delete(name));
  for (const name of existing) await client.query(`drop table ${nextSchema}.${name}`);
  for (const { name, bounds } of missing) {
    await client.query(`create table ${nextSchema}.${name} partition of ${nextOf(shape)} ${bounds}`);
    const { rows } = await client.query<{ statement: string }>(indexOptions, [
      `${schema}.${name}`,
      nextSchema,
    ]);
    for (const { statement } of rows) await client.query(statement);
  }
  return missing.length > 0;
}

/** Columns, then constraints and indexes under their own names: `like` would give the indexes others. */
const definition = `select statement from (
  select 1 as n, format('create table %s.%I (like %s including all excluding indexes)%s%s',
      $2::text, c.relname, $1::text,
      case when c.relkind = 'p' then ' partition by ' || pg_get_partkeydef(c.oid) else '' end,
      ' with (' || array_to_string(c.reloptions, ', ') || ')') as statement
    from pg_class c where c.oid = $1::regclass
  union all
  select 2, format('alter table %s.%I add constraint %I %s', $2::text, $3::text, conname, pg_get_constraintdef(oid))
    from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u')
  union all
  select 3, regexp_replace(pg_get_indexdef(x.indexrelid), ' ON (ONLY )?\\S+ USING ',
      format(' ON %s.%I USING ', $2::text, $3::text))
    from pg_index x where x.indrelid = $1::regclass
      and not exists (select from pg_constraint k where k.conindid = x.indexrelid)
  union all
  select 4, format('alter table %s.%I alter column %I set statistics %s', $2::text, $3::text, attname, attstattarget)
    from pg_attribute where attrelid = $1::regclass and attnum > 0 and attstattarget > 0) s order by n`;

const indexOptions = `select format('alter index if exists %s.%I set (%s)', $2::text, c.relname,
    array_to_string(c.reloptions, ', ')) as statement
  from pg_index x join pg_class c on c.oid = x.indexrelid
  where x.indrelid = $1::regclass and c.reloptions is not null
    and to_regclass(format('%s.%I', $2::text, c.relname)) is not null`;
