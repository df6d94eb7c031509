import { Client, type PoolConfig } from 'pg';

/**
 * A database on a coordinator and its workers, which know each other; it has the name that the coordinator's settings have. `spares`
 * have it too, and could become workers.
 */
export async function createCitusDatabase(
  coordinator: PoolConfig,
  workers: readonly PoolConfig[],
  spares: readonly PoolConfig[] = [],
): Promise<void> {
  const { database } = coordinator;
  await Promise.all(
    [coordinator, ...workers, ...spares].map(async (node) => {
      await ask({ ...node, database: 'postgres' }, `create database ${database} template template0`);
      await ask({ ...node, database }, 'create extension citus');
    }),
  );
  await ask(coordinator, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`);
  // A worker that is added gets the roles, which are the same in all databases: adding it to two of them at once fails.
  const lock = new Client({ ...coordinator, database: 'postgres' });
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock(hashtext('citus_add_node'))");
    for (const { host, port } of workers) await ask(coordinator, `select citus_add_node('${host}', ${port})`);
  } finally {
    await lock.end();
  }
}

/** The workers that a coordinator knows; none on plain PostgreSQL. */
export async function findCitusWorkers(coordinator: PoolConfig): Promise<{ host: string; port: number }[]> {
  const extension = await ask(coordinator, "select from pg_extension where extname = 'citus'");
  if (extension.length === 0) return [];
  const rows = await ask(
    coordinator,
    'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by groupid',
  );
  return rows.map(({ host, port }) => ({ host: String(host), port: Number(port) }));
}

export async function ask(config: PoolConfig, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(config);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
