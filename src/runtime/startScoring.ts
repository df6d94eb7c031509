import type { Logger } from 'pino';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { MetricRecorder } from '../model/metrics.ts';
import { createSeriesCache, platformTenant } from '../model/metrics.ts';
import { startScorer } from '../scoring/startScorer.ts';
import { createSandbox } from '../scripts/sandbox.ts';
import type { Store } from '../store/db/db.ts';

type Options = {
  store: Store;
  recorder: MetricRecorder;
  /** Calls back when there may be something to score. */
  listen: (onNotify: () => void) => () => Promise<void>;
  /** Interval at which it reports that it goes through its queue. */
  passEveryMs: number;
  now: () => number;
  log: Logger;
};

/** Two, so that one slow license does not delay all others. */
const workers = 2;

/** Scores licensed projects in a sandbox of its own, so that a slow license script delays no detector. */
export function startScoring({ store, recorder, listen, passEveryMs, now, log }: Options): Stoppable {
  const sandbox = createSandbox({ workers });
  const count = countChanges(recorder);
  const scorer = startScorer({
    store,
    run: sandbox.run,
    listen,
    passEveryMs,
    onScored: ({ tenantId, instanceId }, { changes, fault }) => {
      for (const change of changes) count(change.type, tenantId, change.count);
      if (fault)
        log.warn(
          { tenantId, instanceId, fault },
          'License script failed; its instance is stopped until the script is changed',
        );
    },
    now,
    onError: throttlePerMinute(now, (error) => log.error({ err: error }, 'Scoring failed; retrying')),
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
  const seriesOf = createSeriesCache();
  return (type, tenantId, count) => {
    const series = seriesOf('score_changes', type);
    recorder.add(series, tenantId, count);
    recorder.add(series, platformTenant, count);
  };
}
