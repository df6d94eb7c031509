import type { Logger } from 'pino';
import type { AlertHook } from '../alerts/raiseAlerts.ts';
import type { RetractionHook } from '../alerts/retractBlocks.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { MetricRecorder } from '../model/metrics.ts';
import { createSeriesCache, platformTenant } from '../model/metrics.ts';
import { startRateCounter } from '../rates/startRateCounter.ts';
import type { Store } from '../store/db/db.ts';

type Options = {
  store: Store;
  recorder: MetricRecorder;
  alertHooks: readonly AlertHook[];
  retractionHooks: readonly RetractionHook[];
  listen: (onNotify: () => void) => () => Promise<void>;
  now: () => number;
  log: Logger;
};

/** Counts alerts for the detectors that watch their rate. */
export function startRates({ recorder, log, now, ...rest }: Options): Stoppable {
  const seriesOn = new Map<string, ReturnType<typeof createSeriesCache>>();
  return startRateCounter({
    ...rest,
    now,
    onRaised(findings) {
      for (const { tenantId, chainUid, kind } of findings) {
        const chain = String(chainUid);
        const seriesOf = seriesOn.get(chain) ?? createSeriesCache({ chain });
        seriesOn.set(chain, seriesOf);
        recorder.add(seriesOf('alerts', kind), tenantId, 1);
        recorder.add(seriesOf('alerts', kind), platformTenant, 1);
      }
    },
    onFault: throttlePerMinute(now, (fault) => log.warn(fault, 'A detector cannot count alerts')),
    onError: throttlePerMinute(now, (error: unknown) =>
      log.error({ err: error }, 'Counting alerts failed; retrying'),
    ),
  });
}
