import { raw, sql } from '../../../lib/sql.ts';
import { asOwner, type Db, type Store } from '../../db/db.ts';
import { inChunks } from '../../db/inChunks.ts';
import { dayMs, monthBase } from '../rollups/rollups.ts';
import { dropOldWords } from '../terms/alertWords.ts';

const partitionedTables = ['alert', 'score_change'] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

const partitionsByStore = new WeakMap<Store, Set<string>>();

/**
 * Creates the missing partitions for the months of these timestamps. Months are cached, except past ones, which another
 * process may have dropped.
 */
export async function ensurePartitions(
  store: Store,
  table: PartitionedTable,
  timestamps: Iterable<number>,
): Promise<void> {
  const cached = partitionsByStore.get(store) ?? new Set<string>();
  partitionsByStore.set(store, cached);
  const missing = new Set<string>();
  let seen = { from: 0, to: 0 };
  for (const timestamp of timestamps) {
    if (timestamp >= seen.from && timestamp < seen.to) continue;
    const month = monthOf(timestamp);
    seen = boundsOf(month);
    if (!cached.has(`${table} ${month}`) || seen.to <= Date.now()) missing.add(month);
  }
  for (const month of [...missing].sort()) {
    await createPartition(store, table, month);
    cached.add(`${table} ${month}`);
  }
}

/** The current month and the next two, for both tables, so raising alerts never waits for a partition. */
export async function ensurePartitionsAhead(store: Store, now: number): Promise<void> {
  const date = new Date(now);
  const ahead = [0, 1, 2].map((months) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months));
  for (const table of partitionedTables) await ensurePartitions(store, table, ahead);
}

/** Drops the partitions that end before `before`, their roll-ups and words; returns the names of the partitions. */
export async function dropOldPartitions(store: Store, before: number): Promise<string[]> {
  const old: string[] = [];
  for (const table of partitionedTables) old.push(...(await monthsBefore(store, table, before)));
  for (const name of old) {
    await asOwner(store).transaction(async (tx) => {
      // While the drop waits for a long search, raising alerts waits for the drop; better retry in an hour.
      await tx.query(sql`set local lock_timeout = '2s'`);
      await tx.query(sql`drop table ${raw(name)}`);
      await tx.query(
        sql`delete from rebuilt_month where name in (${name}, ${termIndexOf(name)}) or name like ${`% ${name}`}`,
      );
    });
  }
  const date = new Date(before);
  await dropRollups(store, Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
  await dropOldWords(store, before);
  return old;
}

/** The partitions that end before `before`, the oldest first. */
export async function monthsBefore(db: Db, table: PartitionedTable, before: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    sql`select c.relname as name from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where p.oid = to_regclass(${table}::text) order by c.relname`,
  );
  return rows.map(({ name }) => name).filter((name) => boundsOf(name.slice(table.length + 1)).to <= before);
}

/** Contract by contract, by the index of the roll-ups; months begin with a day. Packed months are beside the days. */
async function dropRollups(db: Db, before: number): Promise<void> {
  const beyond = before / dayMs;
  // Workers know no rows of the coordinator; each deletes all of its own.
  if (await db.isDistributed()) {
    await db.query(
      sql`delete from alert_rollup where day < ${beyond} or (day >= ${monthBase} and day < ${monthBase + beyond})`,
    );
    return;
  }
  await inChunks(async (limit) => {
    const rows = await db.query(
      sql`with recursive owner as (
          (select tenant_id, contract_id from alert_rollup order by 1, 2 limit 1)
          union all
          select next.* from owner o, lateral (
            select tenant_id, contract_id from alert_rollup
            where (tenant_id, contract_id) > (o.tenant_id, o.contract_id)
            order by 1, 2 limit 1) next),
        old as (
          select r.at from owner o,
            (values (${-monthBase}::int, ${beyond}::int), (${monthBase}, ${monthBase + beyond})) s(first, beyond),
            lateral (
            select ctid as at from alert_rollup
            where (tenant_id, contract_id) = (o.tenant_id, o.contract_id) and day >= s.first and day < s.beyond
            order by day limit ${limit}) r
          limit ${limit})
        delete from alert_rollup where ctid = any(array(select at from old)) returning 1`,
    );
    return rows.length;
  });
}

/** The index of the terms of a month of alerts. */
export function termIndexOf(month: string): string {
  return `${month}_terms_idx`;
}

/** The first millisecond of a month, and the first one after it. */
export function boundsOf(month: string): { from: number; to: number } {
  const [year = 0, number = 0] = month.split('_').map(Number);
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}

async function createPartition(store: Store, table: PartitionedTable, month: string): Promise<void> {
  const name = `${table}_${month}`;
  if (await exists(store, name)) return;
  const { from, to } = boundsOf(month);
  await asOwner(store).transaction(async (tx) => {
    // Two processes may create the same month at once.
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`partition ${table}`}, 0))`);
    if (await exists(tx, name)) return;
    await tx.query(
      sql`create table ${raw(name)} partition of ${raw(table)}
        for values from (${raw(String(from))}) to (${raw(String(to))})`,
    );
    // PostgreSQL allows this only per partition. `flushPendingTerms` flushes the list.
    if (table === 'alert')
      await tx.query(sql`alter index ${raw(termIndexOf(name))} set (gin_pending_list_limit = 16384)`);
  });
}

/** Reads the catalogue itself, because PostgreSQL's cached names may be older than the lock above. */
async function exists(db: Db, name: string): Promise<boolean> {
  const rows = await db.prepared(
    sql`select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`,
  );
  return rows.length > 0;
}

export function monthOf(timestamp: number): string {
  const date = new Date(timestamp);
  return `${date.getUTCFullYear()}_${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}
