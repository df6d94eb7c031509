import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { createAuthenticate } from './api/authenticate.ts';
import { createEndpoints } from './api/endpoints.ts';
import { createMetrics } from './api/metrics.ts';
import { createServer } from './api/server.ts';
import { chains } from './chains/chains.ts';
import { type Config, packageVersion } from './config.ts';
import { ensureMasterKeyFile, parseMasterKey, readMasterKeyFile } from './lib/masterKey.ts';
import { hashToken } from './lib/token.ts';
import { issueToken, tokenHint } from './services/issueToken.ts';
import { openStore, type PoolConfig, type Store } from './store/db.ts';
import { attachEmbedded } from './store/embedded/attachEmbedded.ts';
import { startEmbedded } from './store/embedded/startEmbedded.ts';
import { forgetOldReplies } from './store/idempotency.ts';
import { type MasterKeys, openKeyring } from './store/keyring.ts';
import { migrate } from './store/migrate.ts';
import { findTokenByHash, hasAdminToken, insertToken } from './store/tokens.ts';

export type App = {
  url: string;
  dataDir: string;
  databaseAt: string;
  firstToken: string | undefined;
  stop(): Promise<void>;
};

/** Builds every object once and starts serving. */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const database = await openDatabase(config, log);
  try {
    const { store } = database;
    const now = Date.now;
    const keyring = await openKeyring(store, masterKeys(config), now());
    const firstToken = await ensureAdminToken(config, store, now());
    const authenticate = createAuthenticate(store, now);
    const server = await createServer({
      services: {
        store,
        keyring,
        now,
        forgetTokens: authenticate.forget,
        mail: config.smtpUrl !== undefined,
        hsm: config.pkcs11.module !== undefined,
        allowNetworks: config.allowNetworks,
      },
      authenticate: authenticate.authenticate,
      endpoints: endpointsFor(config),
      metrics: createMetrics(store.stats),
      log,
      version: packageVersion(),
      rateLimit: config.rateLimit,
      corsOrigins: config.corsOrigins,
    });
    const url = await server.listen({ host: config.host, port: config.port });
    const sweeper = setInterval(() => {
      forgetOldReplies(store, now()).catch((error: unknown) =>
        log.warn({ err: error }, 'Old replies were not removed'),
      );
    }, 3_600_000).unref();
    return {
      url,
      dataDir: config.dataDir,
      databaseAt: database.at,
      firstToken,
      stop: async () => {
        clearInterval(sweeper);
        await server.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export function endpointsFor(config: Config) {
  const configured = new Set(Object.keys(config.chains));
  return createEndpoints({
    configured,
    confirmations: (uid) => config.chains[uid]?.confirmations ?? chains[uid].confirmations,
  });
}

export type Database = { store: Store; at: string; close(): Promise<void> };

/** The configured PostgreSQL, or the bundled one; migrated either way. */
async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const { databaseUrl } = config;
  return openMigrated(
    databaseUrl ? externalServer(config, databaseUrl) : await bundledServer(config, log),
    log,
  );
}

/** For a command beside a Vigil that may be running: its bundled server is used and left running. */
export async function openDatabaseBeside(config: Config, log: Logger): Promise<Database> {
  const connection = config.databaseUrl ? undefined : await attachEmbedded(config.dataDir);
  if (!connection) return openDatabase(config, log);
  return openMigrated({ connection, at: config.dataDir, close: async () => {} }, log);
}

type DatabaseServer = { connection: PoolConfig; at: string; close(): Promise<void> };

async function openMigrated(server: DatabaseServer, log: Logger): Promise<Database> {
  try {
    const steps = await migrate(server.connection);
    if (steps.length > 0) log.info({ steps }, 'Database migrated');
    const store = openStore(server.connection, (error) =>
      log.warn({ err: error }, 'A database connection broke'),
    );
    return {
      store,
      at: server.at,
      close: async () => {
        await store.close();
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
  return { connection: embedded.connection, at: embedded.dataFolder, close: () => embedded.stop() };
}

function externalServer(config: Config, connectionString: string): DatabaseServer {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  return { connection: { connectionString }, at: 'DATABASE_URL', close: async () => {} };
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

/** Structured lines on standard error; standard output is for people. */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  );
}
