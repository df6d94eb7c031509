import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { type MetricName, platformTenant } from '../../model/metrics.ts';
import type { Db } from '../db/db.ts';

type Time = { from: number; to: number; starts: readonly number[] };

export type SampleFilter = Time & {
  metric: MetricName;
  tenantIds: readonly number[];
  /** Values that each label may have. */
  tags: ReadonlyMap<string, readonly string[]>;
  /** Labels, `tenant` among them, whose values are grouped separately. */
  split: readonly string[];
};

export type SampleSum = {
  bucket: number;
  /** The values of the labels of `split`. */
  parts: (string | null)[];
  value: number;
  count: number;
  min: number;
  max: number;
  /** The newest minute and what was added last in it; of several series, the largest. */
  newest: [minute: number, last: number];
};

/** Per bucket (from 0) and combination of split labels, the sum of what was added; a sample lies where its minute starts. */
export async function readSamples(db: Db, filter: SampleFilter): Promise<SampleSum[]> {
  const allowed = [...filter.tags].map(
    ([label, values]) => sql`and s.labels ->> ${label} = any(${values}::text[])`,
  );
  return db.query<SampleSum>(
    sql`select ${bucketOf(filter)} as bucket, array[${join(filter.split.map(labelSql), ', ')}]::text[] as parts,
        sum(s.value) as value, sum(s.count)::bigint as count, min(s.min) as min, max(s.max) as max,
        max(array[s.minute, s.last]) as newest
      from ${samplesOf(filter.tenantIds)} s
      where s.tenant_id = any(${filter.tenantIds}) and s.metric = ${filter.metric} and ${within(filter)}
        ${join(allowed, ' ')}
      group by 1, 2 order by 1, 2`,
  );
}

/** Per bucket (from 0) and metric, the sum over the series of one tenant; those that have a type, of one type where `types` names it. */
export async function sumMetrics(
  db: Db,
  tenantId: number,
  metrics: readonly MetricName[],
  types: Partial<Record<MetricName, string>>,
  time: Time,
): Promise<{ bucket: number; metric: MetricName; value: number }[]> {
  return db.query<{ bucket: number; metric: MetricName; value: number }>(
    sql`select ${bucketOf(time)} as bucket, s.metric, sum(s.value) as value from ${samplesOf([tenantId])} s
      where s.tenant_id = ${tenantId} and s.metric = any(${metrics}) and ${within(time)}
        and s.labels ->> 'type' is not distinct from coalesce(${JSON.stringify(types)}::jsonb ->> s.metric,
          s.labels ->> 'type')
      group by 1, 2`,
  );
}

/** With what is not added up yet, where the platform's own are read. */
function samplesOf(tenantIds: readonly number[]): Sql {
  if (!tenantIds.includes(platformTenant)) return raw('metric_sample');
  return sql`(select tenant_id, metric, minute, labels, value, count, min, max, last from metric_sample
    union all select ${platformTenant}::bigint, metric, minute, labels, value, count, min, max, last
    from platform_sample)`;
}

function bucketOf({ starts }: Time): Sql {
  return sql`width_bucket(s.minute, ${starts}::bigint[]) - 1`;
}

function within({ from, to }: Time): Sql {
  return sql`s.minute between ${from} and ${to}`;
}

function labelSql(label: string): Sql {
  return label === 'tenant' ? raw('s.tenant_id::text') : sql`s.labels ->> ${label}`;
}
