import type pg from 'pg';

/** A table that moves, as PostgreSQL has it. All names are quoted. */
export type TableShape = {
  /** As Vigil names it. */
  name: string;
  /** With its schema. */
  home: string;
  /** Columns of its primary key with their types, in order. */
  keys: { name: string; type: string }[];
  /** Those that are stored and not computed. */
  columns: string[];
  isPartitioned: boolean;
};

export async function readShape(client: pg.Client, name: string): Promise<TableShape> {
  const { rows } = await client.query<Omit<TableShape, 'name'>>(
    `select format('%I.%I', n.nspname, c.relname) as home, c.relkind = 'p' as "isPartitioned",
        array(select quote_ident(a.attname) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          order by a.attnum) as columns,
        (select json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod))
            order by array_position(x.indkey::int2[], a.attnum))
          from pg_index x join pg_attribute a on a.attrelid = c.oid and a.attnum = any(x.indkey::int2[])
          where x.indrelid = c.oid and x.indisprimary) as keys
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.oid = to_regclass(format('%I.%I', current_schema(), $1::text))`,
    [name],
  );
  if (!rows[0]) throw new Error(`There is no table ${name}.`);
  return { name, ...rows[0] };
}

/** The parts of a table: its partitions with their bounds, or itself. */
export type TablePart = { name: string; bounds: string; condition: string };

/** The oldest first, so that what changes most is copied last. */
export async function readParts(
  client: pg.Client,
  schema: string,
  { name }: TableShape,
): Promise<TablePart[]> {
  const { rows } = await client.query<TablePart>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds,
        pg_get_partition_constraintdef(c.oid) as condition
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(format('%I.%I', $1::text, $2::text)) order by c.relname`,
    [schema, name],
  );
  return rows;
}
