import pg from 'pg';
import type { Sql } from '../../lib/sql.ts';
import type { DistributedTable } from './citus/distributedTables.ts';
import type { OnText } from './streamTexts.ts';

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
export type StatementSettings = Readonly<Record<string, string>>;

export type Store = Db & {
  /** All of `work` is committed or none of it. After a deadlock, and when it throws `Overtaken`, it runs again. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Runs a statement that may take minutes and needs no transaction; absent behind a pooler, which would not know. */
  maintain?(statement: Sql, settings?: StatementSettings): Promise<void>;
  /** The same database under the role that owns the tables; absent where this role does. */
  owner?: Store | undefined;
  /** The pool of the same database that looks for due work; absent where this one does. */
  poller?: Store | undefined;
  /** Name of the worker with the tenant's alerts; undefined while that is not known, and where there are none. */
  workerOf?(tenantId: number): string | undefined;
  /** Numbers of the workers that do not answer, asked again for this. */
  silentWorkers?(): Promise<readonly number[]>;
  /** True while the server takes statements and answers none. */
  isSilent?(): boolean;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/** For partitions, indexes and vacuum: the store of the role that owns the tables. */
export function asOwner(store: Store): Store {
  return store.owner ?? store;
}

/** Thrown by a transaction that has decided something by what another one has changed since. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
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
