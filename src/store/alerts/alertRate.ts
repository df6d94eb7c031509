import { getOrThrow } from '../../lib/getOrThrow.ts';
import { raw, sql } from '../../lib/sql.ts';
import { severities } from '../../model/enumerations.ts';
import { currentPlan } from '../accounts/plans.ts';
import type { Db } from '../db.ts';

export type RateWindow = {
  tenantId: number;
  /** Counts by severity before this batch, the lowest severity first. */
  before: number[];
  limit: number;
  durationMs: number;
  start: number;
  /** The highest severity (as a number) whose suppression was reported in this window; 0: none. */
  noticed: number;
};

const sumOfCells = raw(severities.map((_, n) => `r.counts[${n + 1}] + excluded.counts[${n + 1}]`).join());

type CountedWindow = Omit<RateWindow, 'before'> & {
  counts: number[];
  /** Of other chains. */
  others: number[][] | null;
};

/**
 * Adds alerts of a chain, counted by severity, to the current rate window of each tenant, by its plan. What other chains have not
 * committed yet is not counted, so that they do not wait for each other.
 */
export async function addToAlertRates(
  tx: Db,
  chainUid: string,
  counts: ReadonlyMap<number, readonly number[]>,
  now: number,
): Promise<RateWindow[]> {
  const lists = Array.from(counts.values(), (cells) => `{${cells.join()}}`);
  const windows = await tx.prepared<CountedWindow>(
    sql`with plans as (
        select a.tenant_id, a.counts, p.detector_rate_limit as rate_limit,
          greatest(p.detector_rate_limit_duration, 1) as duration
        from unnest(${[...counts.keys()]}::bigint[], ${lists}::text[]) a(tenant_id, counts)
          cross join lateral (select p.* from ${currentPlan(sql`a.tenant_id`, now)}) p),
      counted as (
        insert into alert_rate as r (tenant_id, window_start, chain_uid, counts)
        select tenant_id, ${now}::bigint - ${now}::bigint % duration, ${chainUid}, counts::int4[]
        from plans order by tenant_id
        on conflict (tenant_id, window_start, chain_uid) do update set counts = array[${sumOfCells}]
        returning tenant_id, window_start, counts, noticed)
      select c.tenant_id as "tenantId", c.counts, p.rate_limit as limit, p.duration as "durationMs",
        c.window_start as start, greatest(c.noticed, o.noticed) as noticed, o.counts as others
      from counted c join plans p using (tenant_id)
        cross join lateral (select max(r.noticed) as noticed, json_agg(r.counts) as counts from alert_rate r
          where r.tenant_id = c.tenant_id and r.window_start = c.window_start and r.chain_uid <> ${chainUid}) o`,
  );
  return windows.map(({ counts: own, others, ...window }) => {
    const added = getOrThrow(counts, window.tenantId);
    const ofOthers = (cell: number) => others?.reduce((sum, cells) => sum + cells[cell]!, 0) ?? 0;
    return { ...window, before: own.map((count, cell) => count - added[cell]! + ofOthers(cell)) };
  });
}

/** Records up to which severity the suppression was reported; the row is locked since its counts were changed. */
export async function saveNoticed(
  tx: Db,
  chainUid: string,
  { tenantId, start, noticed }: Pick<RateWindow, 'tenantId' | 'start' | 'noticed'>,
): Promise<void> {
  await tx.prepared(
    sql`update alert_rate set noticed = ${noticed}
      where tenant_id = ${tenantId} and window_start = ${start} and chain_uid = ${chainUid}`,
  );
}

export async function purgeAlertRates(db: Db, before: number): Promise<void> {
  await db.query(sql`delete from alert_rate where window_start < ${before}`);
}
