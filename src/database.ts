import { mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openStore, type PoolConfig, type Store } from './store/db.ts';
import { attachEmbedded } from './store/embedded/attachEmbedded.ts';
import { startEmbedded } from './store/embedded/startEmbedded.ts';
import { migrate } from './store/migrate.ts';

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
export async function openDatabase(config: Config, log: Logger): Promise<Database> {
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
    log: (message, fields = {}, level = 'info') => log[level](fields, message),
  });
  const { connection, dataFolder, lost, stop } = embedded;
  return { connection, at: dataFolder, lost, close: stop };
}

function externalServer(config: Config, connectionString: string): DatabaseServer {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  return { connection: { connectionString }, at: 'DATABASE_URL', lost: never, close: async () => {} };
}
