import { sql } from '../../lib/sql.ts';
import type { Sample } from '../../model/metrics.ts';
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
