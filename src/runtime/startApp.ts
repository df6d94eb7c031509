import type { Logger } from 'pino';
import { createCancelOnRetractions, createFireOnAlerts } from '../actions/fireOnAlerts.ts';
import { createAuthenticator } from '../api/http/createAuthenticator.ts';
import { createLifecycle, type Stoppable } from '../lib/createLifecycle.ts';
import { settleWithin } from '../lib/withTimeLimit.ts';
import {
  createHoldOnMined,
  createNotifyOnAlerts,
  createNotifyOnRetractions,
} from '../notify/notifyOnAlerts.ts';
import { ruleBudgetMs } from '../notify/rules/createRuleBudget.ts';
import { createScoreOnAlerts, createScoreOnRetractions } from '../scoring/scoreOnAlerts.ts';
import { ensureAdminToken } from '../services/accounts/ensureAdminToken.ts';
import { createAlertFeed } from '../services/alerts/createAlertFeed.ts';
import { createAlertLinks } from '../services/alerts/createAlertLinks.ts';
import type { Services } from '../services/call.ts';
import { createAbiSources } from '../services/contracts/createAbiSources.ts';
import { publishDetectors } from '../services/detectors/publishDetectors.ts';
import { publishTriggers } from '../services/detectors/publishTriggers.ts';
import { sealStored } from '../services/detectors/sealStored.ts';
import { publishBaseLabels } from '../services/labels/publishBaseLabels.ts';
import { listen } from '../store/db/listen.ts';
import { findPanic } from '../store/embedded/findPanic.ts';
import type { Config } from './config/loadConfig.ts';
import { describeChains } from './describeChains.ts';
import { openResources } from './openResources.ts';
import { publishRun } from './runFile.ts';
import { startHousekeeping } from './startHousekeeping.ts';
import { startLoops } from './startLoops.ts';
import { startReindexing } from './startReindexing.ts';
import { startServer } from './startServer.ts';

export type App = {
  url: string;
  dataDir: string;
  databaseAt: string;
  /** The followed chains, as their nodes answer now; undefined if this process follows none by its role. */
  describeChains: (() => Promise<string[]>) | undefined;
  /** Of the first start only. */
  firstAccess: { token: string; setupUrl: string } | undefined;
  /** Resolves when Vigil cannot continue, because the bundled server did not come back. */
  lost: Promise<Error>;
  stop(): Promise<void>;
};

const stopWithinMs = 20_000;

/** Builds every object once and starts serving. What fails to start, or is aborted, stops what has started. */
export async function startApp(config: Config, log: Logger, signal?: AbortSignal): Promise<App> {
  const lifecycle = createLifecycle();
  const startedAt = Date.now();
  try {
    const app = await start(config, log, lifecycle, signal);
    signal?.throwIfAborted();
    return app;
  } catch (cause) {
    const stopping = lifecycle.stop();
    await settleWithin(stopWithinMs, stopping, () =>
      log.warn('Stopping after a failed start takes too long'),
    ).catch((err: unknown) => log.warn({ err }, 'Stopping after a failed start failed'));
    const panic = config.databaseUrl ? undefined : await findPanic(config.dataDir, startedAt);
    throw panic === undefined
      ? cause
      : new Error(`PostgreSQL failed while Vigil started: ${panic}`, { cause });
  }
}

async function start(
  config: Config,
  log: Logger,
  lifecycle: ReturnType<typeof createLifecycle>,
  signal: AbortSignal | undefined,
): Promise<App> {
  const now = Date.now;
  const resources = await openResources(config, log, now, lifecycle);
  const { database, keyring, hsm, recorder, failedLogins, sandboxes, chains, fetchers, notifying } =
    resources;
  signal?.throwIfAborted();
  await sealStored(database.store, keyring);
  const firstAccess = await ensureAdminToken(database.store, keyring.audit, config, now(), (message) =>
    log.warn(message),
  );
  await publishDetectors(database.store, now());
  await publishTriggers(database.store, now());
  await publishBaseLabels(database.store, config.baseLabels, now());

  // Requests end before the loops do, although the loops start when the server's address is known.
  const loops: Stoppable[] = [];
  lifecycle.onStop(() => Promise.all(loops.map((loop) => loop.stop())));
  let url = '';
  const publicUrl = () => config.publicUrl ?? url;
  const alertLinks = createAlertLinks(publicUrl);
  const followUps = [createFireOnAlerts({ now }), createScoreOnAlerts({ now })];
  const minedHooks = [createHoldOnMined(), ...followUps];
  const alertHooks = [createNotifyOnAlerts({ links: alertLinks, now, budgetMs: ruleBudgetMs }), ...followUps];
  const retractionHooks = [
    createNotifyOnRetractions({ now }),
    createCancelOnRetractions({ now }),
    createScoreOnRetractions({ now }),
  ];
  const abiSources = createAbiSources({
    db: database.work,
    sources: config.abiSources,
    egress: config.egress,
    now,
    log: (fields, message) => log.warn(fields, message),
  });
  lifecycle.onStop(abiSources.close);
  const authenticate = createAuthenticator(database.logins, now, config.rateLimit);
  const services: Services = {
    store: database.store,
    logins: database.logins,
    reports: database.reports,
    replicas: database.replicas,
    keyring,
    recorder,
    now,
    invalidateTokens: authenticate.clearCache,
    mail: notifying.hasMail,
    messengerNames: config.messengerNames,
    inviteOrigins: config.inviteOrigins,
    failedLogins,
    sessionMaxMs: config.sessionMaxDays * 86_400_000,
    deliveryMs: config.deliveryDays * 86_400_000,
    hsm,
    egress: config.egress,
    chains,
    fixedEndpoints: (uid) => config.chains[uid]?.endpoints ?? [],
    fixedChains: new Set(config.ownChains.map(({ chain }) => chain.uid)),
    reloadChains: resources.reloadChains,
    abiSources,
    alertFeed: createAlertFeed({
      db: database.work,
      listen: (onNotify) => listen(database.connection, 'vigil_alert', onNotify),
      onError: (error) => log.warn({ err: error }, 'Reading alert events failed; live streams are late'),
    }),
    fetchFor: fetchers.fetchFor,
    checkScript: sandboxes.detectors.check,
    runScripts: sandboxes.detectors.run,
    alertHooks,
    notifier: notifying.notifier,
    publicUrl,
    alertLinks,
  };
  url = await startServer({ config, database, services, authenticate, lifecycle, log });
  loops.push(
    ...startLoops({
      config,
      resources,
      alertHooks,
      minedHooks,
      retractionHooks,
      alertLinks,
      publicUrl,
      now,
      log,
    }),
  );
  const housekeeping = startHousekeeping({
    store: database.work,
    chains,
    hsm,
    retentionDays: config.retentionDays,
    deliveryDays: config.deliveryDays,
    now,
    log,
  });
  lifecycle.onStop(housekeeping.stop);
  lifecycle.onStop(startReindexing({ store: database.work, log }).stop);
  lifecycle.onStop((await publishRun(config, log)).stop);
  return {
    url,
    dataDir: config.dataDir,
    databaseAt: database.at,
    describeChains: config.roles.includes('watch') ? () => describeChains(chains) : undefined,
    firstAccess: firstAccess && { ...firstAccess, setupUrl: `${publicUrl()}/setup#${firstAccess.setupCode}` },
    lost: database.lost,
    stop: lifecycle.stop,
  };
}
