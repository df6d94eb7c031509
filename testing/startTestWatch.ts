import { BlockList } from 'node:net';
import pino from 'pino';
import type { ActionContext } from '../src/actions/actionContext.ts';
import { createCancelOnRetractions, createFireOnAlerts } from '../src/actions/fireOnAlerts.ts';
import type { AlertHook } from '../src/alerts/raiseAlerts.ts';
import type { ChainClient, TraceLimits } from '../src/chains/chainClient.ts';
import { type ChainUid, getChain, withNetwork } from '../src/chains/chains.ts';
import { families } from '../src/chains/families.ts';
import { createHostQueues } from '../src/lib/createHostQueues.ts';
import { type Egress, toEgress } from '../src/lib/egress.ts';
import { sql } from '../src/lib/sql.ts';
import type { PendingMode } from '../src/model/pending.ts';
import type { TraceMode } from '../src/model/traceState.ts';
import { createNotifyOnAlerts } from '../src/notify/notifyOnAlerts.ts';
import { startActions } from '../src/runtime/startActions.ts';
import { createSandbox } from '../src/scripts/sandbox.ts';
import { createAlertLinks } from '../src/services/alerts/createAlertLinks.ts';
import { publishDetectors } from '../src/services/detectors/publishDetectors.ts';
import { createMetricRecorder } from '../src/services/telemetry/createMetricRecorder.ts';
import { listen } from '../src/store/db/listen.ts';
import type { Connection } from '../src/store/db/openClient.ts';
import { openPresence } from '../src/store/watch/openPresence.ts';
import type { Hsm } from '../src/wallets/pkcs11/openHsm.ts';
import { openFetchers } from '../src/watch/reads/openFetchers.ts';
import { startWatching } from '../src/watch/startWatching.ts';
import { isWritten } from './isWritten.ts';
import { type Json, startTestApi, type TestApi } from './startTestApi.ts';
import { until } from './until.ts';

type Settings = {
  urls: readonly string[];
  confirmations?: number;
  startBlock?: number;
  network?: string;
  traces?: TraceMode;
  traceLimits?: Partial<TraceLimits>;
  pending?: PendingMode;
};

export type TestWatch = TestApi & {
  /** Moves the clock of those that watch forward. */
  skipTime(ms: number): void;
  /** Starts one more process that watches, as far as a process can be had inside this one. */
  watch(): { stop(): Promise<void> };
  /** Starts one more process that fires actions. */
  act(options?: Partial<Pick<ActionContext, 'onStep' | 'stuckMs' | 'runScripts'>>): { stop(): Promise<void> };
  /** Calls to nodes so far, by method. */
  calls: Map<string, number>;
  watchLog: string[];
  tenantId: number;
  projectId: number;
  addContract(address: string, members?: Json): Promise<number>;
  addDetector(contractId: number, schemaName: string, config?: Json, members?: Json): Promise<number>;
  /** Waits until every process that watches was notified of what was changed before. */
  informed(): Promise<void>;
  /** Waits until the block was processed, nothing of the chain is deferred, and traces were asked for at least once. */
  reached(chainUid: ChainUid, number: number): Promise<void>;
  alerts(query?: string): Promise<Json[]>;
};

