import { raw, sql } from '../../../lib/sql.ts';
import { asOwner, type Store } from '../../db/db.ts';
import { claimMonth, finishMonth, settledMs } from './claimMonth.ts';
import { monthsBefore, termIndexOf, wholeMonthsBefore } from './partitions.ts';

/**
 * Rebuilds the indexes of ended months compactly, and the keys of roll-ups and dictionary, while alerts go on. Runs
 * once a month in one process; not behind a pooler, on Citus without the term index.
 */
export async function rebuildIndexes(
  anyStore: Store,
  { retainedFrom = 0, now }: { retainedFrom?: number | undefined; now: number },
  signal: AbortSignal,
): Promise<void> {
  const store = asOwner(anyStore);
  const { maintain } = store;
  if (!maintain) return;
  const ended = await wholeMonthsBefore(store, 'alert', now - settledMs);
  const expired = await monthsBefore(store, 'alert', retainedFrom);
  for (const month of ended.filter((name) => !expired.includes(name))) {
    if (signal.aborted) return;
    if (!(await claimMonth(store, month, now))) continue;
    for (const name of await indexesOf(store, month, 'btree', true))
      await store.query(sql`alter index ${raw(name)} set (fillfactor = 100)`);
    await rebuildOrdered(store, maintain, month);
    await finishMonth(store, month);
  }
  const last = ended.at(-1);
  for (const table of last ? grownTables : []) {
    if (signal.aborted) return;
    const name = `${table} ${last}`;
    if (!(await claimMonth(store, name, now))) continue;
    await rebuildOrdered(store, maintain, table);
    await finishMonth(store, name);
  }
  // A coordinator sends a worker either a setting or a rebuild beside which others write, in sessions of their own.
  if (await store.isDistributed()) return;
  for (const month of ended.filter((name) => !expired.includes(name))) {
    const index = termIndexOf(month);
    if (signal.aborted) return;
    if (!(await claimMonth(store, index, now))) continue;
    await rebuildTerms(store, maintain, month);
    await finishMonth(store, index);
  }
}

/**
 * New rows split pages all over these keys, which are a third empty after a month. A tenth stays free, about as much as
 * the next month takes.
 */
const grownTables = ['alert_rollup', 'alert_word'] as const;

async function rebuildOrdered(store: Store, maintain: Maintain, table: string): Promise<void> {
  // A process that died at it leaves an index which is not used.
  for (const name of await indexesOf(store, table, 'btree', false))
    await maintain(sql`drop index concurrently if exists ${raw(name)}`);
  if (await store.isDistributed()) await dropOnWorkers(store, table);
  for (const name of await indexesOf(store, table, 'btree', true))
    await maintain(sql`reindex index concurrently ${raw(name)}`);
}

/** Share of a month's terms that PostgreSQL collects before it inserts them into the index, in order. */
const firstPart = 0.57;
const [minKilobytes, maxKilobytes] = [1024, 512 * 1024];

/**
 * Builds the term index in two sorted parts: the first leaves pages half full, the second fills them if it is a little
 * smaller. One insert of all leaves them half empty.
 */
async function rebuildTerms(store: Store, maintain: Maintain, month: string): Promise<void> {
  const kilobytes = Math.round((firstPart * (await termBytes(store, month))) / 1024);
  if (kilobytes < minKilobytes || kilobytes > maxKilobytes) return;
  for (const name of await indexesOf(store, month, 'gin', false))
    await maintain(sql`drop index concurrently if exists ${raw(name)}`);
  await maintain(sql`reindex index concurrently ${raw(termIndexOf(month))}`, {
    maintenance_work_mem: `${kilobytes}kB`,
    max_parallel_maintenance_workers: '0',
  });
}

type Maintain = NonNullable<Store['maintain']>;

/** The memory that PostgreSQL would take for all terms: for each an entry, and for its alerts a list that doubles when it is full. */
async function termBytes(store: Store, month: string): Promise<number> {
  return store.transaction(async (tx) => {
    await tx.query(sql`set local statement_timeout = 0`);
    const rows = await tx.query<{ bytes: number | null }>(
      sql`select sum(72 + 32 * 2 ^ ceil(ln(greatest(alerts, 5)::float8 / 5) / ln(2::float8)))::float8 as bytes
        from (select count(*) as alerts from ${raw(month)}, unnest(terms) term group by term) counted`,
    );
    return rows[0]?.bytes ?? 0;
  });
}

async function indexesOf(
  store: Store,
  month: string,
  method: 'btree' | 'gin',
  isValid: boolean,
): Promise<string[]> {
  const rows = await store.query<{ name: string }>(
    sql`select c.relname as name from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam
      where x.indrelid = ${month}::regclass and a.amname = ${method} and x.indisvalid = ${isValid}
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
  for (const name of rows.flatMap(({ names }) => names.split(' ').filter((text) => text !== '')))
    await store.query(sql`select run_command_on_workers(${`drop index concurrently if exists "${name}"`})`);
}
