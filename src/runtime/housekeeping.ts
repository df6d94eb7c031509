import type { Logger } from 'pino';
import type { Services } from '../services/call.ts';
import { destroyOrphanKeys, retireDrainedKeys } from '../services/wallets/purgeWalletKeys.ts';
import { expireApprovals } from '../store/actions/approvals.ts';
import { purgeAlertEvents } from '../store/alerts/alertEvents.ts';
import { purgeAlertRates } from '../store/alerts/alertRate.ts';
import { dropOldPartitions, ensurePartitionsAhead } from '../store/alerts/partitions.ts';
import { tidyDeliveries } from '../store/destinations/tidyDeliveries.ts';
import { forgetOldReplies } from '../store/records/idempotency.ts';
import { tidyScores } from '../store/scores/tidyScores.ts';
import { dropOldSamples } from '../store/telemetry/dropOldSamples.ts';
import { purgeBacktests } from '../store/watch/backtests.ts';
import { purgeDeletedStates } from '../store/watch/states.ts';

type Options = Pick<Services, 'store' | 'chains' | 'hsm' | 'now'> & {
  /** Undefined: everything is kept. */
  retentionDays: number | undefined;
  log: Logger;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstMs = 60_000;

/**
 * What has to be done now and then: partitions made ahead, what is too old dropped, former keys tended. First soon after
 * the start, because a process that is started anew every hour would otherwise never come to it.
 */
export function startHousekeeping(options: Options): () => void {
  const ending = new AbortController();
  const tidy = () => void runHousekeeping(options, ending.signal);
  const first = setTimeout(tidy, firstMs).unref();
  const timer = setInterval(tidy, hourMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
    // What is under way is not waited for: it is done in small steps, and gone on with after the next start.
    ending.abort();
  };
}

/** One thing after the other; what fails is told of and left for the next time, and holds up nothing else. */
export async function runHousekeeping(options: Options, ending: AbortSignal): Promise<void> {
  const { store, chains, hsm, retentionDays, now, log } = options;
  const at = now();
  const kept = retentionDays === undefined ? undefined : at - retentionDays * dayMs;
  const steps: Record<string, () => Promise<unknown>> = {
    'New partitions were not made': () => ensurePartitionsAhead(store, at),
    'Replies to repeated requests were not forgotten': () => forgetOldReplies(store, at),
    'Expired approvals were not marked': () => expireApprovals(store, at),
    'Old deliveries were not removed': () => tidyDeliveries(store, at),
    'Old rates of alerts were not removed': () => purgeAlertRates(store, at - 30 * dayMs),
    'Old events of the live stream were not removed': () => purgeAlertEvents(store, at - 7 * dayMs),
    'Old backtests were not removed': () => purgeBacktests(store, at - 30 * dayMs),
    'What deleted detectors remembered was not removed': () => purgeDeletedStates(store),
    'The queues of deleted license instances were not removed': () => tidyScores(store),
    'Unused wallet keys were not destroyed': () => destroyOrphanKeys({ store, hsm, now }),
    'Former wallet keys were not retired': () => retireDrainedKeys({ store, chains, now }),
    ...(kept === undefined
      ? {}
      : {
          'Old alerts were not removed': () => dropOldPartitions(store, kept),
          'Old samples of metrics were not removed': () => dropOldSamples(store, kept),
        }),
  };
  for (const [fault, step] of Object.entries(steps)) {
    if (ending.aborted) return;
    try {
      await step();
    } catch (error) {
      if (!ending.aborted) log.warn({ err: error }, `${fault}; it is tried again within the hour`);
    }
  }
}
