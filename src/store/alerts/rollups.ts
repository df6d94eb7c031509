import { sql } from '../../lib/sql.ts';
import type { Db, Store } from '../db.ts';

export const quarterMs = 15 * 60_000;
export const dayMs = 86_400_000;

type Counted = {
  tenantId: number;
  contractId: number;
  timestamp: number;
  group: string;
  numericSeverity: number;
};

/** Adds alerts to (or, with -1, takes them out of) the counts of their contract and their tenant. */
export async function addToRollups(tx: Db, alerts: readonly Counted[], sign: 1 | -1): Promise<void> {
  const counts = new Map<string, (string | number)[]>();
  for (const alert of alerts) {
    for (const contractId of [alert.contractId, 0]) {
      for (const width of [quarterMs, dayMs]) {
        const start = Math.floor(alert.timestamp / width) * width;
        const key = [alert.tenantId, contractId, width, start, alert.group, alert.numericSeverity];
        const row = counts.get(key.join(' '));
        if (row) row[6] = Number(row[6]) + sign;
        else counts.set(key.join(' '), [...key, sign]);
      }
    }
  }
  if (counts.size === 0) return;
  // Always in the same order, so that two batches cannot wait for each other.
  const rows = [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const column = (index: number) => rows.map((row) => row[index]);
  await tx.prepared(
    sql`insert into alert_rollup as r (tenant_id, contract_id, width_ms, start, alert_group, numeric_severity, count)
      select * from unnest(${column(0)}::bigint[], ${column(1)}::bigint[], ${column(2)}::int[], ${column(3)}::bigint[],
        ${column(4)}::text[], ${column(5)}::smallint[], ${column(6)}::bigint[])
      on conflict (tenant_id, contract_id, width_ms, start, alert_group, numeric_severity)
      do update set count = r.count + excluded.count`,
  );
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

/** Counts all alerts anew and lists where the roll-ups differ, at most a hundred places. */
export async function verifyRollups(store: Store): Promise<RollupFault[]> {
  return store.transaction(async (tx) => {
    // All alerts are read, which may take minutes.
    await tx.query(sql`set local statement_timeout = 0`);
    return findFaults(tx);
  });
}

/** One statement, so that alerts and roll-ups are seen at the same moment. */
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
        coalesce(c.numeric_severity, r.numeric_severity) as "numericSeverity", coalesce(c.count, 0) as counted, coalesce(r.count, 0) as stored
      from counted c full join (select * from alert_rollup where count <> 0) r
        on r.tenant_id = c.tenant_id and r.contract_id = c.contract_id and r.width_ms = c.ms and r.start = c.start
        and r.alert_group = c.alert_group and r.numeric_severity = c.numeric_severity
      where c.count is distinct from r.count order by 1, 2, 3, 4, 5, 6 limit 100`,
  );
}
