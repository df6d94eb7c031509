import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

let anvil: Anvil;
let vigil: TestWatch;
beforeAll(async () => {
  anvil = await startAnvil();
  vigil = await startTestWatch({ anvil: { urls: [anvil.url] } });
});
afterAll(async () => {
  await vigil.stop();
  await anvil.stop();
});

const read = (id: number) => vigil.ok('GET', `contract/${id}`);
const detectorsOf = async (id: number): Promise<Json[]> =>
  (await vigil.ok('POST', 'detector/search', { where: `contractId = ${id}` })).data;

describe('a new contract', () => {
  it('is described by its implementation when it is a proxy of any usual kind, and by none when it is not', async () => {
    const vault = await anvil.deploy(artifacts.VaultV1);
    const plain = vault.address.toLowerCase();
    const initialize = vault.encode('initialize', anvil.accounts[0]);
    const beacon = await anvil.deploy(artifacts.UpgradeableBeacon, plain, anvil.accounts[0]);
    const safe = await anvil.deploy(artifacts.SafeLike);
    const factory = await anvil.deploy(artifacts.Factory);
    const clone = String(await factory.call('clone', plain));
    await factory.send(anvil.accounts[0], 'clone', plain);
    const made: [string, string | null][] = [
      [(await anvil.deploy(artifacts.ERC1967Proxy, plain, initialize)).address, plain],
      [(await anvil.deploy(artifacts.BeaconProxy, beacon.address, initialize)).address, plain],
      [(await anvil.deploy(artifacts.Proxy1822, plain)).address, plain],
      [(await anvil.deploy(artifacts.Proxy897, plain)).address, plain],
      [(await anvil.deploy(artifacts.SafeProxy, safe.address)).address, safe.address.toLowerCase()],
      [clone, plain],
      [plain, null],
      [anvil.accounts[3], null],
    ];
    for (const [address, implementation] of made) {
      const { implementation: found } = await read(await vigil.addContract(address));
      expect(found?.toLowerCase() ?? null, address).toBe(implementation);
    }
  });

  it('is looked into again when it is upgraded', async () => {
    const first = await anvil.deploy(artifacts.VaultV1);
    const second = await anvil.deploy(artifacts.VaultV2);
    const proxy = await anvil.deploy(
      artifacts.ERC1967Proxy,
      first.address,
      first.encode('initialize', anvil.accounts[0]),
    );
    const id = await vigil.addContract(proxy.address);
    await vigil.addDetector(id, 'proxy_upgrade');
    const watching = vigil.watch();
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    const vault = anvil.at(proxy.address, artifacts.VaultV1.abi);
    await vault.send(anvil.accounts[0], 'upgradeToAndCall', second.address, '0x');
    await until(async () => (await read(id)).implementation?.toLowerCase() === second.address.toLowerCase());
    await watching.stop();
  });

  it('is watched by the attack detector, and by the AML detector when that is required, whatever the plan allows', async () => {
    const plan = await vigil.ok('POST', 'plan', {
      name: 'Tiny',
      maxUsers: 1,
      maxContracts: 10,
      maxProjects: 1,
      maxTriggers: 0,
      maxDetectors: 0,
      maxWallets: 0,
      maxActions: 0,
      maxApiKeys: 0,
      detectorRateLimit: 10,
      detectorRateLimitDuration: 1000,
    });
    const tenant = await vigil.ok('POST', 'tenant', { name: 'Small' });
    await vigil.ok('POST', 'subscription', {
      tenantId: tenant.id,
      planId: plan.id,
      expirationDate: Date.now() + 1e9,
    });
    const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Small' });
    const members = { projectId: project.id, amlRequired: true };
    const id = await vigil.addContract('0x00000000000000000000000000000000000000a1', members);
    expect((await detectorsOf(id)).map(({ schema, source }) => [schema.name, source])).toEqual([
      ['attack_detector', 'ATTACK_DETECTOR'],
      ['aml', 'PLATFORM'],
    ]);
    const later = await vigil.addContract('0x00000000000000000000000000000000000000a2', {
      projectId: project.id,
    });
    expect(await detectorsOf(later)).toHaveLength(1);
    for (let times = 0; times < 2; times++) await vigil.ok('PUT', `contract/${later}`, { amlRequired: true });
    expect(await detectorsOf(later)).toHaveLength(2);
  });

  it('a new contract on a chain without endpoints comes with a warning and is listed under that chain', async () => {
    const body = {
      projectId: vigil.projectId,
      name: 'Elsewhere',
      chainUid: 'gnosis',
      address: '0x00000000000000000000000000000000000000a3',
    };
    const answer = await vigil.call('POST', 'contract', body);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('warning')).toMatch(/^199 vigil ".*VIGIL_RPC_GNOSIS/);
    const { data } = await vigil.ok('GET', 'chain');
    const chain = data.find(({ chainUid }: Json) => chainUid === 'gnosis');
    expect(chain).toMatchObject({ configured: false, contracts: 1, unwatched: [{ id: answer.body.id }] });
  });
});
