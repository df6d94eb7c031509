import pino from 'pino';
import { createCancelOnRetractions, createFireOnAlerts } from '../../src/actions/fireOnAlerts.ts';
import type { AlertHook } from '../../src/alerts/raiseAlerts.ts';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { deriveAuditKey } from '../../src/lib/auditKey.ts';
import type { MetricRecorder } from '../../src/model/metrics.ts';
import { startActions } from '../../src/runtime/startActions.ts';
import { createSandbox } from '../../src/scripts/sandbox.ts';
import type { Db, Store } from '../../src/store/db/db.ts';
import { listen } from '../../src/store/db/listen.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { findLabels } from '../../src/store/labels/findLabels.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';
import { findFunding } from '../../src/store/watch/funding.ts';
import { openPresence } from '../../src/store/watch/openPresence.ts';
import { createFetch } from '../../src/watch/reads/createFetch.ts';
import { startWatching } from '../../src/watch/startWatching.ts';

export type PendingOrder = { connection: Connection; urls: string[]; masterKey: string };
/** When alerts were stored: those of blocks by their number, those of pending transactions by their hash. */
export type PendingTimes = {
  blocks: [number, number][];
  attacks: [string, number][];
  cpuMs: number;
  rssMb: number;
};

const chain = chains.ethereum;

/** Follows the chain and its pool and fires actions, in a process of its own; tells its times whenever it is asked. */
process.once('message', (order: PendingOrder) => void watch(order));

async function watch({ connection, urls, masterKey }: PendingOrder): Promise<void> {
  const opened = openStore(connection, () => {});
  const keyring = await openKeyring(opened, () => [Buffer.from(masterKey, 'hex')], Date.now());
  const client = createEvmClient({ chain, urls, now: Date.now, onCall: () => {} });
  const { store, hook, take } = timed(opened);
  const sandbox = createSandbox();
  const recorder: MetricRecorder = { add: () => {}, flush: async () => {} };
  const log = pino({ level: 'error' });
  const now = Date.now;
  const alertHooks = [createFireOnAlerts({ now }), hook];
  const watching = startWatching({
    settings: { ethereum: { startBlock: 1 } },
    confirmations: () => 0,
    clientOf: (uid) => (uid === chain.uid ? client : undefined),
    store,
    fetchFor: (uid, reader) =>
      createFetch({
        client: reader,
        labels: (addresses) => findLabels(store, { chainUid: uid, addresses }),
        funding: (addresses) => findFunding(store, uid, addresses),
        allocations: unused,
        newestAlert: unused,
        scripts: unused,
        http: unused,
      }),
    recorder,
    auditKeys: { newest: () => deriveAuditKey(1, Buffer.alloc(32)) },
    listen: (onMessage) => listen(connection, 'vigil_watch', onMessage),
    presence: openPresence(connection),
    alertHooks,
    retractionHooks: [createCancelOnRetractions({ now })],
    minedHooks: [createFireOnAlerts({ now })],
    now,
    log,
  });
  const acting = startActions({
    store,
    keyring,
    hsm: undefined,
    runScripts: sandbox.run,
    chains: { isConfigured: () => true, client: (uid) => (uid === chain.uid ? client : undefined) },
    confirmations: () => 0,
    alertHooks: [],
    listen: (onMessage) => listen(connection, 'vigil_action', onMessage),
    now,
    log,
  });
  let cpu = process.cpuUsage();
  process.on('message', (message: 'times' | 'stop') => {
    if (message === 'stop') return void stop();
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const rssMb = process.memoryUsage().rss / 1e6;
    process.send?.({ ...take(), cpuMs: (user + system) / 1000, rssMb } satisfies PendingTimes);
  });
  process.send?.('started');

  async function stop(): Promise<void> {
    await watching.stop();
    await acting.stop();
    await Promise.all([client.close(), sandbox.close(), opened.close()]);
    process.disconnect();
  }
}

/** Notes when the transaction that raised an alert was committed. */
function timed(store: Store) {
  const raisedIn = new WeakMap<Db, Parameters<AlertHook>[1][number]['finding'][]>();
  const times = { blocks: new Map<number, number>(), attacks: new Map<string, number>() };
  return {
    hook: (async (tx, raised) => {
      raisedIn.set(tx, [...(raisedIn.get(tx) ?? []), ...raised.map(({ finding }) => finding)]);
    }) satisfies AlertHook,
    store: {
      ...store,
      async transaction(work, ...rest) {
        let own: Db | undefined;
        const result = await store.transaction(
          (tx) => {
            own = tx;
            return work(tx);
          },
          ...rest,
        );
        for (const { blockNumber, txHash } of (own && raisedIn.get(own)) ?? []) {
          if (blockNumber != null) times.blocks.set(blockNumber, Date.now());
          else if (txHash) times.attacks.set(txHash, Date.now());
        }
        return result;
      },
    } satisfies Store as Store,
    take() {
      const taken = { blocks: [...times.blocks], attacks: [...times.attacks] };
      times.blocks.clear();
      times.attacks.clear();
      return taken;
    },
  };
}

function unused(): never {
  throw new Error('These detectors do not read this.');
}
