import type pg from 'pg';
import { distributedTables } from '../citus/distributedTables.ts';
import { createShardFunctions } from '../citus/shardFunctions.ts';
import { type Connection, openClient } from '../openClient.ts';

/** Tables that transactions change beside alerts or score changes, each in at least one statement. */
const besides = ['alert_event', 'pending_alert', 'score_lane'] as const;

export const shardsPerWorker = 2;

/** Thrown when the servers are not ready; the message says what is missing. */
class NotDistributable extends Error {
  override readonly name = 'NotDistributable';
}

/**
 * Distributes the tables by tenant. Those with rows are moved while they are read and written, one after the other; what an
 * earlier run did stays. `report` gets a line for each step.
 */
export async function distribute(config: Connection, report: (line: string) => void): Promise<void> {
  const client = openClient(config);
  client.on('error', () => {});
  await client.connect();
  try {
    await ensureExtension(client);
    const workers = await findWorkers(client);
    const database = client.escapeIdentifier(client.database ?? 'vigil');
    // Session settings of pools do not reach the sessions that the coordinator opens.
    for (const setting of ['random_page_cost = 1.1', 'jit = off'])
      await client.query('select run_command_on_all_nodes($1)', [
        `alter database ${database} set ${setting}`,
      ]);
    await forceTwoPhases(client);
    for (const table of distributedTables) await distributeTable(client, table, workers.length, report);
    await createShardFunctions(client);
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

async function distributeTable(
  client: pg.Client,
  table: (typeof distributedTables)[number],
  workers: number,
  report: (line: string) => void,
): Promise<void> {
  const done = await client.query(
    `select from pg_dist_partition where logicalrelid = $1::regclass and partmethod = 'h'`,
    [table],
  );
  if (done.rowCount !== 0) {
    report(`${table}: distributed already`);
    return;
  }
  const shards =
    table === distributedTables[0]
      ? `colocate_with => 'none', shard_count => ${workers * shardsPerWorker}`
      : `colocate_with => '${distributedTables[0]}'`;
  const { rows } = await client.query<{ size: string; isEmpty: boolean }>(
    `select not exists (select from ${table}) as "isEmpty", pg_size_pretty(coalesce(
      (select sum(pg_total_relation_size(relid)) from pg_partition_tree($1)), 0)) as size`,
    [table],
  );
  const { isEmpty = true, size = '' } = rows[0] ?? {};
  if (isEmpty) {
    await client.query(`select create_distributed_table('${table}', 'tenant_id', ${shards})`);
    report(`${table}: distributed, it was empty`);
    return;
  }
  await refuseWithoutLogicalLog(client, table);
  report(`${table}: moving ${size} while it is used …`);
  const startedAt = performance.now();
  await client.query(`select create_distributed_table_concurrently('${table}', 'tenant_id', ${shards})`);
  report(`${table}: distributed after ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

async function refuseWithoutLogicalLog(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ level: string }>(`select current_setting('wal_level') as level`);
  if (rows[0]?.level !== 'logical')
    throw new NotDistributable(
      `${table} has rows, which move by logical replication: set wal_level = logical on every server and restart it.`,
    );
}

/**
 * Forces two-phase commits for transactions that change a worker and the coordinator, by an empty change of a managed
 * table. Otherwise a crash between the two commits would lose one half.
 */
async function forceTwoPhases(client: pg.Client): Promise<void> {
  await client.query('create table if not exists two_phases (id integer primary key)');
  const managed = await client.query(
    `select from pg_dist_partition where logicalrelid = 'two_phases'::regclass`,
  );
  if (managed.rowCount === 0) await client.query(`select citus_add_local_table_to_metadata('two_phases')`);
  await client.query('set citus.enable_ddl_propagation = off');
  await client.query(`create or replace function force_two_phases() returns trigger language plpgsql as $$
    begin
      delete from two_phases where false;
      return null;
    end $$`);
  for (const table of besides)
    await client.query(`create or replace trigger two_phases after insert or update on ${table}
      for each statement execute function force_two_phases()`);
  await client.query('reset citus.enable_ddl_propagation');
}
