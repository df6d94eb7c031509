import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { createAuthenticate } from './api/authenticate.ts';
import { createEndpoints } from './api/endpoints.ts';
import { createMetrics } from './api/metrics.ts';
import { createServer } from './api/server.ts';
import type { ChainClient } from './chains/chainClient.ts';
import { type ChainUid, chains } from './chains/chains.ts';
import { createEvmClient } from './chains/evm/createEvmClient.ts';
import { type Config, packageVersion } from './config.ts';
import { ensureMasterKeyFile, parseMasterKey, readMasterKeyFile } from './lib/masterKey.ts';
import { hashToken } from './lib/token.ts';
import { platformTenant } from './model/metrics.ts';
import { createSandbox } from './scripts/sandbox.ts';
import type { ChainAccess } from './services/chainAccess.ts';
import { issueToken, tokenHint } from './services/issueToken.ts';
import { createMetricRecorder, type MetricRecorder, type Series } from './services/metricRecorder.ts';
import { publishDetectors } from './services/publishDetectors.ts';
import { dropOldPartitions, ensurePartitionsAhead } from './store/alerts/partitions.ts';
import { openStore, type PoolConfig, type Store } from './store/db.ts';
import { attachEmbedded } from './store/embedded/attachEmbedded.ts';
import { startEmbedded } from './store/embedded/startEmbedded.ts';
import { forgetOldReplies } from './store/idempotency.ts';
import { type MasterKeys, openKeyring } from './store/keyring.ts';
import { listen as listenTo } from './store/listen.ts';
import { migrate } from './store/migrate.ts';
import { findTokenByHash, hasAdminToken, insertToken } from './store/tokens.ts';
import { openAnswers } from './watch/openAnswers.ts';
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

