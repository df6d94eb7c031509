import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seedChainUids } from '../../src/chains/chains.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

const chainId = 424_242;
const added = {
  chainUid: 'my_chain',
  name: 'My Chain',
  network: 'TESTNET',
  chainId,
  currency: { symbol: 'MINE', decimals: 18 },
  blockTimeMs: 1000,
};
const address = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';

let api: TestApi;
let anvil: Anvil;
let tenantId: number;
let projectId: number;
let tenant: string;
beforeAll(async () => {
  anvil = await startAnvil({ args: ['--chain-id', String(chainId)] });
  api = await startTestApi();
  await publishDetectors(api.store, Date.now());
  ({ id: tenantId } = await api.ok('POST', 'tenant', { name: 'Mine' }));
  ({ id: projectId } = await api.ok('POST', 'project', { tenantId, name: 'Mine' }));
  tenant = await api.token(tenantId, 'tenant-manager');
});
afterAll(async () => {
  await api.stop();
  await anvil.stop();
});
afterEach(async () => {
  for (const kind of ['contract', 'wallet'])
    for (const { id } of (await api.ok('POST', `${kind}/search`, {})).data)
      await api.ok('DELETE', `${kind}/${id}`);
  for (const { isOwn, chainUid } of await list()) if (isOwn) await api.ok('DELETE', `chain/${chainUid}`);
});

const list = async (): Promise<Json[]> => (await api.ok('GET', 'chain')).data;
const faultOf = async (body: object, uid?: string) => {
  const answer = await api.call(uid ? 'PUT' : 'POST', uid ? `chain/${uid}` : 'chain', body);
  const [first] = answer.body.errors ?? [];
  return [answer.status, first?.pointer ?? '', first?.message ?? answer.body.detail] as const;
};
const documented = async () =>
  ((await (await fetch(`${api.url}/openapi.json`)).json()) as Json).components.schemas.ChainUid.enum;
const contract = (chainUid: string, members: object = {}) =>
  api.call(
    'POST',
    'contract',
    { projectId, name: 'Token', chainUid, address, ...members },
    { token: tenant },
  );

