import { raw, sql } from '../../../lib/sql.ts';
import { Problem } from '../../../model/errors.ts';
import { asOwner, type Db, type Store } from '../../db/db.ts';
import { inChunks } from '../../db/inChunks.ts';
import { dayMs, monthBase } from '../rollups/rollups.ts';
import { dropOldWords } from '../terms/alertWords.ts';

const partitionedTables = ['alert', 'score_change'] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

/** Times at which each partition was last seen to be there. */
const partitionsByStore = new WeakMap<Store, Map<string, number>>();

/**
 * Creates the missing partitions for these timestamps. Those of now are cached; past ones may have been dropped by another process,
 * and future ones divided.
 */
export async function ensurePartitions(
  store: Store,
  table: PartitionedTable,
  timestamps: Iterable<number>,
): Promise<void> {
  const cached = partitionsByStore.get(store) ?? new Map<string, number>();
  partitionsByStore.set(store, cached);
  const missing = new Set<string>();
  let seen = { from: 0, to: 0 };
  for (const timestamp of timestamps) {
    if (timestamp >= seen.from && timestamp < seen.to) continue;
    const isCached = (period: string) => {
      const { from, to } = boundsOf(period);
      return to > Date.now() && (cached.get(`${table} ${period}`) ?? -1) >= from;
    };
    const period = [monthOf(timestamp), dayOf(timestamp)].find(isCached);
    seen = boundsOf(period ?? dayOf(timestamp));
    if (period === undefined) missing.add(dayOf(timestamp));
  }
  const created = new Set<string>();
  for (const day of [...missing].sort()) {
    if (created.has(day.slice(0, monthLength))) continue;
    const at = Date.now();
    const period = await createPartition(store, table, day);
    created.add(period);
    cached.set(`${table} ${period}`, at);
  }
}

const daysAhead = 7;

/** The current month and the next two, or days of these, for both tables, so raising alerts never waits for a partition. */
export async function ensurePartitionsAhead(store: Store, now: number): Promise<void> {
  const date = new Date(now);
  const ahead = [
    ...Array.from({ length: daysAhead }, (_, days) => now + days * dayMs),
    ...[1, 2].map((months) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)),
  ];
  for (const table of partitionedTables) await ensurePartitions(store, table, ahead);
}

/** With a shorter retention, months would be kept for more than twice as long as they should be. */
export const maxDividedDays = 31;

/**
 * Divides months that are yet to come into days, which are dropped one by one. The current month stays as it is, because dividing
 * it would rewrite it.
 */
export async function divideMonthsAhead(store: Store, now: number): Promise<void> {
  for (const table of partitionedTables)
    for (const name of await partitionsOf(store, table)) {
      const period = name.slice(table.length + 1);
      if (isDay(period) || boundsOf(period).from < now + dayMs) continue;
      await divideMonth(store, table, period);
    }
}

async function divideMonth(store: Store, table: PartitionedTable, month: string): Promise<void> {
  const name = `${table}_${month}`;
  await changePartitions(store, async (tx) => {
    await lockPartitions(tx, table);
    if (!(await exists(tx, name))) return;
    const rows = await tx.query(sql`select 1 from ${raw(name)} limit 1`);
    if (rows.length > 0) return;
    await tx.query(sql`lock table ${raw(name)} in access exclusive mode`);
    // A transaction that wrote to it meanwhile has kept it from being locked.
    if ((await tx.query(sql`select 1 from ${raw(name)} limit 1`)).length > 0) return;
    await tx.query(sql`drop table ${raw(name)}`);
    await attachPartition(tx, table, `${month}_01`);
  });
}

/** Drops the partitions that end before `before`, their roll-ups and words; returns the names of the partitions. */
export async function dropOldPartitions(store: Store, before: number): Promise<string[]> {
  const old: string[] = [];
  for (const table of partitionedTables) old.push(...(await monthsBefore(store, table, before)));
  for (const name of old) {
    await changePartitions(store, async (tx) => {
      await tx.query(sql`drop table ${raw(name)}`);
      await tx.query(
        sql`delete from rebuilt_month where name in (${name}, ${termIndexOf(name)}) or name like ${`% ${name}`}`,
      );
    });
  }
  await dropRollups(store, await keptFrom(store, before));
  await dropOldWords(store, before);
  return old;
}

