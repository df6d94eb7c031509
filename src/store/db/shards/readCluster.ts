import pg from 'pg';
import { distributedTables } from '../citus/distributedTables.ts';
import { findMissingFunctions } from '../citus/shardFunctions.ts';
import { findReached } from './readNodes.ts';

export type Cluster = {
  version: string;
  workers: { name: string; shards: number }[];
  faults: string[];
};

/** Findings are written within moments where their worker is up. */
const lateMs = 60_000;

/** The workers and tables of a Citus coordinator, and their faults; undefined where nothing is distributed. */
export async function readCluster(connectionString: string): Promise<Cluster | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 3000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const extension = await client.query<{ version: string }>(
      `select extversion as version from pg_extension where extname = 'citus'`,
    );
    const version = extension.rows[0]?.version;
    if (version === undefined) return undefined;
    const tables = await client.query<{ name: string }>(
      `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
    );
    const names = tables.rows.map(({ name }) => name);
    if (!names.includes(distributedTables[0])) return undefined;
    const workers = await client.query<{ name: string; shards: number }>(
      `select n.nodename || ':' || n.nodeport as name, count(s.shardid)::int as shards from pg_dist_node n
        left join pg_dist_placement p on p.groupid = n.groupid
        left join pg_dist_shard s on s.shardid = p.shardid and s.logicalrelid = 'alert'::regclass
        where n.groupid <> 0 and n.noderole = 'primary' group by 1 order by 1`,
    );
    const links = await readLinks(connectionString, client);
    const undone = distributedTables.filter((table) => !names.includes(table));
    const triggers = await client.query(
      `select from pg_trigger where tgname = 'two_phases' and not tgisinternal`,
    );
    const missing = await findMissingFunctions(client);
    const waiting = await client.query<Waiting>(
      `select sum(findings) as findings, min(at) as since, pg_size_pretty(sum(pg_column_size(writes))) as size,
          (select array_agg(id order by id) from (select distinct unnest(tenant_ids)::text as id from group_write
            limit 1000) t) as tenants
        from group_write having min(at) < $1`,
      [Date.now() - lateMs],
    );
    return {
      version,
      workers: workers.rows,
      faults: [
        ...linkFaults(links),
        ...waiting.rows.map(
          ({ findings, since, size, tenants }) =>
            `${findings} findings of chains (${size}) wait for a worker since ` +
            `${new Date(Number(since)).toISOString()}, those of ${nameTenants(tenants)}. ` +
            'A chain stops at VIGIL_MAX_UNWRITTEN_MIB.',
        ),
        ...workers.rows.flatMap(({ name, shards }) =>
          shards === 0
            ? [`Worker ${name} has no alerts; run select citus_rebalance_start() to give it some.`]
            : [],
        ),
        ...(undone.length > 0
          ? [`${undone.join(', ')} is not distributed, alerts are; run vigil migrate --citus again.`]
          : []),
        ...(triggers.rows.length === 0
          ? [
              'Transactions over a worker and the coordinator are not atomic; run vigil migrate --citus again.',
            ]
          : []),
        ...missing.map((name) => `The function ${name} is missing; run vigil migrate --citus again.`),
      ],
    };
  } finally {
    void client.end().catch(() => undefined);
  }
}

type Waiting = { findings: string; since: string; size: string; tenants: string[] };

const maxTenantsNamed = 20;

function nameTenants(ids: readonly string[]): string {
  const named = ids.slice(0, maxTenantsNamed).join(', ');
  const more = ids.length - maxTenantsNamed;
  return `${ids.length === 1 ? 'tenant' : 'tenants'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Workers ask each other only where the coordinator reaches all, because one that hangs would hold each of them up for long. */
async function readLinks(connectionString: string, client: pg.Client): Promise<Link[]> {
  const { rows: workers } = await client.query<{ host: string; port: number }>(
    `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary'
      order by 1, 2`,
  );
  const reached = await findReached(connectionString, workers);
  if (reached.length < workers.length)
    return workers
      .filter((worker) => !reached.includes(worker))
      .map(({ host, port }) => ({
        from: 'coordinator',
        to: `${host}:${port}`,
        isUp: false,
        isCoordinator: true,
      }));
  const links = await client.query<Link>(
    `select c.from_nodename || ':' || c.from_nodeport as "from", c.to_nodename || ':' || c.to_nodeport as "to",
        coalesce(c.result, false) as "isUp", n.groupid = 0 as "isCoordinator"
      from citus_check_cluster_node_health() c
      join pg_dist_node n on n.nodename = c.from_nodename and n.nodeport = c.from_nodeport order by 1, 2`,
  );
  return links.rows;
}

type Link = { from: string; to: string; isUp: boolean; isCoordinator: boolean };

/** A worker that is down neither reaches others nor is reached, which is one fault. */
function linkFaults(links: readonly Link[]): string[] {
  const down = new Set(links.flatMap(({ to, isUp, isCoordinator }) => (isCoordinator && !isUp ? [to] : [])));
  return [
    ...Array.from(
      down,
      (name) =>
        `Worker ${name} cannot be reached; its tenants get 503 and their findings wait until it is back.`,
    ),
    ...links
      .filter(({ from, to, isUp }) => !isUp && !down.has(from) && !down.has(to))
      .map(({ from, to }) => `${from} does not reach ${to}; shards cannot move between them.`),
  ];
}
