import { raw, sql } from '../../lib/sql.ts';
import type { Store } from '../db.ts';
import { monthsBefore } from './partitions.ts';

/** Some alerts come late; after this long hardly one does. */
const settledMs = 3 * 86_400_000;
/** A process that took longer has died. */
const abandonedMs = 86_400_000;

/**
 * Builds the ordered indexes of ended months again, without the room that alerts needed as they came. Alerts are raised and
 * searched meanwhile. One process builds those of a month, and once. Behind a pooler they stay as they are.
 */
export async function rebuildIndexes(
  store: Store,
  { retainedFrom = 0, now }: { retainedFrom?: number | undefined; now: number },
  signal: AbortSignal,
): Promise<void> {
  const { maintain } = store;
  if (!maintain) return;
  const ended = await monthsBefore(store, 'alert', now - settledMs);
  const expired = await monthsBefore(store, 'alert', retainedFrom);
  for (const month of ended.filter((name) => !expired.includes(name))) {
    if (signal.aborted) return;
    if (!(await claim(store, month, now))) continue;
    // A process that died at it leaves an index which is not used.
    for (const name of await indexesOf(store, month, false))
      await maintain(sql`drop index concurrently if exists ${raw(name)}`);
    if (await store.isDistributed()) await dropOnWorkers(store, month);
    for (const name of await indexesOf(store, month, true)) {
      await store.query(sql`alter index ${raw(name)} set (fillfactor = 100)`);
      await maintain(sql`reindex index concurrently ${raw(name)}`);
    }
    await store.query(sql`update rebuilt_month set is_done = true where name = ${month}`);
  }
}

async function claim(store: Store, month: string, now: number): Promise<boolean> {
  const rows = await store.query(
    sql`insert into rebuilt_month as r (name, started_at, is_done) values (${month}, ${now}, false)
      on conflict (name) do update set started_at = excluded.started_at
        where not r.is_done and r.started_at < ${now - abandonedMs}
      returning 1`,
  );
  return rows.length > 0;
}

async function indexesOf(store: Store, month: string, isValid: boolean): Promise<string[]> {
  const rows = await store.query<{ name: string }>(
    sql`select c.relname as name from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam
      where x.indrelid = ${month}::regclass and a.amname = 'btree' and x.indisvalid = ${isValid}
        and (x.indisvalid or c.relname like '%\\_ccnew%')
      order by c.relname`,
  );
  return rows.map(({ name }) => name);
}

/** Citus builds the indexes of each worker's part of a month; what is not used of them is known there only. */
async function dropOnWorkers(store: Store, month: string): Promise<void> {
  const unused = `select coalesce(string_agg(c.relname, ' '), '') from pg_index x
    join pg_class c on c.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where t.relname ~ '^${month}_[0-9]+$' and not x.indisvalid and c.relname like '%\\_ccnew%'`;
  const rows = await store.query<{ names: string }>(
    sql`select result as names from run_command_on_workers(${unused}) where success`,
  );
  for (const name of rows.flatMap(({ names }) => names.split(' ').filter((each) => each !== '')))
    await store.query(sql`select run_command_on_workers(${`drop index concurrently if exists "${name}"`})`);
}
