import type { Logger } from 'pino';
import { startPlannedChanges } from '../alerts/planned/startPlannedChanges.ts';
import type { AlertHook } from '../alerts/raiseAlerts.ts';
import type { RetractionHook } from '../alerts/retractBlocks.ts';
import { chainUids } from '../chains/chains.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { AlertLinks } from '../model/notification.ts';
import { startEscalating } from '../notify/escalations/startEscalating.ts';
import { createActionLinks } from '../services/alerts/createActionLinks.ts';
import { createAlertLinks } from '../services/alerts/createAlertLinks.ts';
import { listen } from '../store/db/listen.ts';
import { openPresence } from '../store/watch/openPresence.ts';
import { startWatching } from '../watch/startWatching.ts';
import { type Config, confirmationsOf } from './config/loadConfig.ts';
import type { Resources } from './openResources.ts';
import { startActions } from './startActions.ts';
import { startHeartbeat } from './startHeartbeat.ts';
import { startRates } from './startRates.ts';
import { startScoring } from './startScoring.ts';

type Options = {
  config: Config;
  resources: Resources;
  alertHooks: readonly AlertHook[];
  minedHooks: readonly AlertHook[];
  retractionHooks: readonly RetractionHook[];
  alertLinks: AlertLinks;
  /** Beginning of every link. */
  publicUrl: () => string;
  now: () => number;
  log: Logger;
};

/** Starts what the roles of this process ask for. */
export function startLoops(options: Options): Stoppable[] {
  const { config, resources, alertHooks, minedHooks, retractionHooks, alertLinks, publicUrl, now, log } =
    options;
  const { database, keyring, hsm, recorder, sandboxes, chains, fetchers, notifying } = resources;
  const listenOn =
    (channel: Parameters<typeof listen>[1]) => (onNotify: (message: string | undefined) => void) =>
      listen(database.connection, channel, onNotify);
  const confirmations = confirmationsOf(config);
  const loops: Stoppable[] = [];
  const passEveryMs = Math.min(15_000, config.heartbeat.everyMs / 4);
  if (config.roles.includes('watch'))
    loops.push(
      startWatching({
        settings: config.chains,
        confirmations,
        clientOf: chains.client,
        onEndpointChange: chains.onChange,
        store: database.watching,
        fetchFor: fetchers.fetchFor,
        recorder,
        auditKeys: keyring.audit,
        listen: listenOn('vigil_watch'),
        presence: openPresence(database.connection),
        alertHooks,
        minedHooks,
        retractionHooks,
        maxWaitingBytes: config.maxUnwrittenMib * 1024 * 1024,
        now,
        log,
      }),
    );
  if (config.roles.includes('work'))
    loops.push(
      startPlannedChanges({
        store: database.firing,
        alertHooks,
        now,
        onError: throttlePerMinute(now, (error) =>
          log.error({ err: error }, 'Settling planned changes failed; retrying'),
        ),
      }),
      startActions({
        store: database.firing,
        keyring,
        hsm,
        runScripts: sandboxes.actions.run,
        chains,
        confirmations,
        alertHooks,
        listen: listenOn('vigil_action'),
        passEveryMs,
        now,
        log,
      }),
      notifying.start({
        store: database.work,
        keyring,
        recorder,
        listen: listenOn('vigil_work'),
        addLinks: createActionLinks(keyring.audit, publicUrl),
        links: createAlertLinks(publicUrl),
        now,
        log,
      }),
      startEscalating({
        store: database.work,
        links: alertLinks,
        listen: listenOn('vigil_call'),
        now,
        onError: throttlePerMinute(now, (error) =>
          log.error({ err: error }, 'Calling people by escalation chains failed; retrying'),
        ),
      }),
      startScoring({
        store: database.work,
        recorder,
        listen: listenOn('vigil_score'),
        passEveryMs,
        now,
        log,
      }),
      startRates({
        store: database.work,
        recorder,
        alertHooks,
        retractionHooks,
        listen: listenOn('vigil_alert'),
        now,
        log,
      }),
      startHeartbeat({
        store: database.work,
        ...config.heartbeat,
        configuredChains: () => chainUids.filter(chains.isConfigured),
        now,
        log,
      }),
    );
  return loops;
}
