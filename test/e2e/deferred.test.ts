import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { databaseOf } from '../../testing/databaseOf.ts';
import { untilWritten } from '../../testing/isWritten.ts';
import { sized } from '../../testing/proveSize.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { RpcError } from '../../testing/simulator/rpcError.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { until } from '../../testing/until.ts';

const random = createRandom('deferred');
const rounds = Number(process.env.PROVE_ROUNDS ?? sized(1, 10));
const address = `0x${'11'.repeat(20)}`;
const block = { txs: [{ from: `0x${'33'.repeat(20)}`, to: address }] };
/** Slow enough that a tenant's share of a block does not suffice for all of them. */
const slow = 'let x = 0; for (let i = 0; i < 30_000; i++) x += i; return x > 0 && e.value >= 0n';
const detectors = 16;

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let vigil: Vigil;
let dataDir: string;
let env: Record<string, string>;
const chain = createSimChain({ chainId: 31337 });

/** What the node does with calls, and how many of them wait for an answer that never comes. */
let answers: 'whole' | 'error' | 'never' = 'whole';
let waiting = 0;
async function call({ data = '' }: { data?: string }): Promise<string> {
  if (answers === 'error') throw new RpcError(-32603, 'internal error');
  if (answers === 'never') {
    waiting += 1;
    await new Promise(() => {});
  }
  return data.startsWith('0x313ce567') ? `0x${'6'.padStart(64, '0')}` : '0x';
}

beforeAll(async () => {
  [workspace, simulator] = await Promise.all([createWorkspace(), startSimulator({ chain, state: { call } })]);
  dataDir = workspace.folder('data');
  env = { VIGIL_RPC_ANVIL: simulator.wsUrl, VIGIL_CHAIN_ANVIL_START_BLOCK: '1' };
  vigil = await workspace.serve(dataDir, env);
});
afterAll(async () => {
  await vigil.stop();
  await workspace.remove();
  await simulator.stop();
});

it('kill -9 while evaluations are deferred: every block is evaluated once', async () => {
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
    await untilWritten(await databaseOf(dataDir), 'anvil');
    const raised = await rows(
      `select detector_id as id, array_agg(block_number::int order by block_number) as blocks from alert group by 1 order by 1`,
    );
    const all = Array.from({ length: head }, (_, n) => n + 1);
    expect(raised.map(({ blocks }) => blocks)).toEqual(Array.from({ length: detectors }, () => all));
    expect(await rows('select message from watch_fault')).toEqual([]);
  });
  console.log(`${deferred} evaluations were deferred when the process was killed; seed ${random.seed}`);
});

it('kill -9 while a read waits, the first time or again: the observation survives and is raised once', async () => {
  const token = `0x${'44'.repeat(20)}`;
  const { data } = await vigil.post('/project/search', { body: {} });
  const contract = await vigil.post('/contract', {
    body: {
      projectId: data[0]!.id,
      name: 'T',
      chainUid: 'anvil',
      address: token,
    },
  });
  const { id } = await vigil.post('/detector', {
    body: {
      contractId: contract.id,
      schemaName: 'large_transfer',
      name: 'Large',
      config: { threshold: '1000' },
    },
  });
  const move = (amount: bigint) => ({
    txs: [
      { to: token, logs: [{ address: token, topics: [transferTopic, party, party], data: word(amount) }] },
    ],
  });
  await inDatabase(dataDir, async (rows) => {
    const isDeferred = async () =>
      (await rows('select 1 from deferred_evaluation where id = $1', id)).length > 0;
    const killWaiting = async () => {
      const before = waiting;
      answers = 'never';
      await rows('update deferred_evaluation set next_attempt_at = 0');
      return async () => {
        await until(() => waiting > before);
        await vigil.stop('SIGKILL');
      };
    };
    // The first read of a block waits.
    const killFirst = await killWaiting();
    chain.extend([move(5_000_000_000n)]);
    await killFirst();
    answers = 'error';
    vigil = await workspace.serve(dataDir, env);
    await until(isDeferred);
    // So does the read of the evaluation that was kept.
    await (await killWaiting())();
    expect(await isDeferred()).toBe(true);
    answers = 'whole';
    vigil = await workspace.serve(dataDir, env);
    await rows('update deferred_evaluation set next_attempt_at = 0');
    await until(async () => !(await isDeferred()));
    await untilWritten(await databaseOf(dataDir), 'anvil');
    const raised = await rows(
      `select meta->>'amount' as amount, meta ? 'incomplete' as incomplete from alert
        where detector_id = $1 and not tags @> array['fault']`,
      id,
    );
    expect(raised).toEqual([{ amount: '5000', incomplete: false }]);
  });
});

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const party = word(BigInt(`0x${'55'.repeat(20)}`));

async function createDetectors(vigil: Vigil): Promise<void> {
  const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
  const project = await vigil.post('/project', { body: { tenantId: tenant.id, name: 'P' } });
  const contract = await vigil.post('/contract', {
    body: {
      projectId: project.id,
      name: 'C',
      chainUid: 'anvil',
      address,
    },
  });
  const { data } = await vigil.post('/detector/schema/search', { body: { where: "name = 'custom_tx'" } });
  for (let n = 0; n < detectors; n++)
    await vigil.post('/detector', {
      body: {
        contractId: contract.id,
        schemaId: data[0]!.id,
        name: `Slow ${n}`,
        config: { expression: `${slow} // ${n}` },
      },
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
