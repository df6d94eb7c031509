import type pg from 'pg';

/**
 * Lets a role read and write the rows of all tables, also of later ones. It cannot alter tables, and only add to the
 * audit log. Does nothing if the role has its rights already.
 */
export async function grantRows(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ isDone: boolean; schema: string }>(
    `select quote_ident(current_schema()) as schema, not exists (
        select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
          and not has_table_privilege($1, oid, 'select')) as "isDone"`,
    [role],
  );
  const [state] = rows;
  if (!state || state.isDone) return;
  const { schema } = state;
  const name = client.escapeIdentifier(role);
  await client.query(`begin;
    grant usage on schema ${schema} to ${name};
    grant select, insert, update, delete on all tables in schema ${schema} to ${name};
    revoke insert, update, delete on migration from ${name};
    revoke update, delete on audit_entry from ${name};
    alter default privileges in schema ${schema} grant select, insert, update, delete on tables to ${name};
    grant usage, select on all sequences in schema ${schema} to ${name};
    alter default privileges in schema ${schema} grant usage, select on sequences to ${name};
    commit`);
}