/** Builds every object once and starts serving. */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const database = await openDatabase(config, log);
  try {
    const { store } = database;
    await ensurePartitionsAhead(store, Date.now());
    const now = Date.now;
    const keyring = await openKeyring(store, masterKeys(config), now());
    const firstToken = await ensureAdminToken(config, store, now());
    const authenticate = createAuthenticate(store, now);
    const recorder = createMetricRecorder(store, now);
    await publishDetectors(store, now());
    const chainAccess = openChains(config, recorder, now);
    const sandbox = createSandbox();
    const asked = openAnswers({ store, runScripts: sandbox.run, allowNetworks: config.allowNetworks });
    const server = await createServer({
      services: {
        store,
        reports: database.reports,
        keyring,
        recorder,
        now,
        forgetTokens: authenticate.forget,
        mail: config.smtpUrl !== undefined,
        hsm: config.pkcs11.module !== undefined,
        allowNetworks: config.allowNetworks,
        chains: chainAccess,
        answers: asked.answers,
      },
      authenticate: authenticate.authenticate,
      endpoints: endpointsFor(config),
      metrics: createMetrics(store.stats),
      log,
      version: packageVersion(),
      rateLimit: config.rateLimit,
      corsOrigins: config.corsOrigins,
    });
    const url = await listen(server, config);
    const sweeper = setInterval(() => {
      keepHouse(store, config, now()).catch((error: unknown) =>
        log.warn({ err: error }, 'Old rows were not removed, or new partitions not made'),
      );
    }, 3_600_000).unref();
    const stopRecording = flushEverySecond(recorder, log);
    const watching = config.roles.includes('watch')
      ? startWatching({
          settings: config.chains,
          client: chainAccess.client,
          store,
          answers: asked.answers,
          recorder,
          listen: (heard) => listenTo(database.connection, 'vigil_watch', heard),
          follow: [],
          followRetraction: [],
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
        clearInterval(sweeper);
        await server.close();
        await watching?.stop();
        await Promise.all([sandbox.close(), chainAccess.close(), asked.close()]);
        await stopRecording();
        await database.close();
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

/** What has to be done now and then: partitions made ahead, what is too old dropped. */
async function keepHouse(store: Store, config: Config, now: number): Promise<void> {
  await forgetOldReplies(store, now);
  await ensurePartitionsAhead(store, now);
  if (config.retentionDays !== undefined)
    await dropOldPartitions(store, now - config.retentionDays * 86_400_000);
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

export function endpointsFor(config: Config) {
  return createEndpoints((uid) => config.chains[uid]?.confirmations ?? chains[uid].confirmations);
}

/** One client for each configured chain, made when it is first needed. */
function openChains(
  config: Config,
  recorder: MetricRecorder,
  now: () => number,
): ChainAccess & { close(): Promise<void> } {
  const clients = new Map<ChainUid, ChainClient>();
  return {
    isConfigured: (uid) => config.chains[uid] !== undefined && chains[uid].family === 'evm',
    client(uid) {
      const settings = config.chains[uid];
      const known = clients.get(uid);
      // The other families are known by their addresses, but cannot be followed yet.
      if (known || !settings || chains[uid].family !== 'evm') return known;
      const series = new Map<string, Series>();
      const counted = (method: string) => {
        const found = series.get(method) ?? { metric: 'rpc_calls', labels: { chain: uid, type: method } };
        series.set(method, found);
        recorder.add(found, platformTenant, 1);
      };
      const client = createEvmClient({ chain: chains[uid], urls: settings.endpoints, now, counted });
      clients.set(uid, client);
      return client;
    },
    close: async () => {
      await Promise.all(Array.from(clients.values(), (client) => client.close()));
    },
  };
}

export type Database = {
  store: Store;
  reports: Store;
  /** For connections of one's own. */
  connection: PoolConfig;
  at: string;
  lost: Promise<Error>;
  close(): Promise<void>;
};

/** Another's server may come and go: connections are made anew when they are needed. */
const never = new Promise<Error>(() => {});

/** The configured PostgreSQL, or the bundled one; migrated either way. */
async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const { databaseUrl } = config;
  if (!databaseUrl) return openMigrated(await bundledServer(config, log), log);
  try {
    return await openMigrated(externalServer(config, databaseUrl), log);
  } catch (cause) {
    throw new Error('The PostgreSQL of DATABASE_URL cannot be used.', { cause });
  }
}

/** For a command beside a Vigil that may be running: its bundled server is used and left running. */
export async function openDatabaseBeside(config: Config, log: Logger): Promise<Database> {
  const connection = config.databaseUrl ? undefined : await attachEmbedded(config.dataDir);
  if (!connection) return openDatabase(config, log);
  return openMigrated({ connection, at: config.dataDir, lost: never, close: async () => {} }, log);
}

/** A search may not hold up the management of records, nor run for long. */
const reportLimits = { max: 8, statement_timeout: 2000 };

type DatabaseServer = Omit<Database, 'store' | 'reports'>;

async function openMigrated(server: DatabaseServer, log: Logger): Promise<Database> {
  try {
    const steps = await migrate(server.connection);
    if (steps.length > 0) log.info({ steps }, 'Database migrated');
    const onError = (error: Error) => log.warn({ err: error }, 'A database connection broke');
    const store = openStore(server.connection, onError);
    const reports = openStore({ ...server.connection, ...reportLimits }, onError);
    return {
      store,
      reports,
      connection: server.connection,
      at: server.at,
      lost: server.lost,
      close: async () => {
        await Promise.all([store.close(), reports.close()]);
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function bundledServer(config: Config, log: Logger): Promise<DatabaseServer> {
  // It makes the data folder itself, with the mode that its account needs.
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log: (message, fields = {}) => log.info(fields, message),
  });
  const { connection, dataFolder, lost, stop } = embedded;
  return { connection, at: dataFolder, lost, close: stop };
}

function externalServer(config: Config, connectionString: string): DatabaseServer {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  return { connection: { connectionString }, at: 'DATABASE_URL', lost: never, close: async () => {} };
}

/** The master key of the environment, or that of the key file, which is made on first start. */
export function masterKeys(config: Config): MasterKeys {
  const { masterKey, masterKeyFile } = config;
  if (masterKey) return () => [parseMasterKey(masterKey.reveal())];
  ensureMasterKeyFile(masterKeyFile);
  return () => readMasterKeyFile(masterKeyFile);
}

/** The first start makes an administrator's token; a token of the environment always works. */
async function ensureAdminToken(config: Config, store: Store, now: number): Promise<string | undefined> {
  const admin = { kind: 'ADMIN', tenantId: null, userId: null, roles: ['admin'], expiredAt: null } as const;
  return store.transaction(async (tx) => {
    if (config.adminToken) {
      const token = config.adminToken.reveal();
      const hash = hashToken(token);
      if (await findTokenByHash(tx, hash)) return undefined;
      await insertToken(tx, { ...admin, label: 'VIGIL_ADMIN_TOKEN', hash, hint: tokenHint(token) }, now);
      return undefined;
    }
    if (await hasAdminToken(tx)) return undefined;
    const { token } = await issueToken(tx, { ...admin, label: 'first start' }, now);
    writeFileSync(join(config.dataDir, 'admin-token'), `${token}\n`, { mode: 0o600, flush: true });
    return token;
  });
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
