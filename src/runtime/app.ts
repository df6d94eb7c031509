import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { createCancelOnRetractions, createFireOnAlerts } from '../actions/fireOnAlerts.ts';
import { createEndpoints } from '../api/endpoints/endpoints.ts';
import { createAuthenticate } from '../api/http/authenticate.ts';
import { createMetrics } from '../api/http/metrics.ts';
import { startMetricsServer } from '../api/http/metricsServer.ts';
import { createServer } from '../api/http/server.ts';
import { type ChainUid, chains } from '../chains/chains.ts';
import { createHostQueues } from '../lib/hostQueues.ts';
import { ensureMasterKeyFile, parseMasterKey, readMasterKeyFile } from '../lib/masterKey.ts';
import { createFollowAlerts } from '../notify/followAlerts.ts';
import { createFollowRetractions } from '../notify/followRetractions.ts';
import { createScoreOnAlerts, createUnscoreOnRetractions } from '../scoring/scoreOnAlerts.ts';
import { createSandbox } from '../scripts/sandbox.ts';
import { ensureAdminToken } from '../services/accounts/ensureAdminToken.ts';
import { createFailedLogins, type FailedLogins } from '../services/accounts/failedLogins.ts';
import { inviteUrlsOf } from '../services/accounts/inviteUrls.ts';
import { createAlertFeed } from '../services/alerts/alertFeed.ts';
import { createAlertLinks } from '../services/alerts/alertLinks.ts';
import { openChains } from '../services/contracts/openChains.ts';
import { publishDetectors } from '../services/detectors/publishDetectors.ts';
import { sealStored } from '../services/detectors/sealStored.ts';
import { createMetricRecorder, type MetricRecorder } from '../services/telemetry/metricRecorder.ts';
import { ensurePartitionsAhead } from '../store/alerts/partitions.ts';
import { type MasterKeys, openKeyring } from '../store/keyring.ts';
import { listen as listenTo } from '../store/listen.ts';
import { type Hsm, openHsm } from '../wallets/pkcs11/openHsm.ts';
import { createFetchers } from '../watch/createFetchers.ts';
import { startActions } from './acting.ts';
import { type Config, packageVersion } from './config.ts';
import { openDatabase } from './database.ts';
import { startHousekeeping } from './housekeeping.ts';
import { openNotifying } from './notifying.ts';
import { startScoring } from './scoring.ts';
import { startWatching } from './watching.ts';

export type App = {
  url: string;
  dataDir: string;
  databaseAt: string;
  firstToken: string | undefined;
  /** Resolves when Vigil cannot go on, because the bundled server did not come back. */
  lost: Promise<Error>;
  stop(): Promise<void>;
};

/** No tenant has both workers, so that the next one need not wait for a script that loops. */
const sharedWorkers = { workers: 2, workersPerOwner: 1 };

