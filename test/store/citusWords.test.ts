import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAlertWriter } from '../../src/alerts/createAlertWriter.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import type { Store } from '../../src/store/db/db.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { findShardGroups } from '../../src/store/db/shards/findShardGroups.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { createMortalStore } from '../watch/support/mortalStore.ts';

const missing = await whyNoCitus();
const chainUid = 'anvil';
/** Processes that die after their first commit, after their second one, and so on. */
const lives = 5;
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let citus: Citus;
let api: TestApi;
/** Tenants of both workers, and two of one shard. */
const worlds: World[] = [];

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  citus = await startCitus(workspace.folder);
  const { connection } = citus.coordinator;
  await migrate(connection);
  await distribute(connection, () => {}, 4);
  api = await startTestApi({ database: { config: connection, drop: async () => {} } });
  for (let n = 0; n < 5; n++) worlds.push(await createWorld(api));
  const groups = await findShardGroups(
    api.store,
    worlds.map(({ tenant }) => tenant.id),
  );
  expect(new Set(groups.values()).size).toBe(2);
});

afterAll(async () => {
  await api?.stop();
  await workspace?.remove();
});

/** What a block has for each tenant: a word of its own, and one that all blocks have. */
function findingsOf(block: number): Finding[] {
  return worlds.map(({ tenant, project, contract, detector }) => ({
    tenantId: tenant.id,
    projectId: project.id,
    contractId: contract.id,
    detectorId: detector.id,
    kind: 'detector',
    group: 'SECURITY',
    severity: 'HIGH',
    timestamp: Date.now(),
    key: `${block}`,
    eid: `${block}`,
    name: 'Drained',
    message: `Vault zebra${block} drained`,
    meta: {},
    tags: [],
  }));
}

async function writeBlock(store: Store, block: number): Promise<void> {
  const writer = createAlertWriter({
    store,
    shardGroups: async () => findShardGroups,
    alertHooks: [],
    minedHooks: [],
    retractionHooks: [],
    now: Date.now,
    onGroupFailure: () => {},
  });
  const findings = findingsOf(block);
  await writer
    .commit(chainUid, async () => ({
      result: undefined,
      writes: [{ type: 'raise', of: 'blocks', findings }],
    }))
    .catch(() => undefined);
  await writer.stop();
}

it('the words of a block are in the dictionary with its alerts, also where a process dies after the commit', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  for (let block = 1; block <= lives; block++) {
    let left = block;
    await writeBlock(
      createMortalStore(api.store, (moment) => moment === 'after a transaction' && --left === 0),
      block,
    );
  }
  // One that lives writes what the others have left, and then knows the words of all.
  await writeBlock(api.store, lives + 1);
  await until(async () => (await api.store.query(sql`select from group_write`)).length === 0);
  for (const { tenant } of worlds) {
    const token = await api.token(tenant.id, 'tenant-viewer');
    const found = async (query: string): Promise<string[]> => {
      const { data } = await api.ok('POST', 'alert/search', { query, size: 100 }, { token });
      return data.map(({ message }: { message: string }) => message).sort();
    };
    const messages = Array.from({ length: lives + 1 }, (_, n) => `Vault zebra${n + 1} drained`);
    expect(await found('message:zeb*')).toEqual(messages);
    expect(await found('message:?ebra2')).toEqual([messages[1]]);
    expect(await found('message:drai*')).toEqual(messages);
    const [counted] = await api.store.query(
      sql`select f.words::int as stored, (select count(*)::int from alert_word w
          where w.tenant_id = ${tenant.id} and w.field = f.field) as counted
        from alert_word_field f where f.tenant_id = ${tenant.id} and f.field = 2`,
    );
    expect(counted).toEqual({ stored: lives + 3, counted: lives + 3 });
  }
});
