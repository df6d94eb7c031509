import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/runtime/config/loadConfig.ts';
import { type App, startApp } from '../../src/runtime/startApp.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { createClient, type TestClient } from '../../testing/createClient.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

const token = 'an-administrator-of-the-tests-0123456789';
const key = 'k3y0123456789abcdef';
/** Well below the time after which endpoints are read without a notification. */
const soonMs = 10_000;

let place: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let anvil: Anvil;
const lines: string[] = [];
const apps: App[] = [];
let client: TestClient;

async function start(roles: string): Promise<App> {
  const config = loadConfig({
    VIGIL_DATA_DIR: place,
    VIGIL_PORT: '0',
    VIGIL_ADMIN_TOKEN: token,
    DATABASE_URL: database.url,
    VIGIL_ROLES: roles,
    VIGIL_CHAIN_ANVIL_CONFIRMATIONS: '0',
  });
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const app = await startApp(config, log);
  apps.push(app);
  return app;
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'vigil-endpoints-'));
  [database, anvil] = await Promise.all([createTestDatabase('migrated'), startAnvil()]);
  const api = await start('api');
  client = createClient(api.url, token);
  // The processes that use endpoints are others than the one that is told of them.
  await start('watch,work');
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop()));
  await Promise.all([database.drop(), anvil.stop(), rm(place, { recursive: true })]);
});

const chain = async (): Promise<Json> =>
  (await client.ok('GET', 'chain')).data.find(({ chainUid }: Json) => chainUid === 'anvil');
const path = 'chain/anvil/endpoint';

it('follows a chain as soon as it has an endpoint, stops without one, and loses no block in between', async () => {
  const [owner, heir, third] = anvil.accounts;
  const owned = await anvil.deploy(artifacts.Token, 'Vigil', 'VGL', 18, 10n ** 24n);
  // The block of the deployment, which names the first owner, is not the one with which following starts.
  await anvil.mine();
  const tenant = await client.ok('POST', 'tenant', { name: 'Tenant' });
  const project = await client.ok('POST', 'project', { tenantId: tenant.id, name: 'Project' });
  const contract = await client.ok('POST', 'contract', {
    projectId: project.id,
    name: 'Contract',
    chainUid: 'anvil',
    address: owned.address,
  });
  const { data: schemas } = await client.ok('POST', 'detector/schema/search', {
    where: "name = 'ownership_change'",
  });
  await client.ok('POST', 'detector', { contractId: contract.id, schemaId: schemas[0].id, name: 'Owner' });
  const ownerAlerts = async () =>
    (await client.ok('POST', 'alert/search', { query: 'detectorSchemaName:ownership_change' }))
      .data as Json[];
  expect(await chain()).toMatchObject({ configured: false, followed: false, watchState: 'blind' });
  const inspected = { address: owned.address, chainUid: 'anvil' };
  expect((await client.call('POST', 'contract/inspect', inspected)).status).toBe(409);

  const { uid } = await client.ok('POST', path, { url: `${anvil.url}/?apikey=${key}` });
  const addedAt = performance.now();
  await until(async () => (await chain()).processed !== null, soonMs);
  console.log(`processed a block ${Math.round(performance.now() - addedAt)} ms after the endpoint was added`);
  expect(await chain()).toMatchObject({ configured: true, followed: true });
  expect((await client.call('POST', 'contract/inspect', inspected)).status).toBe(200);
  await owned.send(owner, 'transferOwnership', heir);
  await until(async () => (await ownerAlerts()).length === 1);

  const wallet = await client.ok('POST', 'wallet', {
    allowedCalls: null,
    tenantId: tenant.id,
    name: 'Wallet',
    chainUid: 'anvil',
  });
  await anvil.setBalance(wallet.address, 10n ** 18n);
  const action = await client.ok('POST', 'action', {
    contractId: contract.id,
    walletId: wallet.id,
    name: 'Approve',
    funcSignature: 'approve(address spender, uint256 value)',
    params: [
      { name: 'spender', value: heir },
      { name: 'value', value: '1' },
    ],
  });
  await client.ok('POST', `action/${action.id}/execute`, {});
  await until(async () => {
    const { data } = await client.ok('GET', `action/${action.id}/intent`);
    expect(data[0].state, data[0].reason).not.toBe('FAILED');
    return data[0].state === 'CONFIRMED';
  });

  await client.ok('DELETE', `${path}/${uid}`);
  await until(async () => !(await chain()).followed, soonMs);
  expect(await chain()).toMatchObject({ configured: false, endpoints: [] });
  await owned.send(owner, 'transferOwnership', third);

  // A WebSocket endpoint that is switched on, in place of the one that is gone.
  const next = await client.ok('POST', path, { url: anvil.wsUrl, status: 'DISABLED' });
  expect((await chain()).configured).toBe(false);
  await client.ok('PUT', `${path}/${next.uid}`, { status: 'ACTIVE' });
  await until(async () => (await chain()).followed, soonMs);
  await until(async () => (await ownerAlerts()).length === 2);
});

it('writes no key into the log of any process', () => {
  const log = lines.join('');
  expect(log).toContain('Following the chain');
  expect(log).toContain('The chain has no endpoint any more');
  expect(log).not.toContain(key);
});
