import type { MetricRecorder, Sample, Series } from '../../model/metrics.ts';
import type { Db } from '../../store/db/db.ts';
import { addSamples, foldSamples, mergeSamples } from '../../store/telemetry/addSamples.ts';

const minuteMs = 60_000;

export function createMetricRecorder(db: Db, now: () => number): MetricRecorder {
  let minute = 0;
  let open = new Map<Series, Map<number, Sample>>();
  let closed: Sample[] = [];
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  function add(series: Series, tenantId: number, value: number): void {
    const time = now();
    if (time < minute || time >= minute + minuteMs) {
      close();
      minute = time - (time % minuteMs);
    }
    let tenants = open.get(series);
    if (!tenants) {
      tenants = new Map();
      open.set(series, tenants);
    }
    const sample = tenants.get(tenantId);
    if (sample) {
      sample.value += value;
      sample.count++;
      sample.min = Math.min(sample.min, value);
      sample.max = Math.max(sample.max, value);
      sample.last = value;
    } else {
      tenants.set(tenantId, {
        ...series,
        tenantId,
        minute,
        value,
        count: 1,
        min: value,
        max: value,
        last: value,
      });
    }
  }

  function close(): void {
    if (open.size === 0) return;
    closed = closed.concat(...Array.from(open.values(), (tenants) => [...tenants.values()]));
    open = new Map();
  }

  async function write(): Promise<void> {
    close();
    const batch = mergeSamples(closed);
    closed = [];
    try {
      await addSamples(db, batch);
    } catch (error) {
      closed = [...batch, ...closed];
      throw error;
    }
    await foldSamples(db);
  }

  /** One after the other, because a batch that fails goes back before the next is taken; one waiting is enough. */
  function flush(): Promise<void> {
    const start = () => {
      waiting = undefined;
      running = write();
      return running;
    };
    waiting ??= running.then(start, start);
    return waiting;
  }

  return { add, flush };
}
