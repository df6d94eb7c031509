import pg from 'pg';
import { raw, type Sql, sql } from '../../../lib/sql.ts';
import { asOwner, type Store } from '../../db/db.ts';
import { groupByShard } from '../../db/shards/groupByShard.ts';
import { perShard } from '../../db/shards/perShard.ts';
import { dayMs, monthBase, perCount, perMonth } from '../rollups/rollups.ts';
import { claimMonth, finishMonth, settledMs } from './claimMonth.ts';
import { boundsOf, wholeMonthsBefore } from './partitions.ts';

/** A row of the roll-ups; rows are packed in the order of these. */
type Key = readonly [tenantId: number, contractId: number, day: number];

const start: Key = [0, -1, 0];
const chunkSize = 2000;
/** Highest count that fits into four bytes beside the day of the month. */
const maxCount = 2 ** 31 / perMonth - 1;

/**
 * Packs the few-alert days of ended months into one row per contract, because a day's row is mostly header and key.
 * Runs once a month, also for days with late or retracted alerts.
 */
export async function packRollups(store: Store, now: number, signal: AbortSignal): Promise<void> {
  const last = (await wholeMonthsBefore(store, 'alert', now - settledMs)).at(-1);
  if (last === undefined) return;
  const name = `packed ${last}`;
  if (!(await claimMonth(store, name, now))) return;
  const before = boundsOf(last.slice('alert_'.length)).to / dayMs;
  for (const pack of await packers(store, before)) {
    let after: Key | undefined = start;
    while (after && !signal.aborted) after = await pack(after);
  }
  // Else it is tried again after a day, like what a process left that died.
  if (!signal.aborted && (await shrink(store))) await finishMonth(store, name);
}

type Pack = (after: Key) => Promise<Key | undefined>;

/** One for all rows, or on Citus one for those of each shard. */
async function packers(store: Store, before: number): Promise<Pack[]> {
  type Row = { shard_row: string };
  if (!(await store.isDistributed()))
    return [
      async (after) => {
        const [last] = await store.query<Row>(packing(after, before));
        return last && (JSON.parse(last.shard_row) as Key);
      },
    ];
  const tenants = await store.query<{ id: number }>(sql`select id from tenant`);
  const shards = await groupByShard(store, tenants, ({ id }) => id);
  return shards.map(
    ([tenantId]) =>
      async (after) =>
        (
          await store.transaction((tx) =>
            perShard<number, Key>(
              tx,
              [tenantId],
              (id) => id,
              () => packing(after, before),
            ),
          )
        )[0],
  );
}

/**
 * Packs the next rows and returns the last. Skips rows that transactions of alerts hold or changed meanwhile, so it
 * never waits. Two packers insert months in one order.
 */
function packing([tenantId, contractId, day]: Key, before: number): Sql {
  return sql`with few as materialized (
      select tenant_id, contract_id, day, ctid as at from alert_rollup
      where (tenant_id, contract_id, day) > (${tenantId}::bigint, ${contractId}::bigint, ${day}::int)
        and day < ${before}::int and totals is null and quarters is null
        and (select coalesce(sum(abs(number >> 12)), 0) from unnest(recent) number) <= ${raw(`${maxCount}`)}
      order by tenant_id, contract_id, day limit ${raw(`${chunkSize}`)} for update skip locked),
    taken as (
      delete from alert_rollup where ctid = any(array(select at from few))
      returning tenant_id, contract_id, day, recent),
    counted as (
      select tenant_id, contract_id, first, ${placeInMonth} as place, sum(number >> 12) as count
      from taken cross join lateral (select ${firstOfMonth} as first) month cross join unnest(recent) number
      group by 1, 2, 3, 4 having sum(number >> 12) <> 0),
    packed as (
      insert into alert_rollup as r (tenant_id, contract_id, day, recent)
      select tenant_id, contract_id, first + ${raw(`${monthBase}`)}, array_agg(${numberInMonth}::int4 order by place)
      from counted group by 1, 2, 3 order by 1, 2, 3
      on conflict (tenant_id, contract_id, day) do update set recent = ${merged})
    select json_build_array(tenant_id, contract_id, day)::text as shard_row from few
    order by tenant_id desc, contract_id desc, day desc limit 1`;
}

const firstOfMonth = raw(`day - date_part('day', date '1970-01-01' + day)::int + 1`);
const placeInMonth = raw(`(day - first) * ${perCount} + (number & ${perCount - 1})`);
const numberInMonth = raw(`(count * ${perMonth} + place)`);

/** A count that would not fit stays in parts: numbers are added up wherever they are read. */
const merged = raw(`(
  select case when max(abs(count)) <= ${maxCount} then array_agg(count * ${perMonth} + place order by place)::int4[]
    else r.recent || excluded.recent end
  from (
    select number & ${perMonth - 1} as place, sum(number >> 17) as count from unnest(r.recent || excluded.recent) number
    group by 1 having sum(number >> 17) <> 0) summed)`);

const lockNotAvailable = '55P03';
/** So much is rewritten in less than a second. */
const maxRewritten = 64 * 2 ** 20;

/**
 * Rewrites a table that is mostly empty, as after an upgrade, if alerts wait only for a moment. Later rows would take
 * years to fill it. Returns false if locks were held for too long.
 */
async function shrink(store: Store): Promise<boolean> {
  const { maintain } = asOwner(store);
  if (!maintain || (await store.isDistributed())) return true;
  const [size] = await store.query<{ bytes: number; used: number }>(
    sql`select pg_relation_size('alert_rollup') as bytes, coalesce(sum(pg_column_size(r.*)), 0)::bigint as used
      from alert_rollup r`,
  );
  if (!size || size.bytes < 2 * size.used || size.used > maxRewritten) return true;
  return maintain(sql`vacuum (full) alert_rollup`, { lock_timeout: '2s' }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof pg.DatabaseError && error.code === lockNotAvailable) return false;
      throw error;
    },
  );
}
