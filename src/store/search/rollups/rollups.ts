import { getOrThrow } from '../../../lib/getOrThrow.ts';
import { raw, type Sql, sql } from '../../../lib/sql.ts';
import { alertGroups, severityOf } from '../../../model/alert.ts';
import type { Db, Store } from '../../db/db.ts';

export const quarterMs = 15 * 60_000;
export const dayMs = 86_400_000;

const severities = Object.values(severityOf);
/** The cells that a quarter counts by; stored numbers rely on the order. */
export const cells = alertGroups.flatMap((group) => severities.map((severity) => ({ group, severity })));

/** A stored number is `count * perCount + quarter * perQuarter + cell`; the count may be negative. */
export const perQuarter = 32;
export const perCount = 4096;

/**
 * Added to the first day of a month for the row of its packed days. No day reaches it, so a range of days never
 * contains such a row.
 */
export const monthBase = 1_000_000_000;
/** A number of such a row has the day of the month, from 0, between the count and what it is of a day: `count * perMonth + day * perCount + …`. */
export const perMonth = 32 * perCount;

const groupCases = alertGroups.map((group, index) => `when '${group}' then ${index * severities.length}`);
const severityCases = severities.map((severity, index) => `when ${severity} then ${index}`);
const placeOfAlert = `timestamp % ${dayMs} / ${quarterMs} * ${perQuarter}
  + case alert_group ${groupCases.join(' ')} end + case numeric_severity ${severityCases.join(' ')} end`;

/** From so many new numbers on, they are summed up. */
const maxRecent = 48;
const isFew = `cardinality(r.recent) + cardinality(excluded.recent) <= ${maxRecent}`;
const summedUp = (former: string, mask: number) => `array(
  select sum((number >> 12)::int4) * ${perCount} + (number & ${mask})
  from unnest(${former} || r.recent || excluded.recent) number
  group by number & ${mask} having sum((number >> 12)::int4) <> 0 order by number & ${mask})`;

/**
 * A statement that adds the alerts of a relation to the counts of their contract and tenant, or with -1 subtracts them.
 */
export function addToRollups(alerts: Sql, sign: 1 | -1): Sql {
  return addNumbers(
    sql`${raw(`(
      select tenant_id, owner, day, ${sign} * count(*) * ${perCount} + place as number
      from (
        select tenant_id, unnest(array[contract_id, 0]) as owner, timestamp / ${dayMs} as day, ${placeOfAlert} as place
        from `)} ${alerts}${raw(`) placed
      group by tenant_id, owner, day, place)`)}`,
  );
}

export type CountedAlert = {
  tenantId: number;
  contractId: number;
  timestamp: number;
  group: string;
  numericSeverity: number;
};

