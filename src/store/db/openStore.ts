import pg from 'pg';
import { render } from '../../lib/sql.ts';
import { keepAnswers } from './citus/keepAnswers.ts';
import { openWorkers, type WorkerServer } from './citus/openWorkers.ts';
import { createDb, createLayout, forgetLayout, type Run, send } from './createDb.ts';
import type { StatementSettings, Store } from './db.ts';
import type { Connection } from './openClient.ts';
import { limits, openPool, randomPageCost, useClient } from './openPool.ts';
import { runRepeated } from './runRepeated.ts';
import { transaction, transactionOnce, unnamed } from './transaction.ts';

export function openStore(config: Connection, onError: (error: Error) => void, owner?: Store): Store {
  if (!config.isPooled)
    return {
      ...createStore(openPool(config, onError), {
        open: (server) => openPool({ ...credentialsOf(config), ...server }, onError),
        onError,
      }),
      owner,
    };
  // StatementSettings of a session would reach its next user, so that each transaction makes its own.
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

/** Leaves nothing in a session: every statement runs in a transaction, and none is kept prepared. */
function createPooledStore(pool: pg.Pool, begin: string): Store {
  const layout = createLayout();
  const once = (query: pg.QueryConfig) =>
    transactionOnce(pool, (_tx, client) => client.query(unnamed(query)), layout, begin);
  return {
    ...createDb(once, layout),
    // Its statements are transactions, in which Citus would prepare what only reads.
    atTenant: undefined,
    cacheKey: pool,
    transaction: (work) => {
      // Of its sessions this process does not know which are new.
      forgetLayout(layout);
      return transaction(pool, work, layout, begin);
    },
    stats: () => statsOf(pool),
    close: () => pool.end(),
  };
}

/** `direct` opens connections to a worker of Citus; without it the coordinator is asked for everything. */
export function createStore(
  pool: pg.Pool,
  direct?: { open(server: WorkerServer): pg.Pool; onError(error: Error): void },
): Store {
  const layout = createLayout();
  pool.on('connect', () => forgetLayout(layout));
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
  settings: StatementSettings,
): Promise<void> {
  const entries = Object.entries(settings);
  await client.query(entries.map(([name, value]) => `set ${name} = '${value}'`).join('; '));
  try {
    await client.query(query);
  } finally {
    await client.query(entries.map(([name]) => `reset ${name}`).join('; '));
  }
}

const statsOf = (pool: pg.Pool) => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount,
});
