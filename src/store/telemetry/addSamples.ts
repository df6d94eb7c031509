import { sql } from '../../lib/sql.ts';
import { platformTenant, type Sample } from '../../model/metrics.ts';
import type { Db } from '../db/db.ts';
import { sendLater } from '../db/sendLater.ts';

/** Adds atomically to the samples of a minute: nothing is counted twice or lost. */
export async function addSamples(db: Db, samples: readonly Sample[]): Promise<void> {
  // In one order always, so that two processes cannot wait for each other.
  const rows = [...mergeByKey(samples)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sample]) => sample);
  if (rows.length === 0) return;
  const column = <Name extends keyof Sample>(name: Name) => rows.map((row) => row[name]);
  await sendLater(
    db,
    sql`insert into metric_sample as s (tenant_id, metric, minute, labels, value, count, min, max, last)
      select * from unnest(${column('tenantId')}::bigint[], ${column('metric')}::text[], ${column('minute')}::bigint[],
        ${rows.map(({ labels }) => JSON.stringify(labels))}::jsonb[], ${column('value')}::float8[],
        ${column('count')}::bigint[], ${column('min')}::float8[], ${column('max')}::float8[],
          ${column('last')}::float8[])
      on conflict (tenant_id, metric, minute, labels) do update set value = s.value + excluded.value,
        count = s.count + excluded.count, min = least(s.min, excluded.min), max = greatest(s.max, excluded.max),
        last = excluded.last`,
  );
}

/**
 * The same for a tenant and the platform, in a transaction of the tenant's alerts. Its share of the platform's samples is a row
 * of its own until `foldSamples`, so that no other tenant waits for it.
 */
export async function addOwnSamples(tx: Db, samples: readonly Omit<Sample, 'tenantId'>[], tenantId: number) {
  const own = mergeSamples(samples.map((sample) => ({ ...sample, tenantId })));
  const column = <Name extends keyof Sample>(name: Name) => own.map((row) => row[name]);
  await sendLater(
    tx,
    sql`insert into platform_sample (metric, minute, labels, value, count, min, max, last)
      select * from unnest(${column('metric')}::text[], ${column('minute')}::bigint[],
        ${own.map(({ labels }) => JSON.stringify(labels))}::jsonb[], ${column('value')}::float8[],
        ${column('count')}::bigint[], ${column('min')}::float8[], ${column('max')}::float8[],
        ${column('last')}::float8[])`,
  );
  await addSamples(tx, own);
}

const maxFolded = 10_000;

/** Adds up what transactions of tenants have left for the platform. Several processes take different rows. */
export async function foldSamples(db: Db): Promise<void> {
  for (let folded = maxFolded; folded === maxFolded; ) {
    const [row] = await db.prepared<{ count: number }>(
      sql`with few as materialized (
          select ctid as at from platform_sample limit ${maxFolded} for update skip locked),
        gone as (delete from platform_sample where ctid = any(array(select at from few)) returning *),
        added as (
          insert into metric_sample as s (tenant_id, metric, minute, labels, value, count, min, max, last)
          select ${platformTenant}, metric, minute, labels, sum(value), sum(count), min(min), max(max), max(last)
          from gone group by metric, minute, labels order by metric, minute, labels
          on conflict (tenant_id, metric, minute, labels) do update set value = s.value + excluded.value,
            count = s.count + excluded.count, min = least(s.min, excluded.min), max = greatest(s.max, excluded.max),
            last = excluded.last)
        select count(*) as count from gone`,
    );
    folded = row?.count ?? 0;
  }
}

/** One sample per series, tenant and minute; later ones come last. */
export function mergeSamples(samples: readonly Sample[]): Sample[] {
  return [...mergeByKey(samples).values()];
}

function mergeByKey(samples: readonly Sample[]): Map<string, Sample> {
  const merged = new Map<string, Sample>();
  for (const sample of samples) {
    const labels = Object.entries(sample.labels).sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([sample.tenantId, sample.metric, sample.minute, labels]);
    const former = merged.get(key);
    merged.set(key, former ? add(former, sample) : sample);
  }
  return merged;
}

function add(former: Sample, later: Sample): Sample {
  return {
    ...later,
    value: former.value + later.value,
    count: former.count + later.count,
    min: Math.min(former.min, later.min),
    max: Math.max(former.max, later.max),
  };
}
