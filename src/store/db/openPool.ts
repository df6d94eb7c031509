import pg from 'pg';
import { Problem } from '../../model/errors.ts';
import type { ServerUse } from './citus/createHangWatch.ts';
import { limitPages } from './limitPages.ts';
import { type Connection, clientOf, destroyClient } from './openClient.ts';
import { isLockTimeout, isWorkerDown, toProblem, unavailable } from './toProblem.ts';

const int8 = 20;
const int4Array = 1007;
const int8Array = 1016;
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return Number;
    // Those of a column; an array with nulls or of arrays is none of ours.
    if (oid === int8Array || oid === int4Array)
      return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
    return pg.types.getTypeParser(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

export const limits = { statement_timeout: 15_000, idle_in_transaction_session_timeout: 30_000 };

export function openPool(
  { primary, isPooled, hasPageLimit, hangs: _hangs, ...config }: Connection,
  onError: (error: Error) => void,
): pg.Pool {
  const Client = primary ? clientOf(primary) : pg.Client;
  const pool = new pg.Pool({
    Client: hasPageLimit ? limitPages(Client, types) : Client,
    max: 20,
    connectionTimeoutMillis: 5000,
    // Longer than between two passes of an idle process, for each of which it would otherwise connect again.
    idleTimeoutMillis: 20_000,
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
 * For SSDs, because PostgreSQL assumes slow random reads and would rather read all alerts than look up terms. Without
 * `jit`, which takes up to a minute for hundreds of clauses.
 */
function setPlanning(client: pg.ClientBase): unknown {
  // The pool waits for it.
  return client.query(`set random_page_cost = ${randomPageCost}; set jit = off`);
}

export const randomPageCost = 1.1;

/** `uses` are cut off with the connection. */
export async function useClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  ...uses: ServerUse[]
): Promise<T> {
  const client = await connect(pool, uses);
  let failure: unknown;
  try {
    const result = await work(client);
    refuseUnreplicated(client);
    return result;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    for (const use of uses) use.cut = undefined;
    client.release(isBroken(failure));
  }
}

/** A connection that is destroyed when one of the uses is cut off, as is the wait for it. */
export function connect(pool: pg.Pool, uses: readonly ServerUse[]): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isCut = false;
    for (const use of uses)
      use.cut = () => {
        isCut = true;
        reject(new Error('Connection terminated: the server does not answer.'));
      };
    pool.connect().then((client) => {
      if (isCut) {
        client.release();
        return;
      }
      for (const use of uses) use.cut = () => destroyClient(client);
      resolve(client);
    }, reject);
  });
}

export function refuseUnreplicated(client: pg.ClientBase): void {
  if (unreplicated.delete(client))
    throw unavailable('No standby has confirmed the change; it may be lost or done.', undefined);
}

/** True if the connection failed, or leads to a server that takes no writes any more: it must not be used again. */
export function isBroken(failure: unknown): boolean {
  const cause = failure instanceof Problem ? failure.cause : failure;
  const isTimeLimit = cause instanceof pg.DatabaseError && cause.code === '57014';
  if (isWorkerDown(cause) || isLockTimeout(cause)) return false;
  return cause !== undefined && !isTimeLimit && toProblem(cause) !== cause;
}
