import type { Logger } from 'pino';
import { createHostQueues } from '../lib/createHostQueues.ts';
import type { createLifecycle } from '../lib/createLifecycle.ts';
import { createSandbox } from '../scripts/sandbox.ts';
import { createFailedLogins } from '../services/accounts/createFailedLogins.ts';
import { openChains } from '../services/contracts/openChains.ts';
import { publishOwnChains } from '../services/contracts/publishOwnChains.ts';
import { createMetricRecorder } from '../services/telemetry/createMetricRecorder.ts';
import { listen } from '../store/db/listen.ts';
import { openKeyring } from '../store/records/keyring.ts';
import { ensurePartitionsAhead } from '../store/search/months/partitions.ts';
import { openFetchers } from '../watch/reads/openFetchers.ts';
import type { Config } from './config/loadConfig.ts';
import { openDatabase } from './database.ts';
import { masterKeys } from './masterKeys.ts';
import { closeHsm, openConfiguredHsm } from './openConfiguredHsm.ts';
import { openNotifying } from './openNotifying.ts';
import { startChainSync } from './startChainSync.ts';
import { startFlushing } from './startFlushing.ts';

const metricsFlushMs = 1000;
/** Limits one account to twelve audit entries a minute. */
const failedLoginsFlushMs = 5000;
/** No tenant gets both workers, so that a script that loops delays no other tenant. */
const sharedWorkers = { workers: 2, workersPerOwner: 1 };

export type Resources = Awaited<ReturnType<typeof openResources>>;

/** Opens what the server and the loops share; each is closed after everything that uses it. */
export async function openResources(
  config: Config,
  log: Logger,
  now: () => number,
  lifecycle: Pick<ReturnType<typeof createLifecycle>, 'onStop'>,
) {
  const hsm = await openConfiguredHsm(config, log);
  lifecycle.onStop(() => closeHsm(hsm));
  const database = await openDatabase(config, log);
  lifecycle.onStop(() => database.close());
  const keyring = await openKeyring(database.firing, await masterKeys(config, database.firing), now());
  await ensurePartitionsAhead(database.store, now());

  const failedLogins = createFailedLogins({ store: database.logins, keyring, now });
  const flushingLogins = startFlushing({
    flush: failedLogins.flush,
    intervalMs: failedLoginsFlushMs,
    onError: (error) => log.warn({ err: error }, 'Failed logins were not written to the audit log; retrying'),
  });
  lifecycle.onStop(flushingLogins.stop);
  const recorder = createMetricRecorder(database.work, now);
  const flushingMetrics = startFlushing({
    flush: recorder.flush,
    intervalMs: metricsFlushMs,
    onError: (error) => log.warn({ err: error }, 'Metrics were not written; retrying'),
  });
  lifecycle.onStop(flushingMetrics.stop);

  const openSandbox = () => {
    const sandbox = createSandbox(sharedWorkers);
    lifecycle.onStop(() => sandbox.close());
    return sandbox;
  };
  const sandboxes = {
    detectors: openSandbox(),
    /** A slow detector must not delay an action that stops an attack. */
    actions: openSandbox(),
    /** Whatever else tenants run, no block waits for it. */
    blocks: openSandbox(),
  };
  const hosts = createHostQueues();
  await publishOwnChains(database.store, keyring.audit, config.ownChains, now());
  const chains = openChains(config.chains, recorder, now);
  lifecycle.onStop(() => chains.close());
  const chainSync = await startChainSync({
    store: database.watching,
    keyring,
    chains,
    listen: (onNotify) => listen(database.connection, 'vigil_chain', onNotify),
    now,
    log,
  });
  lifecycle.onStop(chainSync.stop);
  const fetchers = openFetchers({
    store: database.watching,
    runScripts: sandboxes.detectors.run,
    runBlockScripts: sandboxes.blocks.runWithin,
    egress: config.egress,
    hosts,
    keyring,
  });
  lifecycle.onStop(() => fetchers.close());
  const notifying = await openNotifying(config, hosts, now);
  lifecycle.onStop(() => notifying.close());
  const reloadChains = chainSync.sync;
  return {
    database,
    keyring,
    hsm,
    failedLogins,
    recorder,
    sandboxes,
    chains,
    reloadChains,
    fetchers,
    notifying,
  };
}
