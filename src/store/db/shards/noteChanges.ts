import type pg from 'pg';
import { nextOf, nextSchema } from './nextTables.ts';
import type { TablePart, TableShape } from './tableShape.ts';
import { withoutWaiting } from './withoutWaiting.ts';

/** Table with the keys of rows that were changed since the copy began. */
const changesOf = ({ name }: TableShape): string => `${nextSchema}.${name}_changes`;

/**
 * Notes the key of each row that is changed from now on, in the transaction that changes it. Triggers of statements, because
 * many rows are written at once.
 */
export async function noteChanges(client: pg.Client, shape: TableShape): Promise<void> {
  const { name, home } = shape;
  const done = await client.query(
    `select from pg_trigger where tgrelid = to_regclass($1) and tgname = 'vigil_next_delete'`,
    [home],
  );
  if (done.rowCount !== 0) return;
  const keys = shape.keys.map((key) => key.name).join(', ');
  const changes = changesOf(shape);
  const from = (rows: string) => `insert into ${changes} (${keys}) select ${keys} from ${rows}; return null;`;
  // Who may write to the table writes here by it.
  const toFunction = (event: string, rows: string) =>
    `create or replace function ${nextSchema}.${name}_${event}() returns trigger language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $$ begin ${from(rows)} end $$`;
  const toTrigger = (event: string, rows: string) =>
    `create or replace trigger vigil_next_${event} after ${event} on ${home}
      referencing ${event === 'delete' ? 'old' : 'new'} table as ${rows}
      for each statement execute function ${nextSchema}.${name}_${event}()`;
  const events = ['insert', 'update', 'delete'];
  await client.query(`create table if not exists ${changes} as select ${keys} from ${home} with no data`);
  await client.query(
    `alter table ${changes} add column if not exists change bigint generated always as identity primary key`,
  );
  for (const event of events) await client.query(toFunction(event, 'changed_rows'));
  await withoutWaiting(client, async () => {
    for (const event of events) await client.query(toTrigger(event, 'changed_rows'));
  });
}

/** Forgets the changes of a part that is copied from now on: the copy has them. */
export async function forgetChanges(client: pg.Client, shape: TableShape, part?: TablePart): Promise<void> {
  await client.query(`delete from ${changesOf(shape)} where ${part?.condition ?? 'true'}`);
}

export const changesPerRound = 5000;

/**
 * Brings changed rows to the state that they have by now, up to a number of changes; returns how many were left to do before. One
 * snapshot for all of it: a change that commits meanwhile stays noted.
 */
export async function applyChanges(client: pg.Client, shape: TableShape): Promise<number> {
  await client.query('begin isolation level repeatable read');
  try {
    const applied = await applyIn(client, shape, changesPerRound);
    await client.query('commit');
    return applied;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** The same within a transaction that nothing else can overtake. */
export async function applyIn(
  client: pg.Client,
  shape: TableShape,
  limit: number | undefined,
): Promise<number> {
  const { home, keys, columns } = shape;
  const changes = changesOf(shape);
  const { rows } = await client.query<{ last: string | null; count: number }>(
    `select max(change) as last, count(*)::int as count
      from (select change from ${changes} order by change ${limit === undefined ? '' : `limit ${limit}`}) c`,
  );
  const { last = null, count = 0 } = rows[0] ?? {};
  if (last === null) return 0;
  const names = keys.map(({ name }) => name).join(', ');
  const changed = `(select distinct ${names} from ${changes} where change <= ${last})`;
  const others = columns.filter((column) => keys.every(({ name }) => name !== column));
  await client.query(
    `insert into ${nextOf(shape)} (${columns.join(', ')})
      select ${columns.map((column) => `t.${column}`).join(', ')} from ${home} t join ${changed} k using (${names})
      on conflict (${names}) do update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );
  const areSame = keys.map(({ name }) => `t.${name} = k.${name}`).join(' and ');
  const gone = `(select * from ${changed} k where not exists (select from ${home} t where ${areSame}))`;
  const missing = await client.query(`select from ${gone} k limit 1`);
  if (missing.rowCount !== 0)
    await client.query(`delete from ${nextOf(shape)} t using ${gone} k where ${areSame}`);
  await client.query(`delete from ${changes} where change <= ${last}`);
  return count;
}
