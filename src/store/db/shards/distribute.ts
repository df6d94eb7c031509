import type pg from 'pg';
import { distributedTables } from '../citus/distributedTables.ts';
import { readDistributed } from '../citus/readDistributed.ts';
import { createShardFunctions } from '../citus/shardFunctions.ts';
import { type Connection, openClient } from '../openClient.ts';
import { createTwoPhases, createTwoPhaseTriggers } from './forceTwoPhases.ts';
import { moveTables } from './moveTables.ts';
import { dropFormer } from './switchTables.ts';
import { withoutWaiting } from './withoutWaiting.ts';

/** Thrown when the servers are not ready; the message says what is missing. */
class NotDistributable extends Error {
  override readonly name = 'NotDistributable';
}

/** So many workers a cluster can grow to. Searches of administrators cost about as much for each shard as for a server. */
export const defaultShards = 16;
const maxShards = 256;

/** Citus keeps one connection to each worker; others are opened for each question, which costs more than what they answer. */
const oneConnection = 'citus.max_adaptive_executor_pool_size = 1';

/** A process at a time. */
const distributionLock = 7_305_115;

/**
 * Distributes the tables by tenant. Their rows are copied while they are read and written; then all change places at once. What an
 * earlier run did stays. `report` gets a line for each step.
 */
export async function distribute(
  config: Connection,
  report: (line: string) => void,
  shards = defaultShards,
): Promise<void> {
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > maxShards)
    throw new NotDistributable(`Alerts have 1 to ${maxShards} shards, not ${shards}.`);
  const client = openClient({ ...config, statement_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [distributionLock]);
    await ensureExtension(client);
    const workers = await findWorkers(client);
    if (shards < workers.length)
      throw new NotDistributable(`${shards} shards are too few for ${workers.length} workers.`);
    const database = client.escapeIdentifier(client.database ?? 'vigil');
    // Session settings of pools do not reach the sessions that the coordinator opens.
    for (const setting of ['random_page_cost = 1.1', 'jit = off', oneConnection])
      await client.query('select run_command_on_all_nodes($1)', [
        `alter database ${database} set ${setting}`,
      ]);
    await createTwoPhases(client);
    const distributed = await readDistributed(async (text) => (await client.query(text)).rows);
    const tables = distributedTables.filter((table) => !distributed.has(table));
    for (const table of distributedTables)
      if (distributed.has(table)) report(`${table}: distributed already`);
    if (tables.length > 0) await moveTables(client, tables, shards, report);
    else {
      await createShardFunctions(client, distributedTables[0]);
      await withoutWaiting(client, () => createTwoPhaseTriggers(client));
    }
    await dropFormer(client);
  } finally {
    await client.end();
  }
}

async function ensureExtension(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ installed: string | null }>(
    `select installed_version as installed from pg_available_extensions where name = 'citus'`,
  );
  if (!rows[0])
    throw new NotDistributable(
      'This PostgreSQL has no Citus: install its package on every server and put citus first in ' +
        'shared_preload_libraries.',
    );
  if (rows[0].installed !== null) return;
  try {
    await client.query('create extension citus');
  } catch (cause) {
    throw new NotDistributable(
      `The extension citus cannot be created here: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

async function findWorkers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select nodename || ':' || nodeport as name from pg_dist_node
      where groupid <> 0 and noderole = 'primary' and isactive and shouldhaveshards order by 1`,
  );
  if (rows.length === 0)
    throw new NotDistributable(
      "Citus knows no worker: run select citus_set_coordinator_host('host', 5432) and, for each worker, " +
        "select citus_add_node('host', 5432) in this database of the coordinator.",
    );
  const coordinator = await client.query('select from pg_dist_node where groupid = 0');
  if (coordinator.rowCount === 0)
    throw new NotDistributable(
      "Citus does not know the address of this coordinator: run select citus_set_coordinator_host('host', 5432).",
    );
  const answers = await client.query<{ name: string }>(
    `select to_nodename || ':' || to_nodeport as name from citus_check_cluster_node_health()
      where result is not true group by 1 order by 1`,
  );
  if (answers.rows.length > 0)
    throw new NotDistributable(
      `Not every node can reach ${answers.rows.map(({ name }) => name).join(', ')}.`,
    );
  return rows.map(({ name }) => name);
}
