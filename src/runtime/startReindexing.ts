import type { Logger } from 'pino';
import type { Stoppable } from '../lib/createLifecycle.ts';
import type { Store } from '../store/db/db.ts';
import { reindexAlerts } from '../store/search/terms/reindexAlerts.ts';

type Options = { store: Store; log: Logger };

const retryMs = 60_000;
/** Of one connection's time: alerts that are raised meanwhile hardly notice. */
const share = 0.25;

/** After an upgrade, gives stored alerts the search terms that the new version needs; does nothing once all have them. */
export function startReindexing({ store, log }: Options): Stoppable {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  async function run(): Promise<void> {
    try {
      const isDone = await reindexAlerts(store, {
        share,
        signal: stopping.signal,
        onProgress: (progress) => log.info(progress, 'Alerts of a month have new search terms'),
      });
      if (isDone) return;
    } catch (error) {
      if (!stopping.signal.aborted)
        log.warn({ err: error }, 'Giving alerts new search terms failed; retrying in a minute');
    }
    if (!stopping.signal.aborted) timer = setTimeout(() => void run(), retryMs).unref();
  }
  const first = run();
  return {
    /** Waits for the alerts at hand; the next start goes on behind them. */
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await first;
    },
  };
}
