import type pg from 'pg';
import { render } from '../../lib/sql.ts';
import { runWatched, type ServerUse } from './citus/createHangWatch.ts';
import { distributedTables } from './citus/distributedTables.ts';
import { keepAnswers } from './citus/keepAnswers.ts';
import { openPlacements, type WorkerServer } from './citus/openPlacements.ts';
import { openWorkers } from './citus/openWorkers.ts';
import type { Hangs } from './citus/watchWorkers.ts';
import { createDb, createLayout, forgetLayout, type Layout, type Run, send } from './createDb.ts';
import type { StatementSettings, Store } from './db.ts';
import { type Connection, credentialsOf } from './openClient.ts';
import { limits, openPool, randomPageCost, useClient } from './openPool.ts';
import { runRepeated } from './runRepeated.ts';
import { transaction, transactionOnce, unnamed } from './transaction.ts';
import { watchHangs } from './watchHangs.ts';

export function openStore(config: Connection, onError: (error: Error) => void, owner?: Store): Store {
  const hangs = config.hangs ?? watchHangs(config, (sentence) => onError(new Error(sentence)));
  const close = async (store: Store) => {
    await store.close();
    if (!config.hangs) hangs.close();
  };
  if (!config.isPooled) {
    const direct = {
      open: ({ host, port }: WorkerServer) => openPool({ ...credentialsOf(config), host, port }, onError),
      onError,
    };
    const store = createStore(openPool(config, onError), direct, hangs);
    return { ...store, owner, close: () => close(store) };
  }
  // StatementSettings of a session would reach its next user, so that each transaction makes its own.
  const { statement_timeout, idle_in_transaction_session_timeout, ...rest } = { ...limits, ...config };
  const begin = `begin; set local statement_timeout = ${Number(statement_timeout)};
    set local idle_in_transaction_session_timeout = ${Number(idle_in_transaction_session_timeout)};
    set local random_page_cost = ${randomPageCost}; set local jit = off`;
  const store = createPooledStore(openPool(rest, onError), begin, hangs);
  return { ...store, owner, close: () => close(store) };
}

/** Leaves nothing in a session: every statement runs in a transaction, and none is kept prepared. */
function createPooledStore(pool: pg.Pool, begin: string, hangs: Hangs): Store {
  const once: Run = ({ text, values }, use) =>
    transactionOnce(pool, (_tx, client) => client.query(unnamed({ text, values })), layout, { begin, use });
  const layout: Layout = { ...createLayout(), hangs, placements: openPlacements(once) };
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
    silentWorkers: silentWorkers(layout),
    isSilent: () => hangs.server.isSilent,
    workerOf: workerOf(layout),
    stats: () => statsOf(pool),
    close: () => pool.end(),
  };
}

/** `direct` opens connections to a worker of Citus; without it the coordinator is asked for everything. */
export function createStore(
  pool: pg.Pool,
  direct?: { open(server: WorkerServer): pg.Pool; onError(error: Error): void },
  hangs?: Hangs,
): Store {
  /** On the server of the pool. */
  const useServer = <T>(work: (client: pg.PoolClient) => Promise<T>, use?: ServerUse): Promise<T> =>
    runWatched(hangs ? [hangs.server] : [], (ofServer) =>
      useClient(
        pool,
        (client) => {
          if (use && hangs) use.cut = () => hangs.abandon(client);
          return work(client);
        },
        ofServer,
        ...(use ? [use] : []),
      ),
    );
  const run: Run = (query, use) => useServer((client) => send(client, query), use);
  const placements = openPlacements(run);
  const layout: Layout = { ...createLayout(), hangs, placements };
  pool.on('connect', () => forgetLayout(layout));
  const repeatOn =
    (target: pg.Pool): Run =>
    (query, use) =>
      useClient(target, (client) => runRepeated(client, query), ...(use ? [use] : []));
  const repeat: Run = (query, use) => useServer((client) => runRepeated(client, query), use);
  const workers =
    direct &&
    openWorkers(
      placements,
      (server) => {
        const target = direct.open(server);
        return { ask: repeatOn(target), close: () => target.end() };
      },
      direct.onError,
    );
  return {
    ...createDb(run, layout, { repeat, workers, askCoordinator: keepAnswers(run) }),
    cacheKey: pool,
    transaction: (work) => transaction(pool, work, layout),
    maintain: (statement, settings) =>
      useServer((client) => maintain(client, render(statement), { statement_timeout: '0', ...settings })),
    silentWorkers: silentWorkers(layout),
    isSilent: () => hangs?.server.isSilent ?? false,
    workerOf: workerOf(layout),
    stats: () => statsOf(pool),
    close: async () => {
      await workers?.close();
      await pool.end();
    },
  };
}

const workerOf =
  (layout: Layout) =>
  (tenantId: number): string | undefined => {
    if (!layout.distributed?.has(distributedTables[0])) return undefined;
    const placement = layout.placements?.peek(tenantId);
    return placement && `${placement.groupId}`;
  };

const silentWorkers = (layout: Layout) => async (): Promise<readonly number[]> => {
  const { distributed, hangs, placements } = layout;
  if (!distributed?.has(distributedTables[0]) || !hangs || !placements) return [];
  const workers = await placements.listWorkers();
  const answers = await Promise.all(
    workers.map(async (worker) => (await hangs.workers.of(worker).answersBehind?.()) ?? true),
  );
  return workers.flatMap(({ groupId }, index) => (answers[index] ? [] : [groupId]));
};

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
