import type { Citus } from '../../testing/startCitus.ts';
import { until } from '../../testing/until.ts';

/**
 * Reads while a worker has prepared these rows of a tenant but not committed them, as if the coordinator were between the two, and
 * commits them once the read waits for them.
 */
export async function whilePrepared<T>(
  { coordinator, workers }: Citus,
  rows: { tenantId: number; table: string; condition: string },
  read: () => Promise<T>,
): Promise<T> {
  const { tenantId, table, condition } = rows;
  const [found] = await coordinator.ask(
    `select p.shardid, n.nodename from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid
      where p.shardid = get_shard_id_for_distribution_column('${table}', ${tenantId})`,
  );
  const worker = workers.find(({ connection }) => connection.host === found?.nodename);
  if (!found || !worker) throw new Error(`No worker has the tenant ${tenantId}.`);
  // The rows are another tenant's until they are committed.
  const give = (from: number, to: number) =>
    `update ${table}_${String(found.shardid)} set tenant_id = ${to} where tenant_id = ${from} and ${condition}`;
  await worker.ask(give(tenantId, -tenantId));
  // Of a node that no one knows, so that Citus does not roll it back.
  const gid = `citus_99_1_${Date.now()}_1`;
  await worker.ask(`begin; ${give(-tenantId, tenantId)}; prepare transaction '${gid}'`);
  const [start] = await worker.ask('select now()::text as at');
  let isDone = false;
  const reading = read().finally(() => {
    isDone = true;
  });
  const isWaiting = async () => {
    const asked = await worker.ask(
      `select from pg_stat_activity where query like '%pg_prepared_xact%' and query_start > '${String(start?.at)}'
        and pid <> pg_backend_pid()`,
    );
    return asked.length > 0;
  };
  reading.catch(() => {});
  await until(async () => isDone || (await isWaiting()));
  await worker.ask(`commit prepared '${gid}'`);
  return reading;
}
