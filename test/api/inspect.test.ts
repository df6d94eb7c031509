import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { toEgress } from '../../src/lib/egress.ts';
import { type AbiSources, createAbiSources } from '../../src/services/contracts/createAbiSources.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { publishTriggers } from '../../src/services/detectors/publishTriggers.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';

let anvil: Anvil;
let api: TestApi;
let world: World;
let client: ReturnType<typeof createEvmClient>;
let sources: AbiSources;
let server: Server;
let token: string;
/** What the fake servers were asked, and what they answer by address. */
const asked: string[] = [];
const verified = new Map<string, unknown[]>();
let isBroken = false;

beforeAll(async () => {
  anvil = await startAnvil();
  client = createEvmClient({ chain: chains.anvil, urls: [anvil.url], now: Date.now, onCall: () => {} });
  server = createServer((request, response) => {
    asked.push(request.url!);
    const url = new URL(request.url!, 'http://localhost');
    const address = url.searchParams.get('address') ?? url.pathname.split('/').at(-1)!;
    const abi = verified.get(address);
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (isBroken) reply(500, {});
    // Sourcify answers 404 for a contract that it does not know, Etherscan 200 with the status 0.
    else if (url.pathname.startsWith('/server/'))
      reply(abi ? 200 : 404, abi ? { abi, match: 'match' } : { customCode: 'not_found' });
    else if (abi && url.searchParams.get('apikey') === 'k')
      reply(200, { status: '1', message: 'OK', result: JSON.stringify(abi) });
    else reply(200, { status: '0', message: 'NOTOK', result: 'Contract source code not verified' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  const base = `http://127.0.0.1:${port}`;
  api = await startTestApi({
    chains: {
      isConfigured: (uid) => uid === 'anvil',
      client: (uid) => (uid === 'anvil' ? client : undefined),
    },
    abiSources: { find: (chainUid, address) => sources.find(chainUid, address) },
  });
  sources = createAbiSources({
    db: api.store,
    sources: [
      { kind: 'sourcify', url: `${base}/server` },
      { kind: 'etherscan', url: `${base}/api?apikey=k` },
    ],
    egress: toEgress(loopback),
    now: Date.now,
    log: () => {},
  });
  world = await createWorld(api);
  await publishDetectors(api.store, Date.now());
  await publishTriggers(api.store, Date.now());
  ({ address: token } = await anvil.deploy(artifacts.Token, 'Vigil', 'VGL', 18, 10n ** 24n));
});
afterAll(async () => {
  await sources.close();
  await api.stop();
  await client.close();
  await anvil.stop();
  server.close();
});

const inspect = async (address: string) => {
  const { data } = await api.ok('POST', 'contract/inspect', { address });
  expect(data).toHaveLength(1);
  return data[0];
};

describe('an address is inspected', () => {
  it('an address is inspected on every configured chain, with the kinds of contract that it is', async () => {
    expect(await inspect(token)).toMatchObject({
      chainUid: 'anvil',
      hasCode: true,
      kinds: ['ERC20', 'OWNABLE', 'ACCESS_CONTROL', 'PAUSABLE'],
      proxyKind: null,
      facts: { name: 'Vigil', symbol: 'VGL', decimals: 18, paused: false },
      fault: null,
    });
    const nft = await anvil.deploy(artifacts.TokenNft);
    expect((await inspect(nft.address)).kinds).toEqual(['ERC721']);
    const feed = await anvil.deploy(artifacts.PriceFeed, 8, 200_000_000n);
    expect((await inspect(feed.address)).kinds).toEqual(['PRICE_FEED']);
    expect(await inspect(anvil.accounts[1])).toMatchObject({ hasCode: false, kinds: [] });
  });

  it('an address is inspected behind proxies of several kinds', async () => {
    const vault = await anvil.deploy(artifacts.VaultV1);
    const initialize = vault.encode('initialize', anvil.accounts[0]);
    const proxy = await anvil.deploy(artifacts.ERC1967Proxy, vault.address, initialize);
    const found = await inspect(proxy.address);
    expect([found.proxyKind, found.implementation?.toLowerCase()]).toEqual(['EIP1967', vault.address]);
    expect(found.kinds).toEqual(expect.arrayContaining(['PROXY', 'OWNABLE', 'PAUSABLE']));
    const { address: safe } = await anvil.deploy(artifacts.SafeLike);
    const safeProxy = await anvil.deploy(artifacts.SafeProxy, safe);
    expect((await inspect(safeProxy.address)).kinds[0]).toBe('PROXY');
  });

  it('an inspection is refused for what is no address, or a chain without an endpoint', async () => {
    const wrong = await api.call('POST', 'contract/inspect', { address: '0x12' });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/address']);
    const elsewhere = await api.call('POST', 'contract/inspect', { address: token, chainUid: 'base' });
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([
      409,
      expect.stringContaining('/chain/base/endpoint'),
    ]);
  });
});

describe('recommended detectors', () => {
  const watchToken = () =>
    api.ok('POST', 'contract', {
      projectId: world.project.id,
      name: 'Token',
      chainUid: 'anvil',
      address: token,
    });
  const recommend = (id: number, body: Json, options = {}) =>
    api.call('POST', `contract/${id}/recommend`, body, options);

  it('fit the contract, and a selection is enabled once', async () => {
    const { id } = await watchToken();
    const { body } = await recommend(id, {});
    expect(body.kinds).toContain('ERC20');
    const names = body.data.map(({ schemaName }: Json) => schemaName);
    expect(names).toEqual(expect.arrayContaining(['ownership_change', 'pause_state', 'large_transfer']));
    expect(body.data.every(({ detectorId }: Json) => detectorId === null)).toBe(true);
    const enable = ['ownership_change', 'large_transfer'];
    const [first, second] = await Promise.all([recommend(id, { enable }), recommend(id, { enable })]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const made = [first, second].map(({ body }) => body.data.filter(({ detectorId }: Json) => detectorId));
    expect(made[0].map(({ detectorId }: Json) => detectorId)).toEqual(
      made[1].map(({ detectorId }: Json) => detectorId),
    );
    expect(made.flat().filter(({ isNew }: Json) => isNew)).toHaveLength(2);
    const { data } = await api.ok('POST', 'detector/search', { where: `contractId = ${id}` });
    expect(data.map(({ schema }: Json) => schema.name).sort()).toEqual(['attack_detector', ...enable].sort());
    expect(data.find(({ schema }: Json) => schema.name === 'large_transfer').config).toMatchObject({
      threshold: '10000',
    });
    const unknown = await recommend(id, { enable: ['safe_multisig'] });
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, '/enable/0']);
  });

  it('tell of a halt of the chain on one of its contracts, and not on each', async () => {
    const one = await api.ok('POST', 'contract/search', { where: `address = '${token}'` });
    const { id: other } = await api.ok('POST', 'contract', {
      projectId: world.project.id,
      name: 'Another',
      chainUid: 'anvil',
      address: `0x${'5b'.repeat(20)}`,
    });
    const offers = async (id: number) =>
      (await recommend(id, {})).body.data.map(({ schemaName }: Json) => schemaName);
    expect(await offers(other)).toContain('chain_halt');
    await recommend(one.data[0].id, { enable: ['chain_halt'] });
    expect(await offers(other)).not.toContain('chain_halt');
    expect(await offers(one.data[0].id)).toContain('chain_halt');
  });

  it('stay within the plan, all or none, and belong to the tenant', async () => {
    const { id } = await watchToken().catch(() => ({ id: 0 }));
    const { data } = await api.ok('POST', 'contract/search', { where: `address = '${token}'` });
    const contractId = id || data[0].id;
    const stranger = await createWorld(api);
    const token2 = await api.token(stranger.tenant.id, 'tenant-manager');
    expect((await recommend(contractId, {}, { token: token2 })).status).toBe(404);
    const count = async () =>
      (await api.ok('POST', 'detector/search', { where: `contractId = ${contractId}`, trackTotal: true }))
        .total;
    const before = await count();
    await api.ok('PUT', `plan/${world.plan.id}`, { maxDetectors: 4 });
    const full = await recommend(contractId, {
      enable: ['pause_state', 'access_control_change', 'mixer_funding'],
    });
    expect([full.status, full.body.code]).toEqual([403, 'plan-limit']);
    expect(await count()).toBe(before);
    await api.ok('PUT', `plan/${world.plan.id}`, { maxDetectors: 1000 });
  });
});

describe('ABIs', () => {
  const watch = (address: string) =>
    api.ok('POST', 'contract', { projectId: world.project.id, name: 'C', chainUid: 'anvil', address });
  const abi = [{ type: 'event', name: 'Moved', inputs: [{ type: 'uint256', name: 'amount' }] }];
  const other = (digit: string) => `0x${digit.repeat(40)}`;
  const found = async (address: string) => (await sources.find('anvil', address))?.source;

  it('are looked up at the sources in turn, and asked for once', async () => {
    verified.set(other('7'), abi);
    asked.length = 0;
    expect(await found(other('7'))).toMatch(/^127\.0\.0\.1/);
    expect(asked).toEqual([`/server/v2/contract/31337/${other('7')}?fields=abi`]);
    await found(other('7'));
    await found(other('8'));
    await found(other('8'));
    expect(asked).toHaveLength(3);
    expect(asked[2]).toBe(`/api?apikey=k&chainid=31337&module=contract&action=getabi&address=${other('8')}`);
    const { id } = await watch(other('7'));
    const trigger = { contractId: id, name: 'T', triggerType: 'EVENT_PARAMETER' };
    const conditions = [{ name: 'amount', operator: '>', value: '5' }];
    await api.ok('POST', 'trigger', { ...trigger, params: { signature: 'Moved(uint256)', conditions } });
  });

  it('ABIs of a source that fails are asked for again, and creating a contract goes on without', async () => {
    isBroken = true;
    expect(await found(other('9'))).toBeUndefined();
    await watch(other('9'));
    isBroken = false;
    verified.set(other('9'), abi);
    expect(await found(other('9'))).toBeDefined();
  });

  it('never come from a private address that the operator did not allow', async () => {
    const { port } = server.address() as AddressInfo;
    const faults: object[] = [];
    const guarded = createAbiSources({
      db: api.store,
      sources: [{ kind: 'sourcify', url: `http://127.0.0.1:${port}/server` }],
      egress: toEgress(new BlockList()),
      now: Date.now,
      log: (fields) => void faults.push(fields),
    });
    asked.length = 0;
    expect(await guarded.find('anvil', other('7').replace('7', '6'))).toBeUndefined();
    expect(asked).toEqual([]);
    expect(faults).toMatchObject([{ error: expect.stringContaining('private or reserved network') }]);
    await guarded.close();
  });
});

describe('the catalogue of triggers', () => {
  it('has every kind with the schema of its parameters and examples that can be saved', async () => {
    const { data, total } = await api.ok('POST', 'trigger/schema/search', { size: 100, trackTotal: true });
    expect(total).toBe(15);
    for (const { name, examples, paramsSchema } of data) {
      expect(paramsSchema.type).toBe('object');
      for (const { params } of examples)
        await api.ok('POST', 'trigger', { contractId: world.contract.id, name, triggerType: name, params });
    }
    const one = await api.ok('POST', 'trigger/schema/search', { where: "name = 'ERC20_TRANSFER'" });
    expect(one.data[0]).toMatchObject({ title: 'Token transfer', interceptorType: 'EVENT' });
    expect(one.data[0].metaMembers).toContain('rawAmount');
  });

  it('names the members that exist when one does not', async () => {
    const trigger = { contractId: world.contract.id, name: 'T', triggerType: 'ERC20_TRANSFER' };
    const { status, body } = await api.call('POST', 'trigger', { ...trigger, params: { minimum: '5' } });
    expect([status, body.errors[0].pointer]).toEqual([400, '/params/minimum']);
    expect(body.errors[0].message).toMatch(/It has direction, minAmount, token\./);
  });

  it('detectors and triggers are created by the name of their schema', async () => {
    const detector = { contractId: world.contract.id, name: 'D' };
    const made = await api.ok('POST', 'detector', { ...detector, schemaName: 'pause_state' });
    expect(made.schema.name).toBe('pause_state');
    const wrong = await api.call('POST', 'detector', { ...detector, schemaName: 'pause_stat' });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/schemaName']);
    expect(wrong.body.errors[0].message).toMatch(/did you mean pause_state\? There are .*tvl_drop/);
    const none = await api.call('POST', 'detector', detector);
    expect([none.status, none.body.errors[0].pointer]).toEqual([400, '/schemaId']);
    const both = { ...detector, schemaId: made.schema.id, schemaName: 'tvl_drop' };
    expect((await api.call('POST', 'detector', both)).status).toBe(400);
    const member = await api.call('POST', 'detector', {
      ...detector,
      schemaName: 'pause_state',
      config: { notifyWhen: 'paused' },
    });
    expect(member.body.errors[0].message).toMatch(/It has notifyOn, severity, cooldown/);
  });
});