/** The time from which alerts are kept where those before another one are dropped: the start of its month, or of its day. */
export async function keptFrom(db: Db, before: number): Promise<number> {
  const names = await partitionsOf(db, 'alert');
  const month = `alert_${monthOf(before)}`;
  const isDivided = !names.includes(month) && names.some((name) => name.startsWith(`${month}_`));
  return boundsOf(isDivided ? dayOf(before) : monthOf(before)).from;
}

/** The partitions that end before `before`, the oldest first. */
export async function monthsBefore(db: Db, table: PartitionedTable, before: number): Promise<string[]> {
  const names = await partitionsOf(db, table);
  return names.filter((name) => boundsOf(name.slice(table.length + 1)).to <= before);
}

/** Those of whole months among them, without the months that follow one which is divided into days. */
export async function wholeMonthsBefore(db: Db, table: PartitionedTable, before: number): Promise<string[]> {
  const names = await partitionsOf(db, table);
  const divided = names.findIndex((name) => isDay(name.slice(table.length + 1)));
  const whole = divided === -1 ? names : names.slice(0, divided);
  return whole.filter((name) => boundsOf(name.slice(table.length + 1)).to <= before);
}

async function partitionsOf(db: Db, table: PartitionedTable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table}::text) order by c.relname`,
  );
  return rows.map(({ name }) => name);
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

/** The first millisecond of a month or day, and the first one after it. */
export function boundsOf(period: string): { from: number; to: number } {
  const [year = 0, month = 0, day] = period.split('_').map(Number);
  return day === undefined
    ? { from: Date.UTC(year, month - 1), to: Date.UTC(year, month) }
    : { from: Date.UTC(year, month - 1, day), to: Date.UTC(year, month - 1, day + 1) };
}

const monthLength = 'YYYY_MM'.length;
const isDay = (period: string) => period.length > monthLength;

/** Creates the partition of a day where none has it: of its month, or of the day alone where the month is divided. Returns which. */
async function createPartition(store: Store, table: PartitionedTable, day: string): Promise<string> {
  const existing = await findPartition(store, table, day);
  if (existing !== undefined) return existing;
  return changePartitions(store, async (tx) => {
    // Two processes may create the same one at once.
    await lockPartitions(tx, table);
    const month = day.slice(0, monthLength);
    const made = await findPartition(tx, table, day);
    if (made !== undefined) return made;
    const names = await partitionsOf(tx, table);
    const period = names.some((name) => name.startsWith(`${table}_${month}_`)) ? day : month;
    await attachPartition(tx, table, period);
    return period;
  });
}

/**
 * Changes tables on all workers. Alerts wait behind a change that waits for a search, so it waits briefly; a worker that hangs
 * would stop all of them, so each is asked first.
 */
async function changePartitions<T>(store: Store, work: (tx: Db) => Promise<T>): Promise<T> {
  const [silent] = (await store.isDistributed()) ? ((await store.silentWorkers?.()) ?? []) : [];
  if (silent !== undefined)
    throw new Problem(
      'unavailable',
      `Alerts of this time need a change of their tables on all database workers, and worker ${silent} does not ` +
        'answer at the moment; send the request again later.',
      { retryAfterSeconds: 2 },
    );
  return asOwner(store).transaction(async (tx) => {
    await tx.query(sql`set local lock_timeout = '2s'`);
    return work(tx);
  });
}

async function findPartition(db: Db, table: PartitionedTable, day: string): Promise<string | undefined> {
  for (const period of [day.slice(0, monthLength), day])
    if (await exists(db, `${table}_${period}`)) return period;
  return undefined;
}

async function lockPartitions(tx: Db, table: PartitionedTable): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`partition ${table}`}, 0))`);
}

async function attachPartition(tx: Db, table: PartitionedTable, period: string): Promise<void> {
  const name = `${table}_${period}`;
  const { from, to } = boundsOf(period);
  await tx.query(
    sql`create table ${raw(name)} partition of ${raw(table)}
      for values from (${raw(String(from))}) to (${raw(String(to))})`,
  );
  // PostgreSQL allows this only per partition. `flushPendingTerms` flushes the list.
  if (table === 'alert')
    await tx.query(sql`alter index ${raw(termIndexOf(name))} set (gin_pending_list_limit = 16384)`);
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

function dayOf(timestamp: number): string {
  return `${monthOf(timestamp)}_${String(new Date(timestamp).getUTCDate()).padStart(2, '0')}`;
}
