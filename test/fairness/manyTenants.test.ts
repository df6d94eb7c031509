import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/store/destinations/claimDeliveries.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { recordAt } from '../api/support/newBody.ts';
import { recordEndpoints } from '../api/support/observe.ts';
import { askAll } from '../support/askAll.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { type Statement, statementsOf } from '../support/statementsOf.ts';
import { copyTenants } from './support/copyTenants.ts';

/** For fewer it may be cheaper to read them all. */
const copies = 10_000;
/** A statement about one tenant reads less than this from any table. */
const few = 500;

let api: TestApi;
let world: World;
let client: pg.Client;

beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  client = new pg.Client(api.connection);
  await client.connect();
  // Those of the platform are everybody's.
  await client.query('update license set organisation_id = $1', [world.organisation.id]);
  await copyTenants(client, copies);
  const { tenant, project, contract, detector } = world;
  await raiseAll(
    api.store,
    Array.from({ length: 8 }, (_, n) => ({
      tenantId: tenant.id,
      projectId: project.id,
      contractId: contract.id,
      detectorId: detector.id,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'LOW',
      timestamp: Date.now() - 1000 * n,
      key: String(n),
      eid: `late-${n}`,
      name: 'late',
      message: `Number ${n}`,
      meta: { amount: n },
      tags: [],
    })),
  );
});
afterAll(async () => {
  await client.end();
  await api.stop();
});

it.each(['tenant-manager', 'organisation-manager'] as const)(
  'no request of a %s reads the records of thousands of other tenants',
  async (role) => {
    const token = await api.token(world.tenant.id, role);
    const statements = await statementsOf(reading, async () => {
      await askAll(api, world, token);
      for (const { path } of recordEndpoints.filter((endpoint) => endpoint.path.endsWith('/search')))
        for (const body of [{}, { size: 0, trackTotal: true }, { where: `id = ${world.project.id}` }])
          await api.call('POST', path.slice(1), body, { token });
    });
    expect(statements.length).toBeGreaterThan(100);
    expect(await faultsOf(statements)).toEqual([]);
  },
);

it('nothing that is deleted is looked for among the records of thousands of other tenants', async () => {
  let deleted = 0;
  const statements = await statementsOf(reading, async () => {
    for (const role of ['tenant-manager', 'organisation-manager'] as const) {
      const token = await api.token(world.tenant.id, role);
      for (const { path } of recordEndpoints.filter(({ method }) => method === 'DELETE').toReversed()) {
        const record = path.slice(1).replace('{id}', recordAt(world, path).id);
        const { status } = await api.call('DELETE', record, undefined, { token });
        if (status === 200) deleted++;
      }
    }
  });
  expect(deleted).toBeGreaterThan(15);
  expect(await faultsOf(statements)).toEqual([]);
});

it('no delivery is looked for among destinations that only wait for another attempt', async () => {
  const now = Date.now();
  await client.query(
    `insert into delivery_queue (tenant_id, id, destination_id, next_attempt_at)
      select tenant_id, -id, id, $1::bigint + 3600000 from destination where status = 'ACTIVE'`,
    [now],
  );
  await client.query('analyze delivery_queue');
  const limits = { now, busy: new Map(), limit: 100, mailLimit: 0, hasMail: false };
  const statements = await statementsOf(reading, async () => void (await claimDeliveries(api.store, limits)));
  expect(statements).toHaveLength(1);
  expect(await faultsOf(statements)).toEqual([]);
});

/** But for those that only insert. */
const reading = /^\s*(select|with|update|delete)\b/i;

async function faultsOf(statements: readonly Statement[]): Promise<string[]> {
  const faults: string[] = [];
  for (const statement of statements)
    for (const fault of await readRows(statement))
      faults.push(`${fault}: ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 600)}`);
  return faults;
}

// PostgreSQL 18 may search an index tenant by tenant.
const reads = [
  'Actual Rows',
  'Rows Removed by Filter',
  'Rows Removed by Index Recheck',
  'Index Searches',
] as const;
type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Node[];
} & { [name in (typeof reads)[number] | 'Actual Loops']?: number };

/** From which tables and indexes a statement reads many rows. */
async function readRows({ text, values }: Statement): Promise<string[]> {
  await client.query('begin');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
      text: `explain (analyze, timing off, format json) ${text}`,
      values,
    });
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => manyRows(Plan)));
  } catch (error) {
    // It has been done, and would be a second of its name; or it asked a worker of Citus for its shard.
    if (error instanceof pg.DatabaseError && /^(23505|42P01)$/.test(error.code ?? '')) return [];
    throw error;
  } finally {
    await client.query('rollback');
  }
}

function manyRows(node: Node): string[] {
  const { 'Node Type': type, 'Actual Loops': loops = 1, Plans = [] } = node;
  const place = node['Relation Name'] ?? node['Index Name'];
  const read = loops * reads.reduce((sum, name) => sum + (node[name] ?? 0), 0);
  // PostgreSQL's own tables have nothing of tenants.
  const isMany = read >= few && place !== undefined && !place.startsWith('pg_');
  return [...(isMany ? [`${type} of ${read} rows of ${place}`] : []), ...Plans.flatMap(manyRows)];
}
