import { mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import { splitHosts } from '../lib/splitHosts.ts';
import type { Store } from '../store/db/db.ts';
import { isEmptyDatabase } from '../store/db/isEmptyDatabase.ts';
import { migrate } from '../store/db/migrate.ts';
import { nameDatabase } from '../store/db/nameDatabase.ts';
import type { Connection } from '../store/db/openClient.ts';
import { openClient } from '../store/db/openClient.ts';
import { openReplicas, type Replicas } from '../store/db/openReplicas.ts';
import { openStore } from '../store/db/openStore.ts';
import { readServer } from '../store/db/readServer.ts';
import { watchHangs } from '../store/db/watchHangs.ts';
import { isWorker, watchPrimary } from '../store/db/watchPrimary.ts';
import { attachEmbedded } from '../store/embedded/attachEmbedded.ts';
import { hasCluster } from '../store/embedded/hasCluster.ts';
import { startEmbedded } from '../store/embedded/startEmbedded.ts';
import type { Config } from './config/loadConfig.ts';

/**
 * One pool per purpose, so that no load on the API keeps Vigil from following chains, firing actions or logging users in.
 */
const pools = {
  /** Requests. */
  store: { max: 14, statement_timeout: 15_000 },
  /** Searches must not delay the management of records, nor run for long. */
  reports: { max: 8, statement_timeout: 2000, hasPageLimit: true },
  /** Looking up tokens and opening sessions. */
  logins: { max: 5, statement_timeout: 5000 },
  /** Following chains. */
  watching: { max: 6, statement_timeout: 15_000 },
  /** Firing actions. */
  firing: { max: 10, statement_timeout: 15_000 },
  /** Notifications, scores, streams, metrics and housekeeping. */
  work: { max: 6, statement_timeout: 15_000 },
} as const;

/** For partitions and indexes, where the role that owns them is another one. Closed when idle. */
const ownerPool = { max: 2, statement_timeout: 15_000, idleTimeoutMillis: 1000 };

type Pools = Record<keyof typeof pools, Store>;

export type Database = Pools & {
  /** Servers for searches and reports; undefined unless they are configured. */
  replicas: Replicas | undefined;
  /** For connections outside the pools, such as LISTEN. */
  connection: Connection;
  /** The role that owns the tables and migrates them. */
  owner: Connection;
  at: string;
  lost: Promise<Error>;
  close(): Promise<void>;
};

/** An external server may come and go: connections are opened again when needed. */
const never = new Promise<Error>(() => {});

/** After this a statement counts as lost with its server; longer than any time limit of statements. */
const answerWithinMs = 20_000;

type Opening = {
  limits: Connection;
  /** A place without a Vigil is refused, and left as it is, unless it may be created. */
  mayCreate: boolean;
};

/** The configured PostgreSQL, or the bundled one; migrated either way. */
export async function openDatabase(
  config: Config,
  log: Logger,
  opening: Opening = { limits: { query_timeout: answerWithinMs }, mayCreate: true },
): Promise<Database> {
  const { databaseUrl } = config;
  if (!databaseUrl) return openMigrated(await bundledServer(config, log), config, log, opening);
  try {
    return await openMigrated(await externalServer(config, databaseUrl, log, opening), config, log, opening);
  } catch (cause) {
    if (cause instanceof NoVigil) throw cause;
    throw new Error('The PostgreSQL of DATABASE_URL cannot be used.', { cause });
  }
}

/** For a command next to a Vigil that may be running: uses its bundled server and leaves it running. */
export async function openDatabaseBeside(config: Config, log: Logger, mayCreate: boolean): Promise<Database> {
  if (!config.databaseUrl && !mayCreate && !(await hasCluster(config.dataDir))) throw new NoVigil(config);
  const connections = config.databaseUrl ? undefined : await attachEmbedded(config.dataDir);
  // A command may run a statement for hours.
  const opening = { limits: {}, mayCreate };
  if (!connections) return openDatabase(config, log, opening);
  const server = { ...connections, at: config.dataDir, lost: never, close: async () => {} };
  return openMigrated(server, config, log, opening);
}

/** The configured database as messages name it. */
export function placeOf({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return databaseUrl ? `the PostgreSQL of DATABASE_URL, ${nameDatabase(databaseUrl)}` : dataDir;
}

class NoVigil extends Error {
  override readonly name = 'NoVigil';

  constructor(config: Config) {
    super(
      `There is no Vigil in ${placeOf(config)}; set VIGIL_DATA_DIR or DATABASE_URL as \`npm start\` has it.`,
    );
  }
}

type DatabaseServer = Omit<Database, keyof Pools | 'replicas'> & {
  /** Of the programs that run, where that is known. */
  origin?: string | undefined;
  /** Connection of the pools, if it differs from `connection`. */
  pooled?: Connection;
};

async function openMigrated(
  server: DatabaseServer,
  config: Config,
  log: Logger,
  { limits, mayCreate }: Opening,
): Promise<Database> {
  const { replicaUrls } = config;
  try {
    if (!mayCreate && (await isEmptyDatabase(server.connection))) throw new NoVigil(config);
    const hasOwner = server.owner !== server.connection;
    const steps = await migrate(
      server.owner,
      hasOwner ? roleOf(server.pooled ?? server.connection) : undefined,
    );
    if (steps.length > 0)
      log.info(`Database ready (${steps.length} ${steps.length === 1 ? 'step' : 'steps'})`);
    log.debug({ steps }, 'Migrations applied');
    const onError = (error: Error) =>
      log.warn({ reason: error.message }, 'A database connection failed; a new one is opened when needed');
    const hangs = watchHangs(server.connection, onHang(log));
    const watched = [hangs];
    const owner = hasOwner
      ? openStore({ ...server.owner, ...limits, ...ownerPool, hangs }, onError)
      : undefined;
    const open = (name: keyof Pools) =>
      openStore(
        { ...(server.pooled ?? server.connection), ...limits, ...pools[name], hangs },
        onError,
        owner,
      );
    const work = open('work');
    const stores: Pools = {
      store: open('store'),
      reports: open('reports'),
      logins: open('logins'),
      watching: { ...open('watching'), poller: work },
      firing: { ...open('firing'), poller: work },
      work,
    };
    const replicas =
      replicaUrls.length > 0
        ? openReplicas({
            primary: stores.work,
            replicas: replicaUrls.map((connectionString, index) => {
              const onChange = onHang(log, `Replica ${index + 1} of DATABASE_REPLICA_URLS: `);
              const hangs = watchHangs({ connectionString }, onChange);
              watched.push(hangs);
              return openStore({ connectionString, ...limits, ...pools.reports, hangs }, onError);
            }),
            now: () => performance.now(),
          })
        : undefined;
    const { release } = await readServer(stores.work);
    return {
      ...stores,
      replicas,
      connection: server.connection,
      owner: server.owner,
      at: `${server.at} (PostgreSQL ${[release, ...(server.origin ? [server.origin] : [])].join(', ')})`,
      lost: server.lost,
      close: async () => {
        await replicas?.close();
        await Promise.all(
          [...Object.values(stores), ...(owner ? [owner] : [])].map((store) => store.close()),
        );
        for (const each of watched) each.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The log has each server that hangs once, however many statements it holds. */
const onHang =
  (log: Logger, where = '') =>
  (sentence: string, isSilent: boolean) =>
    log[isSilent ? 'warn' : 'info'](`${where}${sentence}`);

async function bundledServer(config: Config, log: Logger): Promise<DatabaseServer> {
  // It creates the data folder itself, with the mode that its account needs.
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log: (message, fields = {}, level = 'info') => log[level](fields, message),
  });
  const { connection, owner, dataFolder, origin, lost, stop } = embedded;
  return { connection, owner, origin, at: dataFolder, lost, close: stop };
}

/** The role that connects so. */
function roleOf(connection: Connection): string | undefined {
  return openClient(connection).user;
}

async function externalServer(
  config: Config,
  address: string,
  log: Logger,
  { mayCreate }: Opening,
): Promise<DatabaseServer> {
  if (mayCreate) mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const reach = async (address: string): Promise<Connection & { connectionString: string }> => {
    const addresses = splitHosts(address);
    const connectionString = addresses[0]!;
    if (addresses.length === 1 && !(await isWorker(connectionString))) return { connectionString };
    const onMove = ({ name }: { name: string }) =>
      log.warn({ server: name }, 'Another server takes writes now');
    return { connectionString, primary: watchPrimary(addresses, onMove) };
  };
  const connection = await reach(config.directUrl ?? address);
  const pooled = config.directUrl === undefined ? undefined : { ...(await reach(address)), isPooled: true };
  const owner = config.ownerUrl === undefined ? connection : await reach(config.ownerUrl);
  return {
    connection,
    owner,
    ...(pooled && { pooled }),
    at: 'DATABASE_URL',
    lost: never,
    close: async () => {
      await connection.primary?.stop();
      await pooled?.primary?.stop();
      if (owner !== connection) await owner.primary?.stop();
    },
  };
}
