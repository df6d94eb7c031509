import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { token, vault } from './support/watchedWorld.ts';

const chain = createSimChain({ chainId: 31337, seed: 1 });
let node: Simulator;
let vigil: TestWatch;
beforeAll(async () => {
  node = await startSimulator({ chain });
  vigil = await startTestWatch({ anvil: { urls: [node.url], startBlock: 1 } });
});
afterAll(async () => {
  await vigil?.stop();
  await node?.stop();
});

async function addTenant(name: string): Promise<{ tenantId: number; contractId: number }> {
  const { id: tenantId } = await vigil.ok('POST', 'tenant', { name });
  const { id: projectId } = await vigil.ok('POST', 'project', { tenantId, name });
  return { tenantId, contractId: await vigil.addContract(vault, { projectId }) };
}

const halts = async (): Promise<Json[]> =>
  (await vigil.alerts('detectorSchemaName:chain_halt')).sort(
    (a, b) => a.timestamp - b.timestamp || a.tenantId - b.tenantId,
  );
const shown = (alerts: readonly Json[]) => alerts.map(({ tenantId, severity }) => [tenantId, severity]);

it('alerts every tenant that watches a chain once when its nodes are gone and once when blocks come again, also after another process took over', async () => {
  const own = await addTenant('Own detector');
  const other = await addTenant('Other');
  const tenants = [vigil.tenantId, other.tenantId];
  await vigil.addContract(token);
  await vigil.addContract(vault);
  await vigil.addDetector(own.contractId, 'chain_halt');
  chain.extend(2);
  const first = vigil.watch();
  await vigil.reached('anvil', 2);
  const stateOf = async () =>
    (await vigil.ok('GET', 'chain')).data.find(({ chainUid }: Json) => chainUid === 'anvil').watchState;
  // A chain of developers that answers may make no block for as long as it likes.
  vigil.skipTime(120_000);
  node.setFaults({ dead: true });
  await until(async () => (await stateOf()) === 'blind');
  const others = async () => (await halts()).filter(({ tenantId }) => tenantId !== own.tenantId);
  expect(await others()).toEqual([]);
  vigil.skipTime(120_000);
  const found = await until(async () => {
    const all = await others();
    return all.length >= 2 ? all : undefined;
  });
  expect(shown(found.filter(({ tenantId }) => tenantId !== own.tenantId))).toEqual(
    tenants.map((id) => [id, 'HIGH']),
  );
  expect(found.find(({ tenantId }) => tenantId === other.tenantId)).toMatchObject({
    name: 'Chain halt',
    contractId: other.contractId,
    chainUid: 'anvil',
    message: expect.stringMatching(
      /^No node of Anvil has answered for \d+ seconds; the last block that was seen is 2\./,
    ),
    meta: { newestBlock: 2, isReachable: false },
  });
  const second = vigil.watch();
  await first.stop();
  await until(async () => vigil.watchLog.filter((line) => line.includes('Following the chain')).length === 2);
  vigil.skipTime(300_000);
  const third = vigil.watch();
  await second.stop();
  await until(async () => vigil.watchLog.filter((line) => line.includes('Following the chain')).length === 3);
  vigil.skipTime(300_000);
  node.setFaults({});
  chain.extend(2);
  await vigil.reached('anvil', 4);
  await until(async () => (await others()).length >= 4);
  expect(shown(await others())).toEqual([
    ...tenants.map((id) => [id, 'HIGH']),
    ...tenants.map((id) => [id, 'INFO']),
  ]);
  // Whose own detector reports it is not alerted twice.
  const reported = (await halts()).filter(
    ({ tenantId, severity }) => tenantId === own.tenantId && severity === 'HIGH',
  );
  expect(reported.every(({ detectorId }) => detectorId !== null)).toBe(true);
  await third.stop();
});