describe('a chain that an administrator adds', () => {
  it('is listed after the others, read, changed and deleted, each with an entry in the audit log', async () => {
    const made = await api.ok('POST', 'chain', { ...added, endpoints: [anvil.url] });
    expect(made).toMatchObject({
      ...added,
      family: 'evm',
      currency: { symbol: 'MINE', name: 'MINE', decimals: 18 },
      confirmations: 6,
      finality: 'finalized',
      explorer: null,
      genesis: null,
      isOwn: true,
      isFixed: false,
    });
    const listed = await list();
    expect(listed.map(({ chainUid }) => chainUid)).toEqual([...seedChainUids, 'my_chain']);
    expect(listed.at(-1)).toMatchObject({ name: 'My Chain', isOwn: true, canFollow: true, chainId });
    expect(listed[0]).toMatchObject({ chainUid: 'arbitrum', isOwn: false });
    expect((await api.ok('GET', 'chain/my_chain/endpoint')).data).toMatchObject([{ url: anvil.url }]);
    expect(await api.ok('GET', 'chain/my_chain', undefined, { token: tenant })).toEqual(made);

    const changes = {
      name: 'Our Chain',
      confirmations: 3,
      finality: 'safe',
      explorer: {
        address: 'https://scan.example.com/address/{}',
        transaction: 'https://scan.example.com/tx/{}',
      },
    };
    const changed = await api.ok('PUT', 'chain/my_chain', { ...changes, chainId, family: 'evm' });
    expect(changed).toMatchObject({
      ...changes,
      explorer: { ...changes.explorer, block: null },
      currency: made.currency,
    });
    expect(await api.ok('GET', 'chain/my_chain')).toEqual(changed);
    expect(await api.ok('PUT', 'chain/my_chain', { explorer: null })).toMatchObject({
      explorer: null,
      finality: 'safe',
    });

    expect(await api.ok('DELETE', 'chain/my_chain')).toEqual({ chainUid: 'my_chain' });
    expect((await list()).map(({ chainUid }) => chainUid)).toEqual(seedChainUids);
    for (const path of ['chain/my_chain', 'chain/my_chain/endpoint'])
      expect((await api.call('GET', path)).status).toBe(404);
    const { data } = await api.ok('GET', 'audit?kind=chain');
    expect(data.map(({ action }: Json) => action)).toEqual([
      'chain.delete',
      'chain.update',
      'chain.update',
      'chain.create',
    ]);
  });

  it('is taken wherever a chain is named, for every tenant, and refused everywhere before and after', async () => {
    const before = await contract('my_chain');
    expect([before.status, before.body.errors[0].pointer]).toEqual([400, '/chainUid']);
    expect(before.body.errors[0].message).toBe(`must be one of ${seedChainUids.join(', ')}.`);
    await api.ok('POST', 'chain', added);

    const made = await contract('my_chain');
    expect([made.status, made.body.chainUid]).toEqual([201, 'my_chain']);
    const key = '0x00000000000000000000000000000000000000000000000000000000000000a1';
    const own = { token: tenant };
    const wallet = await api.ok(
      'POST',
      'wallet',
      { name: 'Guard', chainUid: 'my_chain', privateKey: key },
      own,
    );
    expect(wallet).toMatchObject({ chainUid: 'my_chain', address: expect.stringMatching(/^0x/) });
    const label = await api.ok(
      'POST',
      'label',
      { chainUid: 'my_chain', address, name: 'Known', tags: ['BRIDGE'] },
      own,
    );
    expect(label.chainUid).toBe('my_chain');
    const found = await api.ok('POST', 'contract/search', { where: "chainUid = 'my_chain'" }, own);
    expect(found.data.map(({ id }: Json) => id)).toEqual([made.body.id]);
    const suggested = await api.ok(
      'GET',
      `suggest?of=label&chainUid=my_chain&address=${address}`,
      undefined,
      own,
    );
    expect(suggested.data.map((one: Json) => one.label)).toContain('Known');
    const schemas = (await api.ok('POST', 'detector/schema/search', { size: 1000 }, own)).data;
    const schemaId = schemas.find(({ name }: Json) => name === 'large_transfer').id;
    const detector = { contractId: made.body.id, name: 'Large', schemaId, config: { threshold: '1' } };
    expect((await api.call('POST', 'detector', detector, own)).status).toBe(201);
    expect((await api.ok('GET', `wallet/${wallet.id}`, undefined, own)).chainUid).toBe('my_chain');

    const refused = await api.call('DELETE', 'chain/my_chain');
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      '1 contract and 1 wallet of tenants are on My Chain (my_chain); delete them first.',
    ]);
    await api.ok('DELETE', `contract/${made.body.id}`, undefined, own);
    await api.ok('DELETE', `wallet/${wallet.id}`, undefined, own);
    await api.ok('DELETE', `label/${label.id}`, undefined, own);
    await api.ok('DELETE', 'chain/my_chain');
    expect((await contract('my_chain')).status).toBe(400);
    // What is stored of it is still understood.
    const alerts = await api.ok('POST', 'alert/search', { query: 'chainUid:my_chain' }, own);
    expect(alerts.data).toEqual([]);
  });

  it('stands in the API document and its member takes a chain of the operator beside the 32', async () => {
    await api.ok('POST', 'chain', added);
    expect(await documented()).toEqual([...seedChainUids, 'my_chain']);
    expect(await (await fetch(`${api.url}/docs/json`)).text()).toContain('my_chain",');
    await api.ok('DELETE', 'chain/my_chain');
    expect(await documented()).toEqual([...seedChainUids]);
  });

  it('is refused with the member and the reason when something is wrong with it', async () => {
    const names = ['My_chain', 'a', '9chain', 'my-chain', 'my chain', 'x'.repeat(41), 'тест', ''];
    for (const chainUid of names)
      expect(await faultOf({ ...added, chainUid })).toEqual([
        400,
        '/chainUid',
        expect.stringContaining('2 to 40 lower-case'),
      ]);
    for (const chainUid of ['ethereum', 'anvil'])
      expect(await faultOf({ ...added, chainUid })).toEqual([
        400,
        '/chainUid',
        expect.stringContaining('by itself'),
      ]);
    for (const chainUid of ['constructor', 'native', 'evm', 'all', 'node_file'])
      expect(await faultOf({ ...added, chainUid })).toEqual([
        400,
        '/chainUid',
        expect.stringContaining('something else'),
      ]);
    const cases: [object, string][] = [
      [{ chainId: undefined }, '/chainId'],
      [{ chainId: 0 }, '/chainId'],
      [{ chainId: '424242' }, '/chainId'],
      [{ chainId: 2 ** 53 }, '/chainId'],
      [{ genesis: 'signet' }, '/genesis'],
      [{ name: ' ' }, '/name'],
      [{ name: 'My\u202eChain' }, '/name'],
      [{ network: 'LIVE' }, '/network'],
      [{ currency: { symbol: 'A B', decimals: 18 } }, '/currency/symbol'],
      [{ currency: { symbol: 'AB', decimals: 37 } }, '/currency/decimals'],
      [{ currency: { symbol: 'AB' } }, '/currency/decimals'],
      [{ blockTimeMs: 0 }, '/blockTimeMs'],
      [{ confirmations: -1 }, '/confirmations'],
      [{ finality: 'latest' }, '/finality'],
      [{ explorer: { address: 'https://scan.example.com' } }, '/explorer/address'],
      [{ explorer: { address: 'javascript:alert({})' } }, '/explorer/address'],
      [{ explorer: { address: 'https://a.example/{}', block: 'ftp://a.example/{}' } }, '/explorer/block'],
      [{ family: 'solana', chainId: undefined }, '/genesis'],
      [{ family: 'solana', genesis: 'x' }, '/chainId'],
      [{ family: 'bitcoin', chainId: undefined, genesis: 'main' }, '/genesis'],
      [{ family: 'cosmos' }, '/family'],
      [{ endpoints: ['ftp://node.example.com'] }, '/endpoints/0'],
      [{ rpc: [] }, '/rpc'],
    ];
    for (const [members, pointer] of cases) {
      const [status, at, message] = await faultOf({ ...added, ...members });
      expect([members, status, at]).toEqual([members, 400, pointer]);
      expect(message.length).toBeGreaterThan(10);
    }
    expect((await list()).some(({ isOwn }) => isOwn)).toBe(false);
  });

  it('is not added with an endpoint that serves another chain or does not answer', async () => {
    const wrong = await api.call('POST', 'chain', {
      ...added,
      chainUid: 'wrong',
      chainId: 777,
      endpoints: [anvil.url],
    });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/endpoints/0']);
    expect(wrong.body.detail).toContain('it serves the chain 424242 and not 777');
    const dead = await api.call('POST', 'chain', {
      ...added,
      chainUid: 'wrong',
      endpoints: [anvil.url, 'http://127.0.0.1:9'],
    });
    expect([dead.status, dead.body.errors[0].pointer]).toEqual([422, '/endpoints/1']);
    expect((await list()).some(({ isOwn }) => isOwn)).toBe(false);
    expect((await api.call('GET', 'chain/wrong/endpoint')).status).toBe(404);
  });

  it('has a network of its own, whose name never stands for another', async () => {
    for (const [id, seed] of [
      [1, 'Ethereum'],
      [31_337, 'Anvil'],
      [11_155_111, 'Ethereum Sepolia'],
    ] as const)
      expect(await faultOf({ ...added, chainUid: 'copy', chainId: id })).toEqual([
        409,
        '/chainId',
        expect.stringContaining(seed),
      ]);
    await api.ok('POST', 'chain', added);
    expect(await faultOf({ ...added, chainUid: 'other' })).toEqual([
      409,
      '/chainId',
      expect.stringContaining('My Chain'),
    ]);
    expect(await faultOf({ ...added, chainId: 7 })).toEqual([
      409,
      '/chainUid',
      expect.stringContaining('already'),
    ]);
    const { body: placed } = await contract('my_chain');
    await api.ok('DELETE', `contract/${placed.id}`);
    for (const change of [{ chainId: 5 }, { family: 'tron' }, { genesis: 'x' }])
      expect(await faultOf(change, 'my_chain')).toEqual([
        409,
        `/${Object.keys(change)[0]}`,
        expect.stringContaining('cannot change'),
      ]);
    await api.ok('DELETE', 'chain/my_chain');
    // A contract was on it, whose alerts have the name.
    expect(await faultOf({ ...added, chainId: 7 })).toEqual([
      409,
      '/chainUid',
      expect.stringContaining('was the name'),
    ]);
    // The same network may come back, under its name or another one.
    await api.ok('POST', 'chain', { ...added, chainUid: 'renamed' });
    expect(await faultOf(added)).toEqual([409, '/chainId', expect.stringContaining('renamed')]);
    await api.ok('DELETE', 'chain/renamed');
    expect(await api.ok('POST', 'chain', { ...added, name: 'Again' })).toMatchObject({ name: 'Again' });
    // A name under which nothing ever was may be given again.
    await api.ok('POST', 'chain', { ...added, chainUid: 'mistyped', chainId: 8 });
    await api.ok('DELETE', 'chain/mistyped');
    await api.ok('POST', 'chain', { ...added, chainUid: 'mistyped', chainId: 9 });
    expect((await api.call('PUT', 'chain/ethereum', { name: 'Mine' })).status).toBe(409);
    expect((await api.call('DELETE', 'chain/anvil')).status).toBe(409);
    expect((await api.call('DELETE', 'chain/nowhere')).status).toBe(404);
  });

  it('is added once when two ask for the same network at once, and stays while a contract is being put on it', async () => {
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((chainUid) =>
        api.call('POST', 'chain', { ...added, chainUid: `net_${chainUid}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const { chainUid } = answers.find(({ status }) => status === 201)!.body;
    const [put, gone] = await Promise.all([contract(chainUid), api.call('DELETE', `chain/${chainUid}`)]);
    // Either the contract is there and the chain too, or neither.
    expect([put.status === 201, gone.status === 200]).toEqual(
      put.status === 201 ? [true, false] : [false, true],
    );
    if (put.status === 201) await api.ok('DELETE', `contract/${put.body.id}`);
  });

  it('is added, changed and deleted by administrators alone', async () => {
    await api.ok('POST', 'chain', added);
    const roles = [await api.token(tenantId, 'tenant-manager'), await api.token(tenantId, 'tenant-viewer')];
    for (const token of roles) {
      for (const [method, path, body] of [
        ['POST', 'chain', { ...added, chainUid: 'theirs', chainId: 99 }],
        ['PUT', 'chain/my_chain', { name: 'Theirs' }],
        ['DELETE', 'chain/my_chain', undefined],
        ['GET', 'chain/my_chain/endpoint', undefined],
      ] as const)
        expect([path, (await api.call(method, path, body, { token })).status]).toEqual([path, 403]);
      expect((await api.ok('GET', 'chain/my_chain', undefined, { token })).name).toBe('My Chain');
    }
  });

  it.each([
    [
      'solana_devnet',
      'solana',
      'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
      '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
    ],
    [
      'stellar_testnet',
      'stellar',
      'Test SDF Network ; September 2015',
      'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    ],
    [
      'tron_nile',
      'tron',
      '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    ],
    [
      'vechain_testnet',
      'vechain',
      '0x000000000b2bce3c70bc649a02749e8687721b09ed2e15997f466536b20bb127',
      address,
    ],
    ['bitcoin_signet', 'bitcoin', 'signet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['bitcoin_local', 'bitcoin', 'regtest', 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'],
  ])('may be a further network of another family: %s', async (chainUid, family, genesis, there) => {
    const { chainId: _none, ...rest } = added;
    const made = await api.ok('POST', 'chain', { ...rest, chainUid, family, genesis });
    expect(made).toMatchObject({ family, genesis, chainId: null });
    const placed = await contract(chainUid, { address: there, addressType: 'WALLET' });
    expect([placed.status, placed.body.address]).toEqual([201, there]);
    const wallet = await api.ok('POST', 'wallet', { name: chainUid, chainUid }, { token: tenant });
    expect(wallet.address.slice(0, 2)).toBe(
      { bitcoin_signet: 'tb', bitcoin_local: 'bc' }[chainUid] ?? wallet.address.slice(0, 2),
    );
    await api.ok('DELETE', `contract/${placed.body.id}`);
    await api.ok('DELETE', `wallet/${wallet.id}`);
    await until(async () => (await api.call('DELETE', `chain/${chainUid}`)).status === 200);
  });
});
