import pg from 'pg';
import { settleAll } from '../../lib/settleAll.ts';
import { render, renderCached, type Sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import { bindCoordinators, needsCoordinator } from './citus/bindCoordinators.ts';
import { type DistributedTable, distributedTables } from './citus/distributedTables.ts';
import { keepAnswers, noteStatement, noteWrites } from './citus/keepAnswers.ts';
import { isNotSent } from './citus/notSent.ts';
import { openWorkers, type WorkerServer, type Workers } from './citus/openWorkers.ts';
import { readDistributed } from './citus/readDistributed.ts';
import { runOnShard } from './citus/runOnShard.ts';
import { type Connection, clientOf } from './openClient.ts';
import { runPrepared } from './runPrepared.ts';
import { nameOfRepeated, runRepeated } from './runRepeated.ts';
import { type OnText, streamTexts } from './streamTexts.ts';
import { isWorkerDown, toProblem, unavailable } from './toProblem.ts';

export type PoolConfig = Connection;

/** Runs statements: on the pool, or inside one transaction. */
export type Db = {
  /** `onText` takes the texts of a single column as they come, where that can be; rows that it does not get are returned. */
  query<Row extends pg.QueryResultRow>(statement: Sql, onText?: OnText): Promise<Row[]>;
  /** For statements whose text never varies: PostgreSQL plans them once per connection. */
  prepared<Row extends pg.QueryResultRow>(statement: Sql): Promise<Row[]>;
  /** For statements with a text for each shape of a question: those that are repeated are prepared, a few per connection. */
  repeated<Row extends pg.QueryResultRow>(statement: Sql, onText?: OnText): Promise<Row[]>;
  /**
   * True if Citus distributes alerts, or `table`, over workers: no statement may then change both these and other
   * tables. A table newer than the cluster may not be distributed yet.
   */
  isDistributed(table?: DistributedTable): Promise<boolean>;
  /** The same for statements about one tenant, which run on its worker where Citus distributes alerts. */
  atTenant?: ((tenantId: number) => Db) | undefined;
  /**
   * Keeps a statement that the transaction does not wait for: if it fails, all is undone. Absent where each statement is sent
   * when the one before has ended; `sendLater` is for callers.
   */
  readonly keepUnawaited?: ((statement: Promise<unknown>) => void) | undefined;
  /** The shards of tenants, as far as they are known; absent where a caller makes its own. */
  readonly shardOf?: Map<number, number>;
  /** Key of the caches about the database; absent in a transaction, which may have changed the cached data. */
  readonly cacheKey?: object;
};

/** Of PostgreSQL, for one statement. */
type Settings = Readonly<Record<string, string>>;

export type Store = Db & {
  /** All of `work` is committed or none of it. After a deadlock, and when it throws `Overtaken`, it runs again. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Runs a statement that may take minutes and needs no transaction; absent behind a pooler, which would not know. */
  maintain?(statement: Sql, settings?: Settings): Promise<void>;
  /** The same database under the role that owns the tables; absent where this role does. */
  owner?: Store | undefined;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

const int8 = 20;
const int4Array = 1007;
const int8Array = 1016;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return Number;
    // Those of a column; an array with nulls or of arrays is none of ours.
    if (oid === int8Array || oid === int4Array)
      return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
    return pg.types.getTypeParser(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** For partitions, indexes and vacuum: the store of the role that owns the tables. */
export function asOwner(store: Store): Store {
  return store.owner ?? store;
}

export function openStore(config: Connection, onError: (error: Error) => void, owner?: Store): Store {
  if (!config.isPooled)
    return {
      ...createStore(openPool(config, onError), {
        open: (server) => openPool({ ...credentialsOf(config), ...server }, onError),
        onError,
      }),
      owner,
    };
  // Settings of a session would reach its next user, so that each transaction makes its own.
  const { statement_timeout, idle_in_transaction_session_timeout, ...rest } = { ...limits, ...config };
  const begin = `begin; set local statement_timeout = ${Number(statement_timeout)};
    set local idle_in_transaction_session_timeout = ${Number(idle_in_transaction_session_timeout)};
    set local random_page_cost = ${randomPageCost}; set local jit = off`;
  return { ...createPooledStore(openPool(rest, onError), begin), owner };
}

/** All but the address, which may be part of an URL or found at each connection. */
function credentialsOf({ connectionString, primary: _primary, ...config }: Connection): Connection {
  if (connectionString === undefined) return config;
  const { user, password, database, ssl } = new pg.Client({ connectionString });
  return { user, password: password ?? undefined, database, ssl, ...config };
}

const limits = { statement_timeout: 15_000, idle_in_transaction_session_timeout: 30_000 };

/** Leaves nothing in a session: every statement runs in a transaction, and none is kept prepared. */
function createPooledStore(pool: pg.Pool, begin: string): Store {
  const layout: Layout = { shardOf: new Map() };
  const once = (query: pg.QueryConfig) =>
    transactionOnce(pool, (_tx, client) => client.query(unnamed(query)), layout, begin);
  return {
    ...createDb(once, layout),
    // Its statements are transactions, in which Citus would prepare what only reads.
    atTenant: undefined,
    cacheKey: pool,
    transaction: (work) => transaction(pool, work, layout, begin),
    stats: () => statsOf(pool),
    close: () => pool.end(),
  };
}

export function openPool(
  { primary, isPooled, ...config }: Connection,
  onError: (error: Error) => void,
): pg.Pool {
  const pool = new pg.Pool({
    ...(primary && { Client: clientOf(primary) }),
    max: 20,
    connectionTimeoutMillis: 5000,
    // A statement is sent while those before it run; each transaction still waits for its `begin`.
    pipeline: !isPooled,
    ...(isPooled ? {} : limits),
    application_name: 'vigil',
    ...config,
    types,
    ...(isPooled ? {} : { onConnect: setPlanning }),
  });
  // An idle connection that breaks would otherwise end the process; the next query reports it to its caller.
  // A pool that is closing may see its server stop first, which is no failure.
  pool.on('error', (error) => {
    if (!pool.ending) onError(error);
  });
  // The same for one that breaks inside a transaction; its statement rejects as well.
  pool.on('connect', (client) => client.on('error', () => {}).on('notice', noteUnreplicated(client)));
  return pool;
}

/** Connections whose last commit is on this server only, although it should have been on another one too. */
const unreplicated = new WeakSet<pg.ClientBase>();

/**
 * PostgreSQL acknowledges a commit whose wait for a synchronous standby was cancelled, with a warning. Nobody may rely on it: a
 * failover could still lose it.
 */
function noteUnreplicated(client: pg.ClientBase) {
  return ({ routine }: { routine?: string | undefined }) => {
    if (routine === 'SyncRepWaitForLSN') unreplicated.add(client);
  };
}

/**
 * For SSDs, because PostgreSQL assumes slow random reads and would rather read all alerts than look up a list of terms.
 * Without `jit`, which takes up to a minute for hundreds of clauses and never helps ours.
 */
function setPlanning(client: pg.ClientBase): unknown {
  // The pool waits for it.
  return client.query(`set random_page_cost = ${randomPageCost}; set jit = off`);
}

const randomPageCost = 1.1;

/** `direct` opens connections to a worker of Citus; without it the coordinator is asked for everything. */
export function createStore(
  pool: pg.Pool,
  direct?: { open(server: WorkerServer): pg.Pool; onError(error: Error): void },
): Store {
  const layout: Layout = { shardOf: new Map() };
  const run: Run = (query) => useClient(pool, (client) => send(client, query));
  const repeatOn = (target: pg.Pool) => (query: Parameters<Run>[0]) =>
    useClient(target, (client) => runRepeated(client, query));
  const workers =
    direct &&
    openWorkers(
      run,
      (server) => {
        const target = direct.open(server);
        return { ask: repeatOn(target), close: () => target.end() };
      },
      direct.onError,
    );
  return {
    ...createDb(run, layout, { repeat: repeatOn(pool), workers, askCoordinator: keepAnswers(run) }),
    cacheKey: pool,
    transaction: (work) => transaction(pool, work, layout),
    maintain: (statement, settings) =>
      useClient(pool, (client) =>
        maintain(client, render(statement), { statement_timeout: '0', ...settings }),
      ),
    stats: () => statsOf(pool),
    close: async () => {
      await workers?.close();
      await pool.end();
    },
  };
}

async function maintain(
  client: pg.ClientBase,
  query: { text: string; values: unknown[] },
  settings: Settings,
): Promise<void> {
  const each = Object.entries(settings);
  await client.query(each.map(([name, value]) => `set ${name} = '${value}'`).join('; '));
  try {
    await client.query(query);
  } finally {
    await client.query(each.map(([name]) => `reset ${name}`).join('; '));
  }
}

const statsOf = (pool: pg.Pool) => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount,
});

type Statement = { text: string; values: unknown[]; name?: string; onText?: OnText | undefined };
type Run = (query: Statement) => Promise<pg.QueryResult>;

function send(client: pg.ClientBase, { name, text, values, onText }: Statement): Promise<pg.QueryResult> {
  if (onText) return streamTexts(client, { text, values }, onText);
  return name === undefined ? client.query({ text, values }) : runPrepared(client, { name, text, values });
}

/** Facts of the database; undefined until someone asks. */
type Layout = { distributed?: ReadonlySet<string> | undefined; shardOf: Map<number, number> };

type Ways = {
  repeat?: Run;
  workers?: Workers | undefined;
  /** Outside of transactions, which see what they have written themselves. */
  askCoordinator?: Parameters<typeof keepAnswers>[0];
};

function createDb(run: Run, layout: Layout, { repeat = run, workers, askCoordinator = run }: Ways = {}): Db {
  const isAlertDistributed = () => layout.distributed?.has(distributedTables[0]) ?? false;
  const query = async <Row extends pg.QueryResultRow>(
    config: Parameters<Run>[0],
    runOnce = run,
  ): Promise<Row[]> => {
    try {
      // Without a wait where there is nothing to bind, so that no later statement is sent before it.
      const isBound = isAlertDistributed() && needsCoordinator(config.text);
      return (await runOnce(isBound ? await bindCoordinators(config, askCoordinator) : config)).rows;
    } catch (error) {
      // Its tables were distributed while this process ran.
      if (layout.distributed && !hasAll(layout.distributed) && isUnsupported(error)) {
        layout.distributed = undefined;
        throw unavailable('The database is being distributed.', error);
      }
      throw toProblem(error);
    } finally {
      // One that has failed may be done all the same.
      if (layout.distributed?.size !== 0) noteStatement(config.text);
    }
  };
  const db: Db = {
    shardOf: layout.shardOf,
    isDistributed: async (table = distributedTables[0]) => {
      layout.distributed ??= await readDistributed((text) => query({ text, values: [] }));
      return layout.distributed.has(table);
    },
    atTenant: (tenantId) => {
      const { distributed } = layout;
      if (!distributed || !isAlertDistributed()) return db;
      const parserOf = (oid: number) => types.getTypeParser(oid, 'text');
      const onShard = runOnShard(run, tenantId, { distributed, parserOf, workers });
      const repeatOnShard: Run = (config) => onShard(withRepeatedName(config));
      return createDb(onShard, layout, { repeat: repeatOnShard, askCoordinator });
    },
    query: (statement, onText) => query({ ...render(statement), onText }),
    repeated: (statement, onText) => query({ ...render(statement), onText }, repeat),
    prepared: (statement) => {
      const { text, values } = renderCached(statement);
      return query({ name: statementName(text), text, values });
    },
  };
  return db;
}

function hasAll(distributed: ReadonlySet<string>): boolean {
  return distributedTables.every((table) => distributed.has(table));
}

function withRepeatedName(config: Parameters<Run>[0]): Parameters<Run>[0] {
  const name = nameOfRepeated(config.text);
  return name === undefined ? config : { ...config, name };
}

async function useClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    const result = await use(client);
    refuseUnreplicated(client);
    return result;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(isBroken(failure));
  }
}