/** The whole of Vigil on a fresh database, watching real or simulated nodes. */
export async function startTestWatch(
  settings: Readonly<Record<string, Settings>>,
  hsm?: Hsm,
  options: {
    egress?: Egress;
    /** Whether the scripts of a block are put off, as if the tenant's share were used up. */
    isPutOff?: (() => boolean) | undefined;
    /** How long reads that fail are waited for. */
    readWaitMs?: number;
    /** How long no endpoint may have a pending transaction. */
    pendingDropMs?: number;
    /** Beside those that notify and fire. */
    alertHooks?: readonly AlertHook[];
    /** A migrated one; a fresh one of the run's server otherwise. */
    database?: { config: Connection; drop: () => Promise<void> };
  } = {},
): Promise<TestWatch> {
  const calls = new Map<string, number>();
  const counted = (method: string) => calls.set(method, (calls.get(method) ?? 0) + 1);
  const clients = new Map<ChainUid, ChainClient>();
  const client = (uid: ChainUid) => {
    const urls = settings[uid]?.urls;
    const known =
      clients.get(uid) ??
      (urls &&
        families[getChain(uid).family].nodes?.createClient({
          chain: withNetwork(getChain(uid), settings[uid]?.network),
          urls,
          now: Date.now,
          onCall: counted,
          traces: settings[uid]?.traces,
          traceLimits: settings[uid]?.traceLimits,
        }));
    if (known) clients.set(uid, known);
    return known;
  };
  const sharedWorkers = { workers: 2, workersPerOwner: 1 };
  const sandbox = createSandbox(sharedWorkers);
  const blockScripts = createSandbox(sharedWorkers);
  let asked: ReturnType<typeof openFetchers> | undefined;
  const links = createAlertLinks(() => 'https://vigil.example.com');
  let skippedMs = 0;
  const now = () => Date.now() + skippedMs;
  const alertHooks = [
    createNotifyOnAlerts({ links, now }),
    createFireOnAlerts({ now }),
    ...(options.alertHooks ?? []),
  ];
  const chainAccess = {
    isConfigured: (uid: ChainUid) => settings[uid] !== undefined,
    client,
    chain: (uid: ChainUid) => withNetwork(getChain(uid), settings[uid]?.network),
  };
  const api = await startTestApi({
    answers: (uid, made) => asked!.fetchFor(uid, made),
    chains: chainAccess,
    hsm,
    ...options,
    alertHooks,
  });
  asked = openFetchers({
    store: api.store,
    runScripts: sandbox.run,
    runBlockScripts: async (allowance, owner, values, sources) =>
      options.isPutOff?.()
        ? sources.map(() => undefined)
        : blockScripts.runWithin(allowance, owner, values, sources),
    egress: options.egress ?? toEgress(new BlockList()),
    hosts: createHostQueues(),
    keyring: api.services.keyring,
  });
  await publishDetectors(api.store, Date.now());
  const watchLog: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void watchLog.push(line) });
  const running = new Set<{ stop(): Promise<void> }>();
  const recorder = createMetricRecorder(api.store, Date.now);

  const confirmations = (uid: ChainUid) => settings[uid]?.confirmations ?? getChain(uid).confirmations;

  const listeners = new Set<{ received: number }>();
  let said = 0;

  const watch = () => {
    const listener = { received: 0 };
    listeners.add(listener);
    const watching = startWatching({
      settings: Object.fromEntries(
        Object.entries(settings).map(([uid, { startBlock, traces = 'auto', pending = 'auto' }]) => [
          uid,
          { startBlock, traces, pending },
        ]),
      ),
      confirmations,
      clientOf: client,
      store: api.store,
      fetchFor: asked.fetchFor,
      recorder,
      auditKeys: api.services.keyring.audit,
      listen: (onMessage) =>
        listen(api.connection, 'vigil_watch', (message) => {
          if (message?.startsWith('informed ')) listener.received = Number(message.slice(9));
          else onMessage(message);
        }),
      presence: openPresence(api.connection),
      alertHooks,
      retractionHooks: [createCancelOnRetractions({ now: Date.now })],
      readWaitMs: options.readWaitMs,
      pendingDropMs: options.pendingDropMs,
      minedHooks: [createFireOnAlerts({ now })],
      now,
      log,
    });
    return started({
      stop: () => {
        listeners.delete(listener);
        return watching.stop();
      },
    });
  };

  const act: TestWatch['act'] = (options = {}) =>
    started(
      startActions({
        store: api.store,
        keyring: api.services.keyring,
        hsm: api.services.hsm,
        runScripts: sandbox.run,
        chains: chainAccess,
        confirmations,
        alertHooks,
        listen: (onMessage) => listen(api.connection, 'vigil_action', onMessage),
        now: Date.now,
        log,
        ...options,
      }),
    );

  function started(loop: { stop(): Promise<void> }) {
    const handle = {
      stop: async () => {
        running.delete(handle);
        await loop.stop();
      },
    };
    running.add(handle);
    return handle;
  }

  const tenant = await api.ok('POST', 'tenant', { name: 'Watchers' });
  const project = await api.ok('POST', 'project', { tenantId: tenant.id, name: 'Watched' });
  const schemas: Json = await api.ok('POST', 'detector/schema/search', { size: 1000 });

  return {
    ...api,
    skipTime: (ms) => {
      skippedMs += ms;
    },
    watch,
    act,
    calls,
    watchLog,
    tenantId: tenant.id,
    projectId: project.id,
    async addContract(address, members = {}) {
      const made = await api.ok('POST', 'contract', {
        projectId: project.id,
        name: 'Contract',
        chainUid: 'anvil',
        address,
        ...members,
      });
      return made.id;
    },
    async addDetector(contractId, schemaName, config = {}, members = {}) {
      const schema = schemas.data.find(({ name }: Json) => name === schemaName);
      if (!schema) throw new Error(`There is no detector ${schemaName}.`);
      const made = await api.ok('POST', 'detector', {
        contractId,
        schemaId: schema.id,
        name: schemaName,
        config,
        ...members,
      });
      return made.id;
    },
    informed: async () => {
      const first = ++said;
      await until(async () => {
        // Messages arrive in the order of their transactions; who was not yet listening receives the next one.
        await api.store.query(sql`select pg_notify('vigil_watch', ${`informed ${said++}`})`);
        return [...listeners].every(({ received }) => received >= first);
      });
    },
    reached: async (chainUid, number) => {
      await until(async () => {
        // Not by `GET chain`, which lists every chain and costs twenty times as much.
        const isDone = await api.store.query(
          sql`select from chain_cursor where chain_uid = ${chainUid} and processed >= ${number}
            and not exists (select from deferred_evaluation where chain_uid = ${chainUid} and number <= ${number})
            and not exists (select from untraced_block where chain_uid = ${chainUid} and number <= ${number}
              and attempts = 0)`,
        );
        return isDone.length > 0 && (await isWritten(api.store, chainUid));
      }).catch((error: unknown) => {
        throw new Error(`Block ${number} was not reached. ${watchLog.join('')}`, { cause: error });
      });
    },
    alerts: async (query) =>
      (
        await api.ok('POST', 'alert/search', {
          size: 10_000,
          sort: [{ field: 'timestamp' }],
          ...(query ? { query } : {}),
        })
      ).data,
    stop: async () => {
      await Promise.all([...running].map((handle) => handle.stop()));
      await Promise.all(Array.from(clients.values(), (made) => made.close()));
      await Promise.all([sandbox.close(), blockScripts.close(), asked.close()]);
      await api.stop();
    },
  };
}
