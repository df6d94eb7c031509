import { raw, type Sql, sql } from '../../lib/sql.ts';
import { alertGroups, severityOf } from '../../model/alert.ts';
import type { Db, Store } from '../db.ts';

export const quarterMs = 15 * 60_000;
export const dayMs = 86_400_000;

type CountedAlert = {
  tenantId: number;
  contractId: number;
  timestamp: number;
  group: string;
  numericSeverity: number;
};

const severities = Object.values(severityOf);
/** What each element of `counts` counts; stored rows rely on the order. */
export const cells = alertGroups.flatMap((group) => severities.map((severity) => ({ group, severity })));

const cellIndexes = new Map(cells.map(({ group, severity }, index) => [`${group} ${severity}`, index]));

/** Adds alerts to the counts of their contract and tenant, or with -1 subtracts them. */
export async function addToRollups(tx: Db, alerts: readonly CountedAlert[], sign: 1 | -1): Promise<void> {
  const rows = new Map<string, { key: readonly number[]; counts: number[] }>();
  for (const { tenantId, contractId, timestamp, group, numericSeverity } of alerts) {
    const cell = cellIndexes.get(`${group} ${numericSeverity}`);
    if (cell === undefined)
      throw new Error(`No roll-up counts ${group} alerts of severity ${numericSeverity}.`);
    for (const owner of [contractId, 0]) {
      for (const width of [quarterMs, dayMs]) {
        const key = [tenantId, owner, width, timestamp - (timestamp % width)];
        const name = key.join(' ');
        const row = rows.get(name) ?? { key, counts: cells.map(() => 0) };
        row.counts[cell] = (row.counts[cell] ?? 0) + sign;
        rows.set(name, row);
      }
    }
  }
  if (rows.size === 0) return;
  // In a fixed order, so two batches cannot deadlock.
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  // Hundreds of rows per batch: serialised here, because the driver would check every element for quotes.
  const column = (index: number) => `{${sorted.map(({ key }) => key[index]).join()}}`;
  const counts = `{${sorted.map((row) => `"{${row.counts.join()}}"`).join()}}`;
  await tx.prepared(
    sql`insert into alert_rollup as r (tenant_id, contract_id, width_ms, start, counts)
      select tenant_id, contract_id, width_ms, start, counts::int4[]
      from unnest(${column(0)}::bigint[], ${column(1)}::bigint[], ${column(2)}::int[], ${column(3)}::bigint[],
        ${counts}::text[]) u(tenant_id, contract_id, width_ms, start, counts)
      on conflict (tenant_id, contract_id, width_ms, start)
      do update set counts = array[${eachCell((n) => `r.counts[${n}] + excluded.counts[${n}]`)}]`,
  );
}

/** An expression for every element of `counts`, from 1. */
export function eachCell(expression: (n: number) => string): Sql {
  return raw(cells.map((_, index) => expression(index + 1)).join(', '));
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
    return findFaults(tx);
  });
}

/** One statement, so alerts and roll-ups are read in one snapshot. */
async function findFaults(tx: Db): Promise<RollupFault[]> {
  return tx.query<RollupFault>(
    sql`with width as (select * from (values (${quarterMs}::int), (${dayMs}::int)) w(ms)),
      counted as (
        select tenant_id, case when grouping(contract_id) = 1 then 0 else contract_id end as contract_id, w.ms,
          timestamp / w.ms * w.ms as start, alert_group, numeric_severity, count(*) as count
        from alert, width w where retracted_at is null
        group by grouping sets ((tenant_id, contract_id, w.ms, timestamp / w.ms * w.ms, alert_group, numeric_severity),
                                (tenant_id, w.ms, timestamp / w.ms * w.ms, alert_group, numeric_severity)))
      select coalesce(c.tenant_id, r.tenant_id) as "tenantId", coalesce(c.contract_id, r.contract_id) as "contractId",
        coalesce(c.ms, r.width_ms) as "widthMs", coalesce(c.start, r.start) as start,
        coalesce(c.alert_group, r.alert_group) as "group",
        coalesce(c.numeric_severity, r.numeric_severity) as "numericSeverity", coalesce(c.count, 0) as counted,
          coalesce(r.count, 0) as stored
      from counted c full join (select * from alert_rollup, lateral ${cellsOf('counts')}) r
        on r.tenant_id = c.tenant_id and r.contract_id = c.contract_id and r.width_ms = c.ms and r.start = c.start
        and r.alert_group = c.alert_group and r.numeric_severity = c.numeric_severity
      where c.count is distinct from r.count order by 1, 2, 3, 4, 5, 6 limit 100`,
  );
}

/** A table `cell` of group, severity and count, of the cells of an array that are not 0. */
function cellsOf(counts: string): Sql {
  const rows = cells.map(
    ({ group, severity }, index) => `('${group}', ${severity}, ${counts}[${index + 1}])`,
  );
  return raw(
    `(select * from (values ${rows.join(', ')}) v(alert_group, numeric_severity, count) where count <> 0) cell`,
  );
}
