import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseOf } from '../../testing/bundledPostgres.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { until } from '../../testing/until.ts';

const random = createRandom('deferred');
const rounds = Number(process.env.PROVE_ROUNDS ?? 4);
const address = `0x${'11'.repeat(20)}`;
const block = { txs: [{ from: `0x${'33'.repeat(20)}`, to: address }] };
/** Slow enough that a tenant's share of a block does not suffice for all of them. */
const slow = 'let x = 0; for (let i = 0; i < 30_000; i++) x += i; return x > 0 && e.value >= 0n';
const detectors = 16;

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
const chain = createSimChain({ chainId: 31337 });
beforeAll(async () => {
  [workspace, simulator] = await Promise.all([createWorkspace(), startSimulator({ chain })]);
});
afterAll(async () => {
  await workspace.remove();
  await simulator.stop();
});

it('kill -9 while evaluations are deferred: every block is evaluated once', {
  timeout: 180_000,
}, async () => {
  const dataDir = workspace.folder('data');
  const env = { VIGIL_RPC_ANVIL: simulator.wsUrl, VIGIL_CHAIN_ANVIL_START_BLOCK: '1' };
  let vigil = await workspace.serve(dataDir, env);
  await createDetectors(vigil);
  let deferred = 0;
  for (let round = 1; round <= rounds; round++) {
    chain.extend(Array.from({ length: 4 }, () => block));
    await inDatabase(dataDir, async (rows) => {
      await until(async () => (await rows('select 1 from deferred_evaluation limit 1')).length > 0);
      await sleep(random.below(300));
      deferred += (await rows('select 1 from deferred_evaluation')).length;
    });
    await vigil.stop('SIGKILL');
    vigil = await workspace.serve(dataDir, env);
  }
  const head = chain.head.number;
  await inDatabase(dataDir, async (rows) => {
    await until(
      async () => (await rows('select 1 from chain_cursor where processed >= $1', head)).length > 0,
    );
    await until(async () => (await rows('select 1 from deferred_evaluation limit 1')).length === 0, 120_000);
    const raised = await rows(
      `select detector_id as id, array_agg(block_number::int order by block_number) as blocks from alert group by 1 order by 1`,
    );
    const all = Array.from({ length: head }, (_, n) => n + 1);
    expect(raised.map(({ blocks }) => blocks)).toEqual(Array.from({ length: detectors }, () => all));
    expect(await rows('select message from watch_fault')).toEqual([]);
  });
  console.log(`${deferred} evaluations were deferred when the process was killed; seed ${random.seed}`);
  await vigil.stop();
});

async function createDetectors(vigil: Vigil): Promise<void> {
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'P' });
  const contract = await vigil.ok('POST', 'contract', {
    projectId: project.id,
    name: 'C',
    chainUid: 'anvil',
    address,
  });
  const { data } = await vigil.ok('POST', 'detector/schema/search', { where: "name = 'custom_tx'" });
  for (let n = 0; n < detectors; n++)
    await vigil.ok('POST', 'detector', {
      contractId: contract.id,
      schemaId: data[0].id,
      name: `Slow ${n}`,
      config: { expression: `${slow} // ${n}` },
    });
}

async function inDatabase(
  dataDir: string,
  work: (rows: (text: string, ...values: unknown[]) => Promise<Record<string, unknown>[]>) => Promise<void>,
): Promise<void> {
  const client = new Client(await databaseOf(dataDir));
  await client.connect();
  try {
    await work(async (text, ...values) => (await client.query(text, values)).rows);
  } finally {
    await client.end();
  }
}
