import pg from 'pg';
import { settleAll } from '../../lib/settleAll.ts';
import { noteWrites } from './citus/keepAnswers.ts';
import { isNotSent } from './citus/notSent.ts';
import { createDb, type Layout, type Run, send } from './createDb.ts';
import { type Db, Overtaken } from './db.ts';
import { isBroken, refuseUnreplicated } from './openPool.ts';
import { toProblem, unavailable } from './toProblem.ts';

const attempts = 4;

export async function transaction<T>(
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
export const unnamed = ({ text, values = [] }: pg.QueryConfig): pg.QueryConfig => ({ text, values });

export async function transactionOnce<T>(
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

function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001');
}
