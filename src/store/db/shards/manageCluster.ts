import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { distributedTables } from '../citus/distributedTables.ts';
import { type Connection, openClient } from '../openClient.ts';

type Report = (line: string) => void;
type Address = { host: string; port: number };
type Worker = Address & {
  name: string;
  isActive: boolean;
  takesShards: boolean;
  shards: number;
  bytes: number;
};

/** Thrown where the cluster does not allow what was asked for; the message says why, and what to do. */
class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
}

const [leading] = distributedTables;

/** Prints each worker with what it has, and the moves of shards that are under way. */
export async function printCluster(config: Connection, report: Report): Promise<void> {
  await withCluster(config, async (client) => {
    const workers = await readWorkers(client);
    const unreachable = await findUnreachable(client);
    for (const worker of workers) report(describe(worker, unreachable));
    const total = workers.reduce((sum, { shards }) => sum + shards, 0);
    report(`Alerts have ${total} shards: at most ${total} workers can have some.`);
    const job = await readJob(client);
    if (job && isUnderWay(job)) report(describeJob(job));
    else report('No shards are moving.');
  });
}

/** Makes a server a worker and moves shards to it, while Vigil runs. */
export async function addWorker(config: Connection, address: Address, report: Report): Promise<void> {
  await withCluster(config, async (client) => {
    const name = nameOf(address);
    const workers = await readWorkers(client);
    await refuseWhileMoving(client);
    await refuseUnreachable(client);
    const known = workers.find((worker) => worker.name === name);
    if (known?.takesShards)
      throw new ClusterRefusal(`${name} is a worker already, with ${known.shards} shards.`);
    const shards = workers.reduce((sum, worker) => sum + worker.shards, 0);
    const others = workers.filter(({ takesShards }) => takesShards).length;
    if (others >= shards)
      throw new ClusterRefusal(
        `Alerts have ${shards} shards on ${others} workers, so that another one would get none. The number is chosen ` +
          'by the first vigil migrate --citus (--shards); tenants beyond belong to another installation.',
      );
    if (known) await setTakesShards(client, address, true);
    else await addNode(client, address);
    report(`${name}: added`);
    await moveShards(client, report);
  });
}

/** Moves all shards away from a worker, which then can be stopped. */
export async function drainWorker(config: Connection, address: Address, report: Report): Promise<void> {
  await withCluster(config, async (client) => {
    const name = nameOf(address);
    const workers = await readWorkers(client);
    const worker = workers.find((each) => each.name === name);
    if (!worker)
      throw new ClusterRefusal(
        `${name} is no worker of this cluster. Its workers: ${workers.map((each) => each.name).join(', ')}.`,
      );
    if (!workers.some((each) => each !== worker && each.takesShards))
      throw new ClusterRefusal(`${name} is the only worker that takes shards; add another one first.`);
    await refuseWhileMoving(client);
    await refuseUnreachable(client);
    await setTakesShards(client, address, false);
    await moveShards(client, report, true);
    report(
      `${name}: has no alerts any more. Stop it after: select citus_remove_node('${address.host}', ${address.port}); ` +
        'vigil cluster add takes it back instead.',
    );
  });
}

/** Spreads shards evenly over the workers. */
export async function rebalance(config: Connection, report: Report): Promise<void> {
  await withCluster(config, async (client) => {
    const job = await readJob(client);
    // Of a run that was ended: the moves go on without it.
    if (job && isUnderWay(job)) return watchJob(client, job.id, report);
    await refuseUnreachable(client);
    await moveShards(client, report);
  });
}

