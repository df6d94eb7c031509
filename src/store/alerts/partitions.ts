import { raw, sql } from '../../lib/sql.ts';
import type { Db, Store } from '../db.ts';

const partitioned = ['alert', 'score_change'] as const;
export type Partitioned = (typeof partitioned)[number];

const made = new WeakMap<Store, Set<string>>();

/** Makes sure that the months of these timestamps have a partition; known ones cost nothing. */
export async function ensurePartitions(
  store: Store,
  table: Partitioned,
  timestamps: Iterable<number>,
): Promise<void> {
  const known = made.get(store) ?? new Set<string>();
  made.set(store, known);
  const missing = new Set<string>();
  for (const timestamp of timestamps) {
    const month = monthOf(timestamp);
    if (!known.has(`${table} ${month}`)) missing.add(month);
  }
  for (const month of [...missing].sort()) {
    await createPartition(store, table, month);
    known.add(`${table} ${month}`);
  }
}

/** The present month and the two after it, for both tables: made ahead, so that raising alerts never waits for one. */
export async function ensurePartitionsAhead(store: Store, now: number): Promise<void> {
  const date = new Date(now);
  const ahead = [0, 1, 2].map((months) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months));
  for (const table of partitioned) await ensurePartitions(store, table, ahead);
}

/** Detaches and drops the partitions that end before `before`, alerts with their roll-ups; returns their names. */
export async function dropOldPartitions(store: Store, before: number): Promise<string[]> {
  const rows = await store.query<{ parent: string; name: string }>(
    sql`select p.relname as parent, c.relname as name from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where p.relname = any(${[...partitioned]}) order by c.relname`,
  );
  const old = rows.filter(({ parent, name }) => endOf(parent, name) <= before);
  for (const { parent, name } of old) {
    await store.transaction(async (tx) => {
      await tx.query(sql`alter table ${raw(parent)} detach partition ${raw(name)}`);
      if (parent === 'alert')
        await tx.query(sql`delete from alert_rollup where start < ${endOf(parent, name)}`);
      await tx.query(sql`drop table ${raw(name)}`);
    });
    made.get(store)?.delete(`${parent} ${name.slice(parent.length + 1)}`);
  }
  return old.map(({ name }) => name);
}

/** The first millisecond after the month of a partition. */
function endOf(parent: string, name: string): number {
  const [year, month] = name
    .slice(parent.length + 1)
    .split('_')
    .map(Number);
  return Date.UTC(year!, month);
}

async function createPartition(store: Store, table: Partitioned, month: string): Promise<void> {
  const [year, index] = month.split('_').map(Number);
  const [from, to] = [Date.UTC(year!, index! - 1), Date.UTC(year!, index)];
  await store.transaction(async (tx: Db) => {
    // Two processes may want the same month at once.
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`partition ${table}`}, 0))`);
    await tx.query(
      sql`create table if not exists ${raw(`${table}_${month}`)} partition of ${raw(table)}
        for values from (${raw(String(from))}) to (${raw(String(to))})`,
    );
    // Of an index of all months this cannot be changed. What waits in the list is sorted in by `sortTerms`.
    if (table === 'alert')
      await tx.query(
        sql`alter index ${raw(`${table}_${month}_terms_idx`)} set (gin_pending_list_limit = 4096)`,
      );
  });
}

function monthOf(timestamp: number): string {
  const date = new Date(timestamp);
  return `${date.getUTCFullYear()}_${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}