function refuseUnreplicated(client: pg.ClientBase): void {
  if (unreplicated.delete(client))
    throw unavailable('No standby has confirmed the change; it may be lost or done.', undefined);
}

/** True if the connection failed, or leads to a server that takes no writes any more: it must not be used again. */
function isBroken(failure: unknown): boolean {
  const cause = failure instanceof Problem ? failure.cause : failure;
  const isTimeLimit = cause instanceof pg.DatabaseError && cause.code === '57014';
  if (isWorkerDown(cause)) return false;
  return cause !== undefined && !isTimeLimit && toProblem(cause) !== cause;
}

const statementNames = new Map<string, string>();

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `vigil_${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return name;
}

/** Thrown by a transaction that has decided something by what another one has changed since. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const attempts = 4;

async function transaction<T>(
  pool: pg.Pool,
  work: (tx: Db) => Promise<T>,
  layout: Layout,
  begin?: string,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactionOnce(pool, work, layout, begin);
    } catch (error) {
      if (!isDeadlock(error) && !isNotSent(error) && !(error instanceof Overtaken)) throw error;
      if (attempt === attempts)
        throw unavailable(
          isNotSent(error)
            ? "The server with the tenant's alerts cannot be asked at the moment."
            : 'Too many changes touch the same records.',
          error,
        );
    }
  }
}

/** A statement that is not kept prepared in the session. */
const unnamed = ({ text, values = [] }: pg.QueryConfig): pg.QueryConfig => ({ text, values });

async function transactionOnce<T>(
  pool: pg.Pool,
  work: (tx: Db, client: pg.PoolClient) => Promise<T>,
  layout: Layout,
  /** Given where a pooler shares sessions. */
  begin?: string,
): Promise<T> {
  const client = await connect(pool);
  const unawaited: Promise<unknown>[] = [];
  let failure: unknown;
  try {
    const run: Run = (query) => (begin === undefined ? send(client, query) : client.query(unnamed(query)));
    const keepUnawaited = (statement: Promise<unknown>) => void unawaited.push(handled(statement));
    await client.query(begin ?? 'begin');
    const tx = createDb(run, layout);
    const result = await work(client.pipeline ? { ...tx, keepUnawaited } : tx, client);
    // After a statement that has failed it undoes the transaction.
    keepUnawaited(client.query('commit'));
    await settleAll(unawaited);
    refuseUnreplicated(client);
    return result;
  } catch (caught) {
    // Those after a statement that failed fail too, without saying why.
    const error = await settleAll(unawaited).then(
      () => caught,
      (first: unknown) => first,
    );
    failure = error;
    if (!isBroken(error))
      await client.query(isNotSent(error) ? endSession : 'rollback').catch((rollbackError: Error) => {
        failure = rollbackError;
      });
    throw toProblem(error);
  } finally {
    noteWrites();
    client.release(isBroken(failure));
  }
}

/** Its failure is looked at later. */
function handled<T>(statement: Promise<T>): Promise<T> {
  statement.catch(() => undefined);
  return statement;
}

/** In one message, so that a pooler ends the same session. */
const endSession = 'rollback; select pg_terminate_backend(pg_backend_pid())';

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toProblem(error);
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000';
}

function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/** The row of a statement that always returns one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The statement returned no row.');
  return row;
}

/** The unique index that rejected a row, if that is the error. */
export function violatedUnique(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined;
}