async function withCluster(config: Connection, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = openClient({ ...config, statement_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  try {
    const extension = await client.query(`select from pg_extension where extname = 'citus'`);
    const isDistributed =
      extension.rowCount !== 0 &&
      (
        await client.query(
          `select from pg_dist_partition where logicalrelid = to_regclass($1) and partmethod = 'h'`,
          [leading],
        )
      ).rowCount !== 0;
    if (!isDistributed)
      throw new ClusterRefusal(
        'Alerts are not distributed in this database; vigil migrate --citus does that.',
      );
    await work(client);
  } finally {
    await client.end();
  }
}

async function readWorkers(client: pg.Client): Promise<Worker[]> {
  const { rows } = await client.query<Worker & { bytes: string }>(
    `select n.nodename as host, n.nodeport as port, n.nodename || ':' || n.nodeport as name, n.isactive as "isActive",
        n.shouldhaveshards as "takesShards", count(s.shardid)::int as shards,
        coalesce((select sum(z.shard_size) from citus_shards z
          where z.nodename = n.nodename and z.nodeport = n.nodeport), 0) as bytes
      from pg_dist_node n left join pg_dist_placement p on p.groupid = n.groupid
      left join pg_dist_shard s on s.shardid = p.shardid and s.logicalrelid = $1::regclass
      where n.groupid <> 0 and n.noderole = 'primary' group by n.nodename, n.nodeport, n.isactive, n.shouldhaveshards
      order by 3`,
    [leading],
  );
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

async function findUnreachable(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select to_nodename || ':' || to_nodeport as name from citus_check_cluster_node_health()
      where result is not true group by 1`,
  );
  return new Set(rows.map(({ name }) => name));
}

async function refuseUnreachable(client: pg.Client): Promise<void> {
  const unreachable = await findUnreachable(client);
  if (unreachable.size > 0)
    throw new ClusterRefusal(
      `Not every server reaches ${[...unreachable].join(', ')}; shards cannot move until all do.`,
    );
}

async function refuseWhileMoving(client: pg.Client): Promise<void> {
  const job = await readJob(client);
  if (job && isUnderWay(job))
    throw new ClusterRefusal(
      `${describeJob(job)} Wait for it: vigil cluster rebalance shows it until its end.`,
    );
}

async function addNode(client: pg.Client, { host, port }: Address): Promise<void> {
  try {
    await client.query('select citus_add_node($1, $2)', [host, port]);
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError)) throw cause;
    throw new ClusterRefusal(
      `${host}:${port} cannot become a worker: ${cause.message}. It needs the same PostgreSQL and Citus, this ` +
        'database with the extension citus, and to admit this coordinator and all workers as this user.',
      { cause },
    );
  }
}

async function setTakesShards(
  client: pg.Client,
  { host, port }: Address,
  takesShards: boolean,
): Promise<void> {
  await client.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', $3)`, [
    host,
    port,
    takesShards,
  ]);
}

/** Starts the moves, which the coordinator makes in the background, and watches them. */
async function moveShards(client: pg.Client, report: Report, isDrain = false): Promise<void> {
  const { rows: plan } = await client.query<{ moves: number; bytes: string | null }>(
    `select count(distinct (sourcename, sourceport, targetname, targetport, shardid))::int as moves,
        sum(shard_size) as bytes
      from get_rebalance_table_shards_plan(drain_only => $1) where table_name = $2::regclass`,
    [isDrain, leading],
  );
  const { moves = 0 } = plan[0] ?? {};
  if (moves === 0) {
    report('No shard has to move.');
    return;
  }
  report(`${moves} shards move; each one's tenants wait for a moment at its end.`);
  const { rows } = await client.query<{ id: string }>(
    'select citus_rebalance_start(drain_only => $1) as id',
    [isDrain],
  );
  await watchJob(client, rows[0]?.id ?? '', report);
}

type Job = {
  id: string;
  state: string;
  tasks: Record<string, number>;
  error: string | null;
};

const pollMs = 1000;

async function readJob(client: pg.Client): Promise<Job | undefined> {
  const { rows } = await client.query<Job>(
    `select j.job_id as id, j.state,
        coalesce((select json_object_agg(status, count) from (
          select t.status::text, count(*) from pg_dist_background_task t
          where t.job_id = j.job_id group by 1) c), '{}') as tasks,
        (select string_agg(distinct btrim(t.message), ' ') from pg_dist_background_task t
          where t.job_id = j.job_id and t.status in ('error', 'unscheduled')) as error
      from pg_dist_background_job j where j.job_type = 'rebalance' order by j.job_id desc limit 1`,
  );
  return rows[0];
}

const isUnderWay = ({ state }: Job) => ['scheduled', 'running', 'cancelling', 'failing'].includes(state);

async function watchJob(client: pg.Client, id: string, report: Report): Promise<void> {
  let last = '';
  for (;;) {
    const job = await readJob(client);
    if (!job || job.id !== id) return;
    const line = describeJob(job);
    if (line !== last) report(line);
    last = line;
    if (!isUnderWay(job)) {
      if (job.state === 'finished') return;
      throw new ClusterRefusal(
        `The moves ended as ${job.state}${job.error ? `: ${job.error}` : ''}. ` +
          'What was moved stays; run the command again.',
      );
    }
    await sleep(pollMs);
  }
}

function describeJob({ tasks }: Job): string {
  const total = Object.values(tasks).reduce((sum, count) => sum + count, 0);
  return `Moved ${tasks.done ?? 0} of ${total} shards.`;
}

function describe(
  { name, isActive, takesShards, shards, bytes }: Worker,
  unreachable: ReadonlySet<string>,
): string {
  const state = unreachable.has(name)
    ? 'cannot be reached'
    : isActive
      ? takesShards
        ? 'up'
        : 'up, takes no shards'
      : 'not active';
  return `${name}: ${state}, ${shards} shards, ${(bytes / 2 ** 30).toFixed(1)} GB`;
}

const nameOf = ({ host, port }: Address) => `${host}:${port}`;
