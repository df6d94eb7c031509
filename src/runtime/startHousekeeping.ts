import type { Logger } from 'pino';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { alertRateKind } from '../model/alert.ts';
import { deviceMs } from '../services/actions/checkApprover.ts';
import type { Services } from '../services/call.ts';
import { destroyOrphanKeys, retireDrainedKeys } from '../services/wallets/purgeWalletKeys.ts';
import { purgeDevices } from '../store/accounts/sponsors.ts';
import { expireApprovals } from '../store/actions/approvals.ts';
import { purgeAlertEvents } from '../store/alerts/alertEvents.ts';
import { purgeAlertRates } from '../store/alerts/alertRate.ts';
import { purgeJudgements } from '../store/alerts/judgements.ts';
import { purgeLinkUses } from '../store/alerts/linkUses.ts';
import { purgeBesideAlerts, purgeIncidentKeys } from '../store/alerts/purgeBesideAlerts.ts';
import { purgeAlertRateCounts } from '../store/alerts/rateHits.ts';
import { summarizeBlocks } from '../store/alerts/summarizeBlocks.ts';
import { purgeHoldings } from '../store/contracts/holdingSamples.ts';
import { archiveMessages } from '../store/destinations/archivedMessages.ts';
import { purgePagerEvents } from '../store/destinations/pagerEvents.ts';
import { purgeDeliveries } from '../store/destinations/purgeDeliveries.ts';
import { purgeReplies } from '../store/records/idempotency.ts';
import { purgeScoreQueues } from '../store/scores/queueScores.ts';
import { packRollups } from '../store/search/months/packRollups.ts';
import {
  divideMonthsAhead,
  dropOldPartitions,
  ensurePartitionsAhead,
  maxDividedDays,
} from '../store/search/months/partitions.ts';
import { rebuildIndexes } from '../store/search/months/rebuildIndexes.ts';
import { dropOldSamples } from '../store/telemetry/dropOldSamples.ts';
import { purgeBacktests } from '../store/watch/backtests.ts';
import { purgeDeletedStates } from '../store/watch/states.ts';

type Options = Pick<Services, 'store' | 'chains' | 'hsm' | 'now'> & {
  /** Undefined: everything is kept. */
  retentionDays: number | undefined;
  deliveryDays?: number | undefined;
  log: Logger;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstRunMs = 60_000;
/** Retention of data that no setting limits. */
const keepRatesDays = 30;
/** An alert of a transaction that is raised still later begins an incident of its own. */
const keepIncidentKeysDays = 7;
const keepAlertEventsDays = 7;
const keepBacktestsDays = 30;
const keepHoldingsDays = 31;
/** A little longer than their figures look back. */
const keepJudgementsDays = 100;

/**
 * Creates partitions ahead, purges what is too old and retires former keys, every hour. The first run comes soon after the
 * start, because a process that restarts every hour would otherwise never run it.
 */
export function startHousekeeping(options: Options): Stoppable {
  const stopping = new AbortController();
  const run = () => void runHousekeeping(options, stopping.signal);
  const first = setTimeout(run, firstRunMs).unref();
  const timer = setInterval(run, hourMs).unref();
  return {
    /** Does not wait for the current run: it works in small steps, and the next start continues. */
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      stopping.abort();
    },
  };
}

/** Runs one step after the other; a step that fails is logged and left to the next run. */
export async function runHousekeeping(options: Options, signal: AbortSignal): Promise<void> {
  const { store, chains, hsm, retentionDays, deliveryDays, now, log } = options;
  const time = now();
  const retainedFrom = retentionDays === undefined ? undefined : time - retentionDays * dayMs;
  const steps: Record<string, () => Promise<unknown>> = {
    'Creating partitions': () => ensurePartitionsAhead(store, time),
    ...(retentionDays !== undefined && retentionDays <= maxDividedDays
      ? { 'Dividing months into days': () => divideMonthsAhead(store, time) }
      : {}),
    'Purging idempotent replies': () => purgeReplies(store, time),
    'Expiring approvals': () => expireApprovals(store, time),
    'Purging browsers that were not used': () => purgeDevices(store, time - deviceMs),
    'Purging old deliveries': () => purgeDeliveries(store, time, deliveryDays),
    'Moving old messages to the workers': () => archiveMessages(store, time),
    'Purging old alert rates': () => purgeAlertRates(store, time - keepRatesDays * dayMs),
    'Purging old counts of alerts': () => purgeAlertRateCounts(store, time, alertRateKind),
    'Purging old alert events': () => purgeAlertEvents(store, time - keepAlertEventsDays * dayMs),
    'Purging old incident keys': () => purgeIncidentKeys(store, time - keepIncidentKeysDays * dayMs),
    'Purging old events of pagers': () =>
      purgePagerEvents(store, time - 3 * dayMs, time - keepJudgementsDays * dayMs),
    'Purging used links': () => purgeLinkUses(store, time),
    'Purging old judgements of detectors': () => purgeJudgements(store, time - keepJudgementsDays * dayMs),
    'Purging old backtests': () => purgeBacktests(store, time - keepBacktestsDays * dayMs),
    'Purging old samples of holdings': () => purgeHoldings(store, time - keepHoldingsDays * dayMs),
    'Purging states of deleted detectors': () => purgeDeletedStates(store),
    'Purging queues of deleted license instances': () => purgeScoreQueues(store),
    'Destroying unused wallet keys': () => destroyOrphanKeys({ store, hsm, now }),
    'Retiring former wallet keys': () => retireDrainedKeys({ store, chains, now }),
    ...(retainedFrom === undefined
      ? {}
      : {
          'Dropping old alerts': () => dropOldPartitions(store, retainedFrom),
          'Purging old incidents and comments': () => purgeBesideAlerts(store, retainedFrom),
          'Purging old metric samples': () => dropOldSamples(store, retainedFrom),
        }),
    'Summarizing blocks of alerts': () => summarizeBlocks(store),
    'Packing roll-ups of past months': () => packRollups(store, time, signal),
    // Last, because it may take long.
    'Rebuilding indexes of past months': () => rebuildIndexes(store, { retainedFrom, now: time }, signal),
  };
  for (const [name, step] of Object.entries(steps)) {
    if (signal.aborted) return;
    try {
      await step();
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, `${name} failed; retrying within the hour`);
    }
  }
}
