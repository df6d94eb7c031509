import type pg from 'pg';
import { distributedTables } from './distributedTables.ts';
import { createRunOnShard } from './runOnShard.ts';
import { createHoldShards, createRunOnShards } from './runOnShards.ts';

/** Functions that run statements on workers, with the types of their arguments; the first argument routes. */
const functions = [
  { signature: 'run_on_shard(bigint, text, text, text[])', text: createRunOnShard },
  { signature: 'run_on_shards(bigint, bigint[], text, text, text, text)', text: createRunOnShards },
];

/** For tables that are distributed as this one is. */
export async function createShardFunctions(client: pg.Client, table: string): Promise<void> {
  await client.query(createHoldShards);
  for (const { signature, text } of functions) {
    await client.query(text);
    await client.query(`select create_distributed_function('${signature}', 'tenant',
      colocate_with => '${table}', force_delegation => true)`);
  }
}

/** Those that are not there. */
export async function findMissingFunctions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select split_part(signature, '(', 1) as name from unnest($1::text[]) signature
      where to_regprocedure(signature) is null`,
    [['hold_shards(bigint[], integer)', ...functions.map(({ signature }) => signature)]],
  );
  return rows.map(({ name }) => name);
}

/** For a cluster that an earlier version has distributed. */
export async function ensureShardFunctions(client: pg.Client): Promise<void> {
  const citus = await client.query(`select from pg_class where oid = to_regclass('pg_dist_partition')`);
  if (citus.rowCount === 0) return;
  const alerts = await client.query(
    `select from pg_dist_partition where logicalrelid = to_regclass($1) and partmethod = 'h'`,
    [distributedTables[0]],
  );
  if (alerts.rowCount !== 0 && (await findMissingFunctions(client)).length > 0)
    await createShardFunctions(client, distributedTables[0]);
}
