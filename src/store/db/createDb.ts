import pg from 'pg';
import { render, renderCached } from '../../lib/sql.ts';
import { bindCoordinators, needsCoordinator } from './citus/bindCoordinators.ts';
import { distributedTables } from './citus/distributedTables.ts';
import { type keepAnswers, noteStatement } from './citus/keepAnswers.ts';
import type { Workers } from './citus/openWorkers.ts';
import { readDistributed } from './citus/readDistributed.ts';
import { runOnShard } from './citus/runOnShard.ts';
import type { Db } from './db.ts';
import { types } from './openPool.ts';
import { runPrepared } from './runPrepared.ts';
import { nameOfRepeated } from './runRepeated.ts';
import { type OnText, streamTexts } from './streamTexts.ts';
import { toProblem, unavailable } from './toProblem.ts';

type Statement = { text: string; values: unknown[]; name?: string; onText?: OnText | undefined };
export type Run = (query: Statement) => Promise<pg.QueryResult>;

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
};

export function createDb(
  run: Run,
  layout: Layout,
  { repeat = run, workers, askCoordinator = run }: Ways = {},
): Db {
  const isAlertDistributed = () => layout.distributed?.has(distributedTables[0]) ?? false;
  const query = async <Row extends pg.QueryResultRow>(
    config: Parameters<Run>[0],
    runOnce = run,
  ): Promise<Row[]> => {
    try {
      // Without a wait where there is nothing to bind, so that no later statement is sent before it.
      const isBound =
        needsCoordinator(config.text) &&
        (layout.distributed ? isAlertDistributed() : await db.isDistributed());
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
