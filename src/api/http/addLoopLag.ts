import { createHistogram, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers';
import { Gauge, type Registry } from 'prom-client';

/** Between two samples while the process is busy, and while it is idle, when each one would wake it up. */
const busyMs = 50;
const idleMs = 500;
/** Share of the time since the last sample in which a process that counts as idle may have worked. */
const idleShare = 0.1;

/** Passed to the usual metrics, whose own monitor would otherwise wake the process up a hundred times a second. */
export const neverMs = 2 ** 31 - 1;

const delays = createHistogram();
let newest = 0;
let isSampling = false;

/** Once for the process, whose event loop it is. */
function startSampling(): void {
  if (isSampling) return;
  isSampling = true;
  let used = performance.eventLoopUtilization();
  const sampleAfter = (ms: number): void => {
    const dueAt = performance.now() + ms;
    const sample = () => {
      newest = Math.max(0, performance.now() - dueAt);
      delays.record(Math.max(1, Math.round(newest * 1e6)));
      const before = used;
      used = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(used, before);
      sampleAfter(utilization > idleShare ? busyMs : idleMs);
    };
    setTimeout(sample, ms).unref();
  };
  sampleAfter(busyMs);
}

/** Measures how much later than due the event loop runs a timer, under the names of Prometheus' usual metrics for Node. */
export function addLoopLag(registry: Registry): void {
  function add(suffix: string, help: string, collect?: () => void): Gauge {
    const name = `nodejs_eventloop_lag${suffix}_seconds`;
    registry.removeSingleMetric(name);
    return new Gauge({ name, help, registers: [registry], ...(collect && { collect }) });
  }

  startSampling();
  // The registry collects in this order, so that the first one sets all.
  const latest = add('', 'Newest delay of the event loop in seconds.', () => {
    latest.set(newest / 1000);
    const figures = [
      [min, delays.min],
      [max, delays.max],
      [mean, delays.mean],
      [deviation, delays.stddev],
      [p50, delays.percentile(50)],
      [p90, delays.percentile(90)],
      [p99, delays.percentile(99)],
    ] as const;
    for (const [gauge, nanoseconds] of figures) gauge.set(delays.count > 0 ? nanoseconds / 1e9 : 0);
    delays.reset();
  });
  const min = add('_min', 'Shortest delay since the last reading.');
  const max = add('_max', 'Longest delay since the last reading.');
  const mean = add('_mean', 'Mean delay since the last reading.');
  const deviation = add('_stddev', 'Standard deviation of the delays since the last reading.');
  const p50 = add('_p50', 'Median of the delays since the last reading.');
  const p90 = add('_p90', '90th percentile of the delays since the last reading.');
  const p99 = add('_p99', '99th percentile of the delays since the last reading.');
}
