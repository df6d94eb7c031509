import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { databaseOf } from '../../testing/databaseOf.ts';
import { untilWritten } from '../../testing/isWritten.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { until } from '../../testing/until.ts';

const random = createRandom('conditions');
const rounds = Number(process.env.PROVE_ROUNDS ?? sized(2, 20));

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let anvil: Anvil;
let vault: Contract;
let vigil: Vigil;
let dataDir: string;
let env: Record<string, string>;

beforeAll(async () => {
  [workspace, anvil] = await Promise.all([createWorkspace(), startAnvil()]);
  dataDir = workspace.folder('data');
  vault = await anvil.deploy(artifacts.VaultV1);
  env = { VIGIL_RPC_ANVIL: anvil.wsUrl, VIGIL_CHAIN_ANVIL_START_BLOCK: '2' };
  vigil = await workspace.serve(dataDir, env);
});
afterAll(async () => {
  await vigil?.stop();
  await workspace.remove();
  await anvil?.stop();
});

it('kill -9 while conditions begin and end: each beginning is one alert, and each end is one of INFO', async () => {
  const [owner] = anvil.accounts;
  const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
  const project = await vigil.post('/project', { body: { tenantId: tenant.id, name: 'P' } });
  const contract = await vigil.post('/contract', {
    body: { projectId: project.id, name: 'Vault', chainUid: 'anvil', address: vault.address },
  });
  const config = {
    function: 'value()(uint256)',
    condition: '> 100',
    severity: 'HIGH' as const,
    when: 'block' as const,
  };
  const body = { contractId: contract.id, schemaName: 'contract_call' as const, name: 'Too much', config };
  const { id } = await vigil.post('/detector', { body });
  const begun = Number(await anvil.blockNumber());
  await inDatabase(async (rows) => {
    const processed = async (number: number) =>
      (await rows('select 1 from chain_cursor where processed >= $1', number)).length > 0;
    await anvil.mine();
    await until(() => processed(begun + 1));

    const expected: [string, number][] = [];
    const turn = async (isBegin: boolean) => {
      const { blockNumber } = await vault.send(owner, 'setValue', isBegin ? 101n : 1n);
      expected.push([isBegin ? 'HIGH' : 'INFO', Number(blockNumber)]);
      await anvil.mine(random.below(3));
    };
    for (let round = 1; round <= rounds; round++) {
      // The value turns before the kill, around it, and while no process runs.
      await turn(true);
      await turn(false);
      await turn(true);
      await sleep(random.below(200));
      await vigil.stop('SIGKILL');
      await turn(false);
      if (random.chance(0.5)) {
        await turn(true);
        await turn(false);
      }
      vigil = await workspace.serve(dataDir, env);
    }
    await anvil.mine();
    const head = Number(await anvil.blockNumber());
    await until(() => processed(head));
    await until(async () => (await rows('select 1 from deferred_evaluation limit 1')).length === 0);
    await untilWritten(await databaseOf(dataDir), 'anvil');
    const raised = await rows(
      `select case numeric_severity when 70 then 'HIGH' when 10 then 'INFO' else numeric_severity::text end as severity,
        block_number::int as number from alert where detector_id = $1 order by block_number, numeric_severity`,
      id,
    );
    expect(
      raised.map(({ severity, number }) => [severity, number]),
      `seed ${random.seed}`,
    ).toEqual(expected);
    expect(await rows('select message from watch_fault')).toEqual([]);
  });
  console.log(`${rounds} kills while conditions began and ended; seed ${random.seed}`);
});

async function inDatabase(
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