/** The same for alerts that are counted here: PostgreSQL would sort them first. */
export function addAlertsToRollups(alerts: readonly CountedAlert[], sign: 1 | -1): Sql {
  const counts = new Map<string, number>();
  for (const { tenantId, contractId, timestamp, group, numericSeverity } of alerts) {
    const quarter = Math.floor((timestamp % dayMs) / quarterMs);
    const cell = quarter * perQuarter + getOrThrow(cellOf, `${group} ${numericSeverity}`);
    const day = Math.floor(timestamp / dayMs);
    for (const owner of [contractId, 0]) {
      const key = `${tenantId} ${owner} ${day} ${cell}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const rows = Array.from(counts, ([key, count]) => {
    const [tenantId, owner, day, cell] = key.split(' ').map(Number) as [number, number, number, number];
    return { tenantId, owner, day, number: sign * count * perCount + cell };
  });
  const column = (name: keyof (typeof rows)[number]) => `{${rows.map((row) => row[name]).join()}}`;
  return addNumbers(sql`(select * from unnest(${column('tenantId')}::bigint[], ${column('owner')}::bigint[],
    ${column('day')}::int4[], ${column('number')}::int4[]) n(tenant_id, owner, day, number))`);
}

const cellOf = new Map(cells.map(({ group, severity }, cell) => [`${group} ${severity}`, cell]));

/**
 * Goes through the rows in a fixed order, so two batches cannot deadlock. New numbers come first, because PostgreSQL then logs
 * only them: the rest of the row stays as it was.
 */
function addNumbers(numbers: Sql): Sql {
  return sql`insert into alert_rollup as r (tenant_id, contract_id, day, recent)
    select tenant_id, owner, day, array_agg(number::int4)
    from ${numbers} ${raw(`counted
    group by tenant_id, owner, day order by tenant_id, owner, day
    on conflict (tenant_id, contract_id, day) do update set
      recent = case when ${isFew} then excluded.recent || r.recent else '{}' end,
      quarters = case when ${isFew} then r.quarters else ${summedUp('r.quarters', perCount - 1)} end,
      totals = case when ${isFew} then r.totals else ${summedUp('r.totals', perQuarter - 1)} end`)}`;
}

export type RollupFault = {
  tenantId: number;
  contractId: number;
  widthMs: number;
  start: number;
  group: string;
  numericSeverity: number;
  counted: number;
  stored: number;
};

/** Counts all alerts again and lists up to a hundred differences from the roll-ups. */
export async function verifyRollups(store: Store): Promise<RollupFault[]> {
  return store.transaction(async (tx) => {
    // All alerts are read, which may take minutes.
    await tx.query(sql`set local statement_timeout = 0`);
    if (!(await tx.isDistributed())) return findFaults(tx, raw('true'));
    const tenants = await tx.query<{ id: number }>(
      sql`select tenant_id as id from alert_rollup group by 1 union select tenant_id from alert group by 1 order by 1`,
    );
    const faults: RollupFault[] = [];
    for (const { id } of tenants) faults.push(...(await findFaults(tx, sql`tenant_id = ${id}`)));
    return faults.slice(0, maxFaults);
  });
}

const maxFaults = 100;

/** One statement, so alerts and roll-ups are read in one snapshot. */
async function findFaults(tx: Db, condition: Sql): Promise<RollupFault[]> {
  return tx.query<RollupFault>(
    sql`with width as (select * from (values (${quarterMs}::int), (${dayMs}::int)) w(ms)),
      counted as (
        select tenant_id, case when grouping(contract_id) = 1 then 0 else contract_id end as contract_id, w.ms,
          timestamp / w.ms * w.ms as start, alert_group, numeric_severity, count(*) as count
        from alert, width w where retracted_at is null and ${condition}
        group by grouping sets ((tenant_id, contract_id, w.ms, timestamp / w.ms * w.ms, alert_group, numeric_severity),
                                (tenant_id, w.ms, timestamp / w.ms * w.ms, alert_group, numeric_severity)))
      select coalesce(c.tenant_id, r.tenant_id) as "tenantId", coalesce(c.contract_id, r.contract_id) as "contractId",
        coalesce(c.ms, r.width_ms) as "widthMs", coalesce(c.start, r.start) as start,
        coalesce(c.alert_group, r.alert_group) as "group",
        coalesce(c.numeric_severity, r.numeric_severity) as "numericSeverity", coalesce(c.count, 0) as counted,
          coalesce(r.count, 0) as stored
      from counted c full join (select * from ${unpackedRollups} unpacked where ${condition}) r
        on r.tenant_id = c.tenant_id and r.contract_id = c.contract_id and r.width_ms = c.ms and r.start = c.start
        and r.alert_group = c.alert_group and r.numeric_severity = c.numeric_severity
      where c.count is distinct from r.count order by 1, 2, 3, 4, 5, 6 limit ${maxFaults}`,
  );
}

const cellRows = cells.map(({ group, severity }, cell) => `(${cell}, '${group}', ${severity})`);

/** With a row for each number of packed months. */
const rollupDays = `(
  select tenant_id, contract_id, day, totals, quarters, recent from alert_rollup where day < ${monthBase}
  union all
  select tenant_id, contract_id, day - ${monthBase} + (number >> 12 & 31), null, null,
    array[(number >> 17) * ${perCount} + (number & ${perCount - 1})]
  from alert_rollup cross join unnest(recent) number where day >= ${monthBase})`;

/** A row for each count that is not 0: by quarter, and by day. A cell that does not exist has no group. */
export const unpackedRollups = raw(`(
  select tenant_id, contract_id, width_ms, start, alert_group, numeric_severity, count
  from (
    select tenant_id, contract_id, width_ms, day::bigint * ${dayMs} + place / ${perQuarter} * ${quarterMs} as start,
      place % ${perQuarter} as cell, sum(count)::bigint as count
    from (
      select r.*, w.width_ms, number >> 12 as count,
        number & case width_ms when ${dayMs} then ${perQuarter - 1} else ${perCount - 1} end as place
      from ${rollupDays} r cross join (values (${quarterMs}), (${dayMs})) w(width_ms)
      cross join lateral unnest(case width_ms when ${dayMs} then totals else quarters end || recent) number) numbers
    group by 1, 2, 3, 4, 5 having sum(count) <> 0) summed
  left join (values ${cellRows.join(', ')}) c(cell, alert_group, numeric_severity) using (cell))`);
