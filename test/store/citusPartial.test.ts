import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { findShardGroups } from '../../src/store/db/shards/findShardGroups.ts';
import { readCluster } from '../../src/store/db/shards/readCluster.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createWorld } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

const missing = await whyNoCitus();
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let citus: Citus;
let api: TestApi;
/** The worker of each tenant. */
let groups: Map<number, number>;

const perTenant = 12;

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  citus = await startCitus(workspace.folder);
  const { connection } = citus.coordinator;
  await migrate(connection);
  await distribute(connection, () => {});
  api = await startTestApi({ database: { config: connection, drop: async () => {} } });
  const tenants: number[] = [];
  do {
    tenants.push(await raiseSome());
    groups = await findShardGroups(api.store, tenants);
  } while (new Set(groups.values()).size < 2);
});

afterAll(async () => {
  await api?.stop();
  await workspace?.remove();
});

async function raiseSome(): Promise<number> {
  const { tenant, project, contract, detector } = await createWorld(api);
  await raiseAll(
    api.store,
    Array.from({ length: perTenant }, (_, n) => ({
      tenantId: tenant.id,
      projectId: project.id,
      contractId: contract.id,
      detectorId: detector.id,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp: Date.now() - 1000 * n,
      key: `partial ${tenant.id} ${n}`,
      eid: `late-${n}`,
      name: 'late',
      message: `Found ${n}`,
      meta: {},
      tags: ['some'],
    })),
  );
  return tenant.id;
}

it('an administrator finds what other workers have while one hangs, and reads which one is missing', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const searches = [
    {},
    { query: 'name:late' },
    { query: 'Found' },
    { from: 5 },
    { query: 'name:late', from: 3, size: 4 },
    { sort: [{ field: 'numericSeverity', order: 'asc' }] },
  ];
  const kept = [...groups].filter(([, group]) => group === 2).map(([id]) => id);
  const [lost] = [...groups].flatMap(([id, group]) => (group === 1 ? [id] : []));
  const token = await api.token(lost!, 'tenant-viewer');
  const goOn = await citus.workers[0]!.hang();
  try {
    for (const search of searches) {
      const { total, data, partial } = await api.ok('POST', 'alert/search', { size: 100, ...search });
      expect({ search, total, partial }).toEqual({
        search,
        total: perTenant * kept.length,
        partial: ['worker 1'],
      });
      expect(data.length).toBeGreaterThan(0);
      expect(data.filter(({ tenantId }: Json) => !kept.includes(tenantId))).toEqual([]);
    }
    // A tenant has nothing else to find, so that it gets no part that would look like all.
    const own = await api.call('POST', 'alert/search', {}, { token });
    expect(own.status).toBe(503);
    expect(own.body.detail).toMatch(/^The database worker 1, .* does not answer/);
  } finally {
    goOn();
  }
  await until(async () => {
    const { status, body } = await api.call('POST', 'alert/search', {});
    return status === 200 && !('partial' in body) && body.total === perTenant * groups.size;
  });
});

it('a tenant reads that its findings wait for a worker, and no other tenant does', async ({ skip }) => {
  skip(missing !== undefined, missing);
  const [waiting, other] = [...groups.keys()];
  await api.store.query(
    sql`insert into group_write (chain_uid, shard_group, writes, findings, retracts, at, tenant_ids)
      values ('anvil', 1, '[]', 3, false, ${Date.now() - 60_000}, ${[waiting]}::bigint[])`,
  );
  const faultsOf = async (tenantId: number) => {
    const token = await api.token(tenantId, 'tenant-viewer');
    return (await api.ok('GET', 'fault?kind=tenant', undefined, { token })).data;
  };
  expect(await faultsOf(waiting!)).toMatchObject([
    {
      kind: 'tenant',
      id: waiting,
      tenantId: waiting,
      state: 'LATE',
      reason: expect.stringMatching(/^Findings of 1 block wait, because the database server/),
    },
  ]);
  expect(await faultsOf(other!)).toEqual([]);
  expect((await readCluster(citus.url))?.faults).toEqual([
    expect.stringMatching(
      new RegExp(`^3 findings of chains .* wait for a worker .*, those of tenant ${waiting}\\.`),
    ),
  ]);
});
