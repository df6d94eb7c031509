import pg from 'pg';
import { settleAll } from '../../lib/settleAll.ts';
import { Problem } from '../../model/errors.ts';
import { announceLater, announceNow, channelsOf } from './citus/announced.ts';
import { type HangWatch, runWatched, type ServerUse } from './citus/createHangWatch.ts';
import { distributedTables } from './citus/distributedTables.ts';
import { noteWrites } from './citus/keepAnswers.ts';
import { isNotSent } from './citus/notSent.ts';
import { createDb, type Layout, type Run, send } from './createDb.ts';
import { type Db, Overtaken } from './db.ts';
import { destroyClient } from './openClient.ts';
import { connect, isBroken, refuseUnreplicated } from './openPool.ts';
import { isLockTimeout, toProblem, unavailable } from './toProblem.ts';

const attempts = 4;
/**
 * Limit of the wait for a lock where alerts are distributed. A holder that a hanging worker has caught keeps those waiting that came
 * before it was cancelled; the next attempt does not wait.
 */
const lockMs = 4000;
const spreadSettings = `${announceLater}; set local lock_timeout = ${lockMs}`;

export async function transaction<T>(
  pool: pg.Pool,
  work: (tx: Db) => Promise<T>,
  layout: Layout,
  begin?: string,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactionOnce(pool, work, layout, { begin });
    } catch (error) {
      const isLate = error instanceof Problem && isLockTimeout(error.cause) && isSpread(layout);
      if (!isDeadlock(error) && !isNotSent(error) && !isLate && !(error instanceof Overtaken)) throw error;
      if (attempt === attempts || (isLate && attempt > 1))
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
export const unnamed = ({ text, values = [] }: pg.QueryConfig): pg.QueryConfig => ({ text, values });

/** `begin`: given where a pooler shares sessions. `use`: cut off with the connection. */
type Once = { begin?: string | undefined; use?: ServerUse | undefined };

export async function transactionOnce<T>(
  pool: pg.Pool,
  work: (tx: Db, client: pg.PoolClient) => Promise<T>,
  layout: Layout,
  { begin, use }: Once = {},
): Promise<T> {
  try {
    const watches = layout.hangs ? [layout.hangs.server] : [];
    return await runWatched(watches, (ofServer) =>
      transactionOn(pool, work, layout, begin, use ? [ofServer, use] : [ofServer]),
    );
  } catch (error) {
    throw toProblem(error);
  }
}

async function transactionOn<T>(
  pool: pg.Pool,
  work: (tx: Db, client: pg.PoolClient) => Promise<T>,
  layout: Layout,
  begin: string | undefined,
  uses: readonly ServerUse[],
): Promise<T> {
  const client = await connect(pool, uses);
  const unawaited: Promise<unknown>[] = [];
  const touched = new Set<HangWatch>();
  /** Cuts the connection off too when a worker hangs that the statement needs. */
  const guard = <R>(use: ServerUse | undefined, statement: () => Promise<R>) => {
    if (use) use.cut = () => (layout.hangs ? layout.hangs.abandon(client) : destroyClient(client));
    return statement();
  };
  const onTouched = (text: string) =>
    touched.size === 0
      ? client.query(text)
      : runWatched([...touched], (use) => guard(use, () => client.query(text)));
  const channels = new Set<string>();
  let failure: unknown;
  try {
    const runPlain: Run = (query, use) =>
      guard(use, () => (begin === undefined ? send(client, query) : client.query(unnamed(query))));
    const keepUnawaited = (statement: Promise<unknown>) => void unawaited.push(handled(statement));
    const run: Run = isSpread(layout)
      ? (query, use) => {
          for (const channel of channelsOf(query.text)) channels.add(channel);
          return runPlain(query, use);
        }
      : runPlain;
    await client.query(isSpread(layout) ? `${begin ?? 'begin'}; ${spreadSettings}` : (begin ?? 'begin'));
    const tx = createDb(run, layout, { touched });
    const result = await work(client.pipeline ? { ...tx, keepUnawaited } : tx, client);
    // After a statement that has failed it undoes the transaction.
    keepUnawaited(onTouched('commit'));
    await settleAll(unawaited);
    // All that is announced is also looked for, in case that this fails.
    if (channels.size > 0) await client.query(announceNow(channels)).catch(() => undefined);
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
      await onTouched(isNotSent(error) ? endSession : 'rollback').catch((cause: Error) => {
        // A worker that hangs would not answer this either.
        failure = new Error('Connection terminated: the transaction was not undone in time.', { cause });
        destroyClient(client);
      });
    throw toProblem(error);
  } finally {
    noteWrites();
    for (const use of uses) use.cut = undefined;
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

function isSpread({ distributed }: Layout): boolean {
  return distributed?.has(distributedTables[0]) ?? false;
}

function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');
}
