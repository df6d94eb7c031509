import pg from 'pg';

/** A server that copies another one. `state` is hidden from roles that may not see it. */
type Follower = { name: string; state: string | null; sync: string | null; lagBytes: number | null };

type NodeState = {
  standbys: Follower[];
  synchronousNames: string;
  connections: number;
  maxConnections: number;
  /** Undefined where PostgreSQL has no such setting. */
  plugins?: string | null;
  /** Processes of Vigil that are connected. */
  processes: number;
  clockMs: number;
};

/** A server of a cluster; `state` is missing where it cannot be reached. */
export type ClusterNode = {
  groupId: number;
  host: string;
  port: number;
  state?: (NodeState & { /** Beyond the time that the question took. */ clockOffsetMs: number }) | undefined;
};

export type Nodes = {
  nodes: ClusterNode[];
  /** Parameters of the connections between them; undefined where the role may not see them. */
  connectionInfo?: string | undefined;
};

/** A worker that hangs must not hold up what is said about the others. */
const reachMs = 1000;
const answerMs = 2000;

const readState = `select json_build_object(
  'standbys', (select coalesce(json_agg(json_build_object('name', r.application_name, 'state', r.state,
      'sync', r.sync_state, 'lagBytes', case when not pg_is_in_recovery()
        then pg_wal_lsn_diff(pg_current_wal_lsn(), r.replay_lsn)::float8 end) order by r.application_name), '[]')
    from pg_stat_replication r left join pg_replication_slots s on s.active_pid = r.pid
    where s.slot_type is distinct from 'logical' and r.state is distinct from 'backup'),
  'synchronousNames', current_setting('synchronous_standby_names'),
  'connections', (select count(*) from pg_stat_activity where backend_type = 'client backend'),
  'maxConnections', current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int,
  'plugins', (select setting from pg_settings where name = 'output_plugin_libraries'),
  'processes', (select count(*) from pg_stat_activity where application_name = 'vigil listen'),
  'clockMs', extract(epoch from clock_timestamp()) * 1000) as state`;

/**
 * The coordinator and the workers, as the coordinator sees them; undefined where nothing is distributed. Takes at most a few
 * seconds, whatever hangs.
 */
export async function readNodes(connectionString: string): Promise<Nodes | undefined> {
  return withClient(connectionString, async (client) => {
    const tables = await client.query(`select from pg_class where oid = to_regclass('pg_dist_node')`);
    if (tables.rowCount === 0) return undefined;
    const { rows: nodes } = await client.query<ClusterNode>(
      `select groupid as "groupId", nodename as host, nodeport as port from pg_dist_node
        where noderole = 'primary' order by groupid, nodename`,
    );
    const workers = nodes.filter(({ groupId }) => groupId !== 0);
    if (workers.length === 0) return undefined;
    const reached = await findReached(connectionString, workers);
    const coordinator = nodes.find(({ groupId }) => groupId === 0);
    const own = await timed(async () => (await client.query<{ state: NodeState }>(readState)).rows);
    if (coordinator) coordinator.state = withClock(own.result[0]?.state, own);
    await client.query(`set citus.node_connection_timeout = ${reachMs}`);
    const answers = await timed(async () => {
      const { rows } = await client.query<{ success: boolean; result: string }>(
        'select success, result from master_run_on_worker($1, $2, $3, true)',
        [
          reached.map(({ host }) => host),
          reached.map(({ port }) => port),
          reached.map(() => readState.replaceAll(/\s+/g, ' ')),
        ],
      );
      return rows;
    });
    for (const [index, { success, result }] of answers.result.entries()) {
      const worker = reached[index];
      if (worker && success) worker.state = withClock(JSON.parse(result) as NodeState, answers);
    }
    const { rows } = await client.query<{ setting: string }>(
      `select setting from pg_settings where name = 'citus.node_conninfo'`,
    );
    return { nodes, connectionInfo: rows[0]?.setting };
  });
}

/** The workers that the coordinator can connect to, each asked by a session of its own. */
export async function findReached<Worker extends { host: string; port: number }>(
  connectionString: string,
  workers: readonly Worker[],
): Promise<Worker[]> {
  const answers = await Promise.all(
    workers.map(({ host, port }) =>
      withClient(connectionString, async (client) => {
        await client.query(`set citus.node_connection_timeout = ${reachMs}`);
        const { rows } = await client.query<{ isUp: boolean }>(
          'select citus_check_connection_to_node($1, $2) as "isUp"',
          [host, port],
        );
        return rows[0]?.isUp === true;
      }).catch(() => false),
    ),
  );
  return workers.filter((_, index) => answers[index]);
}

async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; from: number; to: number }> {
  const from = Date.now();
  const result = await work();
  return { result, from, to: Date.now() };
}

/** The clock was read between `from` and `to` of this machine. */
function withClock(
  state: NodeState | undefined,
  { from, to }: { from: number; to: number },
): ClusterNode['state'] {
  if (!state) return undefined;
  const { clockMs } = state;
  const clockOffsetMs = clockMs < from ? clockMs - from : Math.max(0, clockMs - to);
  return { ...state, clockOffsetMs: Math.round(clockOffsetMs) };
}
