import type pg from 'pg';

/** The coordinator of a cluster of Citus, if the client is connected to one of its workers. */
export async function findCoordinator(client: pg.ClientBase): Promise<Coordinator | undefined> {
  const { rows } = await client.query<{ isCitus: boolean }>(
    `select to_regclass('pg_catalog.pg_dist_local_group') is not null as "isCitus"`,
  );
  if (!rows[0]?.isCitus) return undefined;
  const coordinators = await client.query<Coordinator>(
    `select n.nodename as host, n.nodeport as port from pg_dist_local_group l
      join pg_dist_node n on n.groupid = 0 and n.noderole = 'primary' where l.groupid <> 0`,
  );
  return coordinators.rows[0];
}

type Coordinator = { host: string; port: number };
