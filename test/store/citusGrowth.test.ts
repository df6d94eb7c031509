import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { addWorker, drainWorker, printCluster, rebalance } from '../../src/store/db/shards/manageCluster.ts';
import { readCluster } from '../../src/store/db/shards/readCluster.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createWorld } from '../support/createWorld.ts';

const missing = await whyNoCitus();
if (missing) console.warn(`NOT PROVEN on a cluster: ${missing}`);
/** Workers in the end, of 2 in the beginning; with PROVE_ROUNDS=12 in `npm run prove:cluster`. */
const most = Number(process.env.PROVE_ROUNDS ?? 2) > 2 ? 6 : 4;

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let citus: Citus;
let api: TestApi;
const stopping = new AbortController();
const pushed = new Set<string>();
const refused = new Set<string>();
let traffic: Promise<void>[] = [];

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  citus = await startCitus(workspace.folder, { spares: most - 1 });
  const { connection } = citus.coordinator;
  await migrate(connection);
  await expect(addWorker(connection, addressOf(0), () => {})).rejects.toThrow(
    'vigil migrate --citus does that',
  );
  // As many shards as there are workers in the end.
  await distribute(connection, () => {}, most);
  api = await startTestApi({ database: { config: connection, drop: async () => {} } });
  await api.store.query(sql`update plan set detector_rate_limit = 1000000000`);
  for (let n = 0; n < 8; n++) {
    const { tenant, detector } = await createWorld(api);
    await api.ok('PUT', `detector/${detector.id}`, { source: 'EXTERNAL' });
    traffic.push(push(tenant.id, detector.id));
  }
  await until(() => pushed.size > 50);
});

afterAll(async () => {
  stopping.abort();
  await Promise.all(traffic);
  await api?.stop();
  await workspace?.remove();
});

async function push(tenantId: number, detectorId: number): Promise<void> {
  const token = await api.token(tenantId, 'tenant-user');
  for (let n = 0; !stopping.signal.aborted; n++) {
    const alerts = [{ eid: `${tenantId} ${n}`, message: 'Found outside' }];
    const answer = await api.call('POST', `detector/${detectorId}/alert`, { alerts }, { token });
    if (answer.status < 300) pushed.add(answer.body.results[0].uid);
    else
      refused.add(`${answer.status} ${answer.headers.get('retry-after') === null ? '' : 'with Retry-After'}`);
    await sleep(20);
  }
}

const addressOf = (spare: number) => {
  const { host, port } = citus.spares[spare]!.connection;
  return { host, port };
};

const shardsOf = async () => {
  const cluster = await readCluster(citus.url);
  return new Map(cluster?.workers.map(({ name, shards }) => [name, shards]));
};

it('grows beside writes to as many workers as alerts have shards, gives one back, and refuses what cannot be with reasons', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const { connection } = citus.coordinator;
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  for (let spare = 0; spare < most - 2; spare++) await addWorker(connection, addressOf(spare), report);
  const shards = await shardsOf();
  expect([...shards.values()]).toEqual(Array.from({ length: most }, () => 1));
  expect(lines).toContain('Moved 1 of 1 shards.');

  const known = addressOf(0);
  await expect(addWorker(connection, known, report)).rejects.toThrow('is a worker already, with 1 shards');
  await expect(addWorker(connection, addressOf(most - 2), report)).rejects.toThrow(
    'another one would get none',
  );
  const stranger = { host: '/nowhere', port: 1 };
  await expect(drainWorker(connection, stranger, report)).rejects.toThrow(
    /no worker of this cluster. Its workers: /,
  );

  await drainWorker(connection, known, report);
  expect((await shardsOf()).get(`${known.host}:${known.port}`)).toBe(0);
  lines.length = 0;
  await printCluster(connection, report);
  expect(lines).toContainEqual(
    expect.stringMatching(`^${known.host}:${known.port}: up, takes no shards, 0 shards, `),
  );
  expect(lines).toContain(`Alerts have ${most} shards: at most ${most} workers can have some.`);
  expect(lines.at(-1)).toBe('No shards are moving.');
  await addWorker(connection, known, report);
  expect((await shardsOf()).get(`${known.host}:${known.port}`)).toBe(1);
  lines.length = 0;
  await rebalance(connection, report);
  expect(lines).toEqual(['No shard has to move.']);

  const env = { DATABASE_URL: citus.url };
  const run = (...args: string[]) => workspace.run(['cluster', ...args], workspace.folder('command'), env);
  expect(await run('status')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No shards are moving.'),
  });
  const again = await run('add', `${known.host}:${known.port}`);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is a worker already') });
  expect(await run('drain', 'no:where')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no address'),
  });

  await citus.workers[0]!.kill();
  try {
    await expect(drainWorker(connection, known, report)).rejects.toThrow('shards cannot move until all do');
    lines.length = 0;
    await printCluster(connection, report);
    expect(lines).toContainEqual(expect.stringContaining(': cannot be reached, 1 shards'));
  } finally {
    await citus.workers[0]!.start();
  }

  const before = pushed.size;
  await until(() => pushed.size > before + 50);
  stopping.abort();
  await Promise.all(traffic);
  traffic = [];
  expect([...refused].filter((kind) => kind !== '503 with Retry-After')).toEqual([]);
  const stored = await api.store.query<{ uid: string }>(sql`select uid::text from alert`);
  const uids = new Set(stored.map(({ uid }) => uid));
  expect(uids.size).toBe(stored.length);
  expect([...pushed].filter((uid) => !uids.has(uid))).toEqual([]);
  expect(await verifyRollups(api.store)).toEqual([]);
});
