import pg from 'pg';
import { render, renderCached } from '../../lib/sql.ts';
import { bindCoordinators, needsCoordinator } from './citus/bindCoordinators.ts';
import { type HangWatch, isCancelled, runWatched, type ServerUse } from './citus/createHangWatch.ts';
import { distributedTables } from './citus/distributedTables.ts';
import { findWatches, watchesOfTenants } from './citus/findWatches.ts';
import { type keepAnswers, noteStatement } from './citus/keepAnswers.ts';
import type { Placements } from './citus/openPlacements.ts';
import type { Workers } from './citus/openWorkers.ts';
import { readDistributed } from './citus/readDistributed.ts';
import { readTenants } from './citus/readTenants.ts';
import { runOnShard } from './citus/runOnShard.ts';
import type { Hangs } from './citus/watchWorkers.ts';
import type { Db } from './db.ts';
import { types } from './openPool.ts';
import { runPrepared } from './runPrepared.ts';
import { nameOfRepeated } from './runRepeated.ts';
import { type OnText, streamTexts } from './streamTexts.ts';
import { toProblem, unavailable } from './toProblem.ts';

type Statement = { text: string; values: unknown[]; name?: string; onText?: OnText | undefined };
/** `use` is cut off with the connection that the statement gets. */
export type Run = (query: Statement, use?: ServerUse) => Promise<pg.QueryResult>;

export function send(
  client: pg.ClientBase,
  { name, text, values, onText }: Statement,
): Promise<pg.QueryResult> {
  if (onText) return streamTexts(client, { text, values }, onText);
  return name === undefined ? client.query({ text, values }) : runPrepared(client, { name, text, values });
}

/** Facts of the database; undefined until someone asks. `forgotten` counts how often they were. */
export type Layout = {
  distributed?: ReadonlySet<string> | undefined;
  shardOf: Map<number, number>;
  forgotten: number;
  hangs?: Hangs | undefined;
  placements?: Placements | undefined;
};

export const createLayout = (): Layout => ({ shardOf: new Map(), forgotten: 0 });

/**
 * For each new session: who distributes tables ends all that know them undistributed, so what is known holds no longer than these.
 * Tables never come back.
 */
export function forgetLayout(layout: Layout): void {
  layout.forgotten++;
  if (layout.distributed && !hasAll(layout.distributed)) layout.distributed = undefined;
}

type Ways = {
  repeat?: Run;
  workers?: Workers | undefined;
  /** Outside of transactions, which see what they have written themselves. */
  askCoordinator?: Parameters<typeof keepAnswers>[0];
  /** All statements are about this tenant. */
  tenantId?: number;
  /** Gets the watches of the workers that statements have used. */
  touched?: Set<HangWatch>;
};

export function createDb(
  run: Run,
  layout: Layout,
  { repeat = run, workers, askCoordinator = run, tenantId: ownTenantId, touched }: Ways = {},
): Db {
  const isAlertDistributed = () => layout.distributed?.has(distributedTables[0]) ?? false;
  const watchesOf = (config: Parameters<Run>[0]): readonly HangWatch[] => {
    const { hangs, placements } = layout;
    if (!hangs || !placements) return [];
    if (!layout.distributed && readTenants(config)) void db.isDistributed().catch(() => undefined);
    if (!isAlertDistributed()) return [];
    return ownTenantId === undefined
      ? findWatches(config, placements, hangs.workers)
      : watchesOfTenants([ownTenantId], placements, hangs.workers);
  };
  const watched = (config: Parameters<Run>[0], runOnce: Run): Promise<pg.QueryResult> => {
    const watches = watchesOf(config);
    if (watches.length === 0) return runOnce(config).catch(async (error: unknown) => explain(config, error));
    for (const watch of watches) touched?.add(watch);
    return runWatched(watches, (use) => runOnce(config, use));
  };
  /** A statement that had no watch, because it was the first, may have waited for a worker that hangs. */
  const explain = async (config: Parameters<Run>[0], error: unknown): Promise<never> => {
    const { hangs, placements } = layout;
    if (hangs && placements && isCancelled(error) && readTenants(config) && (await db.isDistributed())) {
      await placements.know(ownTenantId === undefined ? readTenants(config) : [ownTenantId]);
      for (const watch of watchesOf(config))
        if ((await watch.answersBehind?.()) === false) throw watch.problem(error);
    }
    throw error;
  };
  const query = async <Row extends pg.QueryResultRow>(
    config: Parameters<Run>[0],
    runOnce = run,
  ): Promise<Row[]> => {
    try {
      // Without a wait where there is nothing to bind, so that no later statement is sent before it.
      const isBound =
        needsCoordinator(config.text) &&
        (layout.distributed ? isAlertDistributed() : await db.isDistributed());
      return (await watched(isBound ? await bindCoordinators(config, askCoordinator) : config, runOnce)).rows;
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
      while (!layout.distributed) {
        const { forgotten } = layout;
        const read = await readDistributed((text) => query({ text, values: [] }));
        if (forgotten === layout.forgotten) layout.distributed = read;
      }
      return layout.distributed.has(table);
    },
    atTenant: (tenantId) => {
      const { distributed } = layout;
      if (!distributed || !isAlertDistributed()) return db;
      const parserOf = (oid: number) => types.getTypeParser(oid, 'text');
      const onShard = runOnShard(run, tenantId, { distributed, parserOf, workers });
      const repeatOnShard: Run = (config, use) => onShard(withRepeatedName(config), use);
      return createDb(onShard, layout, { repeat: repeatOnShard, askCoordinator, tenantId });
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

const statementNames = new Map<string, string>();

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `vigil_${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return name;
}

function isUnsupported(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000';
}