/** Builds every object once and starts serving. */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const database = await openDatabase(config, log);
  try {
    const { store, work } = database;
    await ensurePartitionsAhead(store, Date.now());
    const now = Date.now;
    const keyring = await openKeyring(database.firing, masterKeys(config), now());
    await sealStored(store, keyring);
    const firstToken = await ensureAdminToken(store, keyring.audit, config, now(), (message) =>
      log.warn(message),
    );
    const authenticate = createAuthenticate(database.logins, now, config.rateLimit);
    const recorder = createMetricRecorder(work, now);
    const failedLogins = createFailedLogins({ store: database.logins, keyring, now });
    await publishDetectors(store, now());
    const chainAccess = openChains(config.chains, recorder, now);
    const hsm = await openModule(config, log);
    const sandbox = createSandbox(sharedWorkers);
    // Of its own, so that no slow detector delays a call that stops an attack.
    const filters = createSandbox(sharedWorkers);
    // Of its own as well: whatever else tenants try, no block waits for it.
    const blockScripts = createSandbox(sharedWorkers);
    const hosts = createHostQueues();
    const asked = createFetchers({
      store: database.watching,
      runScripts: sandbox.run,
      runBlockScripts: blockScripts.runWithin,
      egress: config.egress,
      hosts,
      keyring,
    });
    let url = '';
    const publicUrl = () => config.publicUrl ?? url;
    const alertLinks = createAlertLinks(publicUrl);
    const notifying = openNotifying(config, hosts, now);
    const alertHooks = [
      createFollowAlerts({ links: alertLinks, now }),
      createFireOnAlerts({ now }),
      createScoreOnAlerts({ now }),
    ];
    const metrics = createMetrics(store.stats);
    const server = await createServer({
      services: {
        store,
        logins: database.logins,
        reports: database.reports,
        keyring,
        recorder,
        now,
        forgetTokens: authenticate.forget,
        mail: notifying.hasMail,
        inviteUrls: () => inviteUrlsOf(config, url),
        failedLogins,
        hsm,
        egress: config.egress,
        chains: chainAccess,
        alertFeed: createAlertFeed({
          db: work,
          listen: (heard) => listenTo(database.connection, 'vigil_alert', heard),
          onError: (error) => log.warn({ err: error }, 'Live streams are late: the store was not read'),
        }),
        fetchFor: asked.fetchFor,
        checkScript: sandbox.check,
        runScripts: sandbox.run,
        alertHooks,
        notifier: notifying.notifier,
        publicUrl,
        alertLinks,
      },
      authenticate,
      endpoints: config.roles.includes('api') ? endpointsFor(config) : [],
      metrics,
      metricsAccess: { isElsewhere: config.metrics.port !== undefined, token: config.metrics.token },
      log,
      version: packageVersion(),
      rateLimit: config.rateLimit,
      corsOrigins: config.corsOrigins,
      ...(config.trustedProxies ? { trustedProxies: config.trustedProxies } : {}),
    });
    const { port: metricsPort } = config.metrics;
    const metricsServer =
      metricsPort === undefined
        ? undefined
        : await startMetricsServer({ ...config.metrics, port: metricsPort, metrics });
    url = await listen(server, config);
    const stopKeepingHouse = startHousekeeping({
      store: work,
      chains: chainAccess,
      hsm,
      retentionDays: config.retentionDays,
      now,
      log,
    });
    const stopRecording = flushEverySecond(recorder, log);
    const stopCountingLogins = flushFailedLogins(failedLogins, log);
    const watching = config.roles.includes('watch')
      ? startWatching({
          settings: config.chains,
          client: chainAccess.client,
          store: database.watching,
          fetchFor: asked.fetchFor,
          recorder,
          auditKeys: keyring.audit,
          listen: (heard) => listenTo(database.connection, 'vigil_watch', heard),
          alertHooks,
          retractionHooks: [
            createFollowRetractions({ now }),
            createCancelOnRetractions({ now }),
            createUnscoreOnRetractions({ now }),
          ],
          now,
          log,
        })
      : undefined;
    const acting = config.roles.includes('work')
      ? startActions({
          store: database.firing,
          keyring,
          hsm,
          runScripts: filters.run,
          chains: chainAccess,
          confirmations: confirmationsOf(config),
          alertHooks,
          listen: (heard) => listenTo(database.connection, 'vigil_action', heard),
          now,
          log,
        })
      : undefined;
    const working = config.roles.includes('work')
      ? notifying.work({
          store: work,
          keyring,
          recorder,
          listen: (heard) => listenTo(database.connection, 'vigil_work', heard),
          now,
          log,
        })
      : undefined;
    const scoring = config.roles.includes('work')
      ? startScoring({
          store: work,
          recorder,
          listen: (heard) => listenTo(database.connection, 'vigil_score', heard),
          now,
          log,
        })
      : undefined;
    return {
      url,
      dataDir: config.dataDir,
      databaseAt: database.at,
      firstToken,
      lost: database.lost,
      stop: async () => {
        stopKeepingHouse();
        await Promise.all([server.close(), metricsServer?.close()]);
        await Promise.all([watching?.stop(), working?.stop(), acting?.stop(), scoring?.stop()]);
        await Promise.all([
          notifying.close(),
          sandbox.close(),
          filters.close(),
          blockScripts.close(),
          chainAccess.close(),
          asked.close(),
        ]);
        await stopRecording();
        await stopCountingLogins();
        await database.close();
        const module = await hsm?.close();
        // If nothing but the stuck call is left, no other signal can end the process.
        if (module?.isStuck) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000).unref();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    throw new Error(
      `Vigil cannot listen on ${host}:${port}; set VIGIL_HOST and VIGIL_PORT to an address of this machine that no other program uses.`,
      { cause },
    );
  }
}

/** A module that cannot be loaded is a fault of the settings; a token that is away may come back. */
async function openModule({ pkcs11 }: Config, log: Logger): Promise<Hsm | undefined> {
  const { module, slot, pinFile } = pkcs11;
  if (module === undefined) return undefined;
  const hsm = await openHsm({ module, slot, pinFile });
  hsm.check().catch((error: unknown) => log.warn({ err: error }, 'HSM wallets cannot be used yet'));
  return hsm;
}

/** Writes the metrics every second; a store that is away is told of once. */
function flushEverySecond(recorder: MetricRecorder, log: Logger): () => Promise<void> {
  let isBehind = false;
  const flush = async () => {
    try {
      await recorder.flush();
      isBehind = false;
    } catch (error) {
      if (!isBehind) log.warn({ err: error }, 'Metrics were not written; they are kept for the next time');
      isBehind = true;
    }
  };
  const timer = setInterval(() => void flush(), 1000).unref();
  return async () => {
    clearInterval(timer);
    await flush();
  };
}

/** Every five seconds, so that one account has at most twelve entries a minute. */
function flushFailedLogins(failedLogins: FailedLogins, log: Logger): () => Promise<void> {
  const flush = () =>
    failedLogins.flush().catch((error: unknown) => {
      log.warn({ err: error }, 'Failed logins were not written to the audit log');
    });
  const timer = setInterval(() => void flush(), 5000).unref();
  return async () => {
    clearInterval(timer);
    await flush();
  };
}

export function endpointsFor(config: Config) {
  return createEndpoints(confirmationsOf(config));
}

function confirmationsOf(config: Config) {
  return (uid: ChainUid) => config.chains[uid]?.confirmations ?? chains[uid].confirmations;
}

/** The master key of the environment, or that of the key file, which is made on first start. */
export function masterKeys(config: Config): MasterKeys {
  const { masterKey, masterKeyFile } = config;
  if (masterKey) return () => [parseMasterKey(masterKey.reveal())];
  ensureMasterKeyFile(masterKeyFile);
  return () => readMasterKeyFile(masterKeyFile);
}

/** Structured lines on standard error; standard output is for people. Under load many lines go out in one write. */
export function createLog(config: Pick<Config, 'logLevel'>, fd = 2): Logger {
  return pino(
    { level: config.logLevel, base: null, timestamp: createTimestamp() },
    pino.destination({ fd, sync: false, minLength: 8192, periodicFlush: 200 }),
  );
}

/** Under load many lines fall into one millisecond, whose text is made once. */
function createTimestamp(): () => string {
  let madeAt = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== madeAt) text = `,"time":"${new Date(now).toISOString()}"`;
    madeAt = now;
    return text;
  };
}
