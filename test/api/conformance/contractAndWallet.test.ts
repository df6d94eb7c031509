import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { chainSamples } from '../../support/chainSamples.ts';
import { createWorld } from '../../support/createWorld.ts';
import { expectProblem, faultCode } from '../../support/expectProblem.ts';
import { nothing, record, text } from '../../support/memberRules.ts';
import { contractMembers, walletMembers } from '../../support/recordMembers.ts';

let api: TestApi;
let tenantId: number;
let projectId: number;
beforeAll(async () => {
  api = await startTestApi();
  tenantId = (await createWorld(api)).tenant.id;
  projectId = (await api.ok('POST', 'project', { tenantId, name: 'Own' })).id;
});
afterAll(() => api.stop());

let used = 0;
/** A body with a new address, so that each test has a contract of its own. */
function newContract(more: Json = {}): Json {
  const address = `0x${(++used).toString(16).padStart(40, '0')}`;
  return { projectId, name: 'Vault', chainUid: 'ethereum', address, ...more };
}

const contract = record(contractMembers);
const abi = [{ type: 'function', name: 'pause', inputs: [], outputs: [], stateMutability: 'nonpayable' }];

describe('POST /contract', () => {
  it('takes every member of docs/api-spec.md and answers with exactly its members, without the abi', async () => {
    const { abi: _abi, ...shown } = newContract({
      category: 'erc20',
      tags: ['token', 'stable'],
      addressType: 'ENTITY',
      amlRequired: true,
      icon: 'https://example.com/token.png',
      abi,
    });
    const before = Date.now();
    const answer = await api.call('POST', 'contract', { ...shown, abi });
    expect(answer.status, answer.text).toBe(201);
    expect(contract(answer.body)).toEqual([]);
    expect(answer.body).toEqual({ ...answer.body, ...shown, implementation: null });
    expect(answer.body.createdAt).toBeGreaterThanOrEqual(before);
    expect(answer.body.updatedAt).toBe(answer.body.createdAt);
    expect(answer.headers.get('location')).toBe(`/api/v1/contract/${answer.body.id}`);
    expect(await api.ok('GET', `contract/${answer.body.id}`)).toEqual(answer.body);
  });

  it('fills in what is left out: no AML, no tags, and null for texts', async () => {
    const body = await api.ok('POST', 'contract', newContract());
    expect(contract(body)).toEqual([]);
    expect(body).toMatchObject({ amlRequired: false, tags: [], category: null, icon: null });
    expect(nothing(body.implementation)).toEqual([]);
  });

  it.each(chainSamples)('accepts a $family address on $chainUid and no other', async (sample) => {
    const { chainUid, address, family } = sample;
    const body = await api.ok('POST', 'contract', newContract({ chainUid, address }));
    expect(contract(body)).toEqual([]);
    expect(body).toMatchObject({ chainUid, address });
    const foreign = family === 'bitcoin' ? chainSamples[0]!.address : '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
    expectProblem(
      await api.call('POST', 'contract', newContract({ chainUid, address: foreign })),
      422,
      '/address',
    );
  });

  it.each(['CONTRACT', 'WALLET', 'ENTITY'])('accepts the addressType %s', async (addressType) => {
    const body = await api.ok('POST', 'contract', newContract({ addressType }));
    expect(body.addressType).toBe(addressType);
  });

  it.each([
    ['name', '', 'has no character that is not white space'],
    ['name', ' \t\n ', 'has no character that is not white space'],
    ['name', null, 'is null'],
    ['chainUid', 'dogecoin', 'is no chain'],
    ['chainUid', 'Ethereum', 'is written in other capitals'],
    ['addressType', 'contract', 'is written in other capitals'],
    ['amlRequired', 'true', 'is a text'],
    ['tags', 'token', 'is no array'],
    ['tags', [1], 'holds a number', '/tags/0'],
    ['abi', { type: 'function' }, 'is an object'],
    ['abi', ['pause()'], 'holds a text', '/abi/0'],
    ['projectId', '1', 'is a text'],
    ['icon', 5, 'is a number'],
  ])('refuses a %s of %j, which %s', async (member, value, _words, pointer = `/${member}`) => {
    expectProblem(await api.call('POST', 'contract', newContract({ [member]: value })), 400, pointer);
  });

  it.each(['id', 'createdAt', 'updatedAt', 'implementation'])(
    'refuses %s, which only comes out',
    async (member) => {
      const value = member === 'implementation' ? '0x0000000000000000000000000000000000000001' : 1;
      expectProblem(await api.call('POST', 'contract', newContract({ [member]: value })), 400, `/${member}`);
    },
  );

  it('reports every fault at once, and for a typo the member that was meant', async () => {
    const body = expectProblem(
      await api.call('POST', 'contract', newContract({ name: ' ', chainUid: 'x', adressType: 'WALLET' })),
      400,
      '/adressType',
    );
    expect(body.errors.map((fault: Json) => fault.pointer).sort()).toEqual([
      '/adressType',
      '/chainUid',
      '/name',
    ]);
    expect(body.errors.find((fault: Json) => fault.pointer === '/adressType').message).toContain(
      'addressType',
    );
  });

  it('answers 422 to a project that does not exist, and 409 to an address that the project has', async () => {
    expectProblem(await api.call('POST', 'contract', newContract({ projectId: 999_999 })), 422, '/projectId');
    const taken = newContract({ address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' });
    await api.ok('POST', 'contract', taken);
    const again = { ...taken, address: taken.address.toLowerCase() };
    expectProblem(await api.call('POST', 'contract', again), 409, '/address');
  });
});

describe('PUT /contract/{id}', () => {
  it('takes an abi and shows it nowhere, neither in a record nor in a search', async () => {
    const { id } = await api.ok('POST', 'contract', newContract());
    const changed = await api.call('PUT', `contract/${id}`, { abi });
    expect(changed.status, changed.text).toBe(200);
    expect(contract(changed.body)).toEqual([]);
    const found = await api.ok('POST', 'contract/search', { where: `id = ${id}` });
    expect(found.data.map((each: Json) => contract(each))).toEqual([[]]);
    expectProblem(await api.call('POST', 'contract/search', { where: "abi = 'pause'" }), 400);
  });

  it('refuses another value for what cannot change, and takes the one that was read', async () => {
    const read = await api.ok('POST', 'contract', newContract());
    for (const member of ['id', 'createdAt', 'updatedAt', 'projectId']) {
      const answer = await api.call('PUT', `contract/${read.id}`, { [member]: read[member] + 1 });
      expect(faultCode(expectProblem(answer, 400, `/${member}`), `/${member}`)).toBe('read-only');
    }
    const proxy = await api.call('PUT', `contract/${read.id}`, { implementation: read.address });
    expect(faultCode(expectProblem(proxy, 400), '/implementation')).toBe('read-only');
    const changed = await api.ok('PUT', `contract/${read.id}`, { ...read, name: 'Other' });
    expect(changed).toEqual({ ...read, name: 'Other', updatedAt: changed.updatedAt });
  });

  it('changes the members that are present, clears with null and keeps the rest', async () => {
    const read = await api.ok(
      'POST',
      'contract',
      newContract({ category: 'erc20', icon: 'https://example.com/i.png', tags: ['a'] }),
    );
    const changed = await api.ok('PUT', `contract/${read.id}`, { category: null, amlRequired: true });
    expect(changed).toEqual({ ...read, category: null, amlRequired: true, updatedAt: changed.updatedAt });
    expect(text(changed.icon)).toEqual([]);
    expectProblem(await api.call('PUT', `contract/${read.id}`, { name: null }), 400, '/name');
    expectProblem(await api.call('PUT', `contract/${read.id}`, { tags: null }), 400, '/tags');
  });
});

const wallet = record(walletMembers);
const newWallet = (more: Json = {}): Json => ({ tenantId, chainUid: 'ethereum', name: 'Guardian', ...more });
const anvilKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

describe('POST /wallet', () => {
  it('takes every member of docs/api-spec.md and answers with exactly its members, without the key', async () => {
    const { privateKey, ...shown } = newWallet({
      status: 'DISABLED',
      type: 'DEFAULT',
      tags: ['pause'],
      privateKey: anvilKey,
    });
    const answer = await api.call('POST', 'wallet', { ...shown, privateKey });
    expect(answer.status, answer.text).toBe(201);
    expect(wallet(answer.body)).toEqual([]);
    expect(answer.body).toEqual({
      ...answer.body,
      ...shown,
      address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    });
    const read = await api.call('GET', `wallet/${answer.body.id}`);
    // Read by itself it shows members beyond the specified reply.
    expect(read.body).toMatchObject(answer.body);
    const found = await api.call('POST', 'wallet/search', { where: `id = ${answer.body.id}` });
    expect(found.body).toEqual({ data: [answer.body] });
    for (const { text } of [answer, read, found]) expect(text).not.toContain(anvilKey.slice(2));
    expectProblem(await api.call('POST', 'wallet/search', { where: "privateKey like '0x%'" }), 400);
    expectProblem(await api.call('POST', 'wallet/search', { sort: [{ field: 'privateKey' }] }), 400);
  });

  it('is ACTIVE and DEFAULT, with no tags, and belongs to the tenant of the caller if nothing is said', async () => {
    const token = await api.token(tenantId, 'tenant-manager');
    const body = await api.ok('POST', 'wallet', { chainUid: 'base', name: 'Plain' }, { token });
    expect(wallet(body)).toEqual([]);
    expect(body).toMatchObject({ status: 'ACTIVE', type: 'DEFAULT', tags: [], tenantId });
  });

  it.each(chainSamples)('derives the address of a $family key on $chainUid', async (sample) => {
    const { chainUid, key, derived } = sample;
    const given = await api.ok('POST', 'wallet', newWallet({ chainUid, privateKey: key }));
    expect(wallet(given)).toEqual([]);
    expect(given).toMatchObject({ chainUid, address: derived });
    const made = await api.ok('POST', 'wallet', newWallet({ chainUid }));
    expect(wallet(made)).toEqual([]);
    expect(made.address).not.toBe(derived);
  });

  it.each([
    ['name', '\u00a0 \n', 'has no character that is not white space'],
    ['chainUid', 'dogecoin', 'is no chain'],
    ['type', 'default', 'is written in other capitals'],
    ['status', 'active', 'is written in other capitals'],
    ['status', null, 'is null'],
    ['tags', { a: 1 }, 'is no array'],
    ['privateKey', 1, 'is a number'],
  ])('refuses a %s of %j, which %s', async (member, value, _words) => {
    expectProblem(await api.call('POST', 'wallet', newWallet({ [member]: value })), 400, `/${member}`);
  });

  it.each(['id', 'createdAt', 'updatedAt', 'address'])('refuses %s, which only comes out', async (member) => {
    const value = member === 'address' ? '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' : 1;
    expectProblem(await api.call('POST', 'wallet', newWallet({ [member]: value })), 400, `/${member}`);
  });

  it('takes a private key only when the type is DEFAULT', async () => {
    const answer = await api.call('POST', 'wallet', newWallet({ type: 'HSM', privateKey: anvilKey }));
    expectProblem(answer, 400, '/privateKey');
    expect(answer.text).not.toContain(anvilKey.slice(2));
  });

  it('refuses HSM with a clear 422 while no module is configured', async () => {
    expectProblem(await api.call('POST', 'wallet', newWallet({ type: 'HSM' })), 422, '/type');
  });

  it('answers 422 to a key that does not fit the chain, and never repeats it', async () => {
    for (const { chainUid, family } of chainSamples.filter((sample) => sample.family !== 'evm')) {
      const answer = await api.call('POST', 'wallet', newWallet({ chainUid, privateKey: anvilKey }));
      expectProblem(answer, 422, '/privateKey');
      expect(answer.text, family).not.toContain(anvilKey.slice(2));
    }
  });

  it('names a tenant other than the own only for an administrator', async () => {
    const other = await api.ok('POST', 'tenant', { name: 'Foreign' });
    const token = await api.token(tenantId, 'tenant-manager');
    const refused = await api.call('POST', 'wallet', newWallet({ tenantId: other.id }), { token });
    const missing = await api.call('POST', 'wallet', newWallet({ tenantId: 999_999 }), { token });
    expectProblem(refused, 422, '/tenantId');
    expect(refused.body).toEqual({
      ...missing.body,
      requestId: refused.body.requestId,
      instance: refused.body.instance,
    });
    expect(await api.ok('POST', 'wallet', newWallet({ tenantId: other.id }))).toMatchObject({
      tenantId: other.id,
    });
  });
});

describe('PUT /wallet/{id}', () => {
  it('goes from ACTIVE to DISABLED and back, and cannot get another key, address, chain or type', async () => {
    const read = await api.ok('POST', 'wallet', newWallet());
    for (const status of ['DISABLED', 'ACTIVE']) {
      const changed = await api.ok('PUT', `wallet/${read.id}`, { status });
      expect(changed).toEqual({ ...read, status, updatedAt: changed.updatedAt });
    }
    for (const change of [{ address: '0x1' }, { chainUid: 'base' }, { type: 'HSM' }, { tenantId: 1_000 }]) {
      const pointer = `/${Object.keys(change)[0]}`;
      const answer = await api.call('PUT', `wallet/${read.id}`, change);
      expect(faultCode(expectProblem(answer, 400, pointer), pointer)).toBe('read-only');
    }
    const answer = await api.call('PUT', `wallet/${read.id}`, { privateKey: anvilKey });
    expectProblem(answer, 400, '/privateKey');
    expect(answer.text).not.toContain(anvilKey.slice(2));
  });

  it('cannot be deleted by a status, neither at birth nor later', async () => {
    const read = await api.ok('POST', 'wallet', newWallet());
    expectProblem(await api.call('PUT', `wallet/${read.id}`, { status: 'DELETED' }), 409);
    expectProblem(await api.call('POST', 'wallet', newWallet({ status: 'DELETED' })), 422, '/status');
    expect(await api.ok('GET', `wallet/${read.id}`)).toMatchObject(read);
  });
});
