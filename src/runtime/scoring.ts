import type { Logger } from 'pino';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import { platformTenant } from '../model/metrics.ts';
import { startScorer } from '../scoring/worker.ts';
import { createSandbox } from '../scripts/sandbox.ts';
import type { MetricRecorder, Series } from '../services/telemetry/metricRecorder.ts';
import type { Store } from '../store/db.ts';

type Options = {
  store: Store;
  recorder: MetricRecorder;
  /** Hears that there may be something to score. */
  listen: (heard: () => void) => () => Promise<void>;
  now: () => number;
  log: Logger;
};

/** Two threads, so that one slow license does not hold up all others. */
const workers = 2;

/** Keeps the scores of licensed projects, with a sandbox of their own: a slow script delays no detector. */
export function startScoring({ store, recorder, listen, now, log }: Options): { stop(): Promise<void> } {
  const sandbox = createSandbox({ workers });
  const count = countChanges(recorder);
  const scorer = startScorer({
    store,
    run: sandbox.run,
    listen,
    scored: ({ tenantId, instanceId }, { changes, fault }) => {
      for (const change of changes) count(change.type, tenantId, change.count);
      if (fault)
        log.warn({ tenantId, instanceId, fault }, 'A license script failed; its instance stands still');
    },
    now,
    onError: throttlePerMinute(now, (error) =>
      log.error({ err: error }, 'Scores could not be kept; trying on'),
    ),
  });
  return {
    stop: async () => {
      await scorer.stop();
      await sandbox.close();
    },
  };
}

/** Counts score changes for the tenant and for the platform. */
function countChanges(recorder: MetricRecorder): (type: string, tenantId: number, count: number) => void {
  const series = new Map<string, Series>();
  return (type, tenantId, count) => {
    const known = series.get(type) ?? { metric: 'score_changes', labels: { type } };
    series.set(type, known);
    recorder.add(known, tenantId, count);
    recorder.add(known, platformTenant, count);
  };
}
