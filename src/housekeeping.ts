import type { Logger } from 'pino';
import type { Services } from './services/call.ts';
import { destroyOrphanKeys, retireDrainedKeys } from './services/tendWalletKeys.ts';
import { failUnsent } from './store/actions/cancelIntents.ts';
import { forgetOldAlertEvents } from './store/alerts/alertEvents.ts';
import { forgetOldRates } from './store/alerts/alertRate.ts';
import { dropOldPartitions, ensurePartitionsAhead } from './store/alerts/partitions.ts';
import type { Store } from './store/db.ts';
import { tidyDeliveries } from './store/deliveries/tidyDeliveries.ts';
import { forgetOldReplies } from './store/idempotency.ts';
import { dropOldSamples } from './store/metrics/dropOldSamples.ts';
import { tidyScores } from './store/scores/tidyScores.ts';
import { forgetOldBacktests } from './store/watch/backtests.ts';
import { forgetDeleted } from './store/watch/states.ts';

type Options = Pick<Services, 'store' | 'chains' | 'hsm' | 'now'> & {
  /** Undefined: everything is kept. */
  retentionDays: number | undefined;
  log: Logger;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What has to be done now and then: partitions made ahead, what is too old dropped, former keys tended. */
export function keepHouse({ store, chains, hsm, retentionDays, now, log }: Options): () => void {
  const timer = setInterval(() => {
    tidy(store, retentionDays, now()).catch((error: unknown) =>
      log.warn({ err: error }, 'Old rows were not removed, or new partitions not made'),
    );
    Promise.all([destroyOrphanKeys({ store, hsm, now }), retireDrainedKeys({ store, chains, now })]).catch(
      (error: unknown) => log.warn({ err: error }, 'Former or unused wallet keys were not tended'),
    );
  }, hourMs).unref();
  return () => clearInterval(timer);
}

async function tidy(store: Store, retentionDays: number | undefined, now: number): Promise<void> {
  await forgetOldReplies(store, now);
  await tidyDeliveries(store, now);
  await ensurePartitionsAhead(store, now);
  await forgetOldRates(store, now - 30 * dayMs);
  await forgetOldAlertEvents(store, now - 7 * dayMs);
  await forgetOldBacktests(store, now - 30 * dayMs);
  await forgetDeleted(store);
  await failUnsent(store, now - dayMs, now);
  await tidyScores(store);
  if (retentionDays === undefined) return;
  await dropOldPartitions(store, now - retentionDays * dayMs);
  await dropOldSamples(store, now - retentionDays * dayMs);
}
