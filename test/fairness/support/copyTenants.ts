import type { Client } from 'pg';

/** Of the copies of a row, so that no two rows have the same. */
const step = 1_000_000;
/** Those that belong to tenants without naming one. */
const ownedTables = ['tenant', 'organisation', 'license', 'score_group'];

type Column = {
  table: string;
  name: string;
  type: string;
  isRequired: boolean;
  isChecked: boolean;
  refersTo: string | null;
};

/**
 * Copies each record of each tenant, with its relations: `copies` further tenants, in organisations of their own, have what one has.
 * Alerts are left out.
 */
export async function copyTenants(client: Client, copies: number): Promise<void> {
  const { rows: columns } = await client.query<Column>(
    `select c.relname as table, a.attname as name, a.atttypid::regtype::text as type, a.attnotnull as "isRequired",
        exists (select from pg_constraint f where f.contype = 'c' and f.conrelid = c.oid and a.attnum = any(f.conkey)) as "isChecked",
        (select f.confrelid::regclass::text from pg_constraint f
          where f.contype = 'f' and f.conrelid = c.oid and f.conkey[cardinality(f.conkey)] = a.attnum limit 1) as "refersTo"
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relkind = 'r' and not c.relispartition and c.relnamespace = current_schema()::regnamespace
        and (c.relname = any($1) or exists (select from pg_constraint f
          where f.contype in ('p', 'f') and f.conrelid = c.oid and pg_get_constraintdef(f.oid) ~ '\\(tenant_id'))
      order by c.relname, a.attnum`,
    [ownedTables],
  );
  const { rows: keys } = await client.query<{ table: string; text: string }>(
    `select indrelid::regclass::text as table, split_part(pg_get_indexdef(indexrelid), ' WHERE ', 1) as text from pg_index where indisunique`,
  );
  const tables = new Set(columns.map(({ table }) => table));
  const isMoved = ({ name, type, refersTo }: Column) =>
    type === 'bigint' &&
    (name === 'id' || name === 'tenant_id' || (refersTo !== null && tables.has(refersTo)));
  await client.query('begin; set local session_replication_role = replica');
  for (const table of tables) {
    const own = columns.filter((column) => column.table === table);
    const isIn = (text: string, { name }: Column) => new RegExp(`\\b${name}\\b`).test(text);
    const alone = keys.filter(
      (key) => key.table === table && !own.some((c) => c.isRequired && isMoved(c) && isIn(key.text, c)),
    );
    const toValue = (column: Column) => {
      const { name, type } = column;
      if (isMoved(column)) return `c.${name} + n::bigint * ${step}`;
      if (column.isChecked || !alone.some(({ text }) => isIn(text, column))) return `c.${name}`;
      if (type === 'text') return `c.${name} || n`;
      if (type === 'bytea') return `c.${name} || int4send(n)`;
      return type === 'uuid' ? `md5(c.${name}::text || n)::uuid` : `c.${name}`;
    };
    await client.query(
      `insert into "${table}" (${own.map(({ name }) => name).join()}) overriding system value
        select ${own.map(toValue).join()} from "${table}" c cross join generate_series(1, ${copies}) n`,
    );
  }
  await client.query('commit');
  await client.query('vacuum analyze');
}
