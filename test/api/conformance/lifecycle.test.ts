import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem } from '../../support/expectProblem.ts';
import { record, text } from '../../support/memberRules.ts';

let api: TestApi;
let world: World;
let spare: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  spare = await createWorld(api);
});
afterAll(() => api.stop());

/** Every kind of record, those first that others stand on last, so that each can be deleted in turn. */
const kinds: { path: string; key: keyof World; change: Json }[] = [
  { path: 'tokenomics/schedule', key: 'tokenomicsSchedule', change: { name: 'Other' } },
  { path: 'tokenomics/category', key: 'tokenomicsCategory', change: { name: 'Other' } },
  { path: 'action', key: 'action', change: { name: 'Other' } },
  { path: 'trigger', key: 'trigger', change: { name: 'Other' } },
  { path: 'detector', key: 'detector', change: { name: 'Other' } },
  { path: 'wallet', key: 'wallet', change: { name: 'Other' } },
  { path: 'destination', key: 'destination', change: { tags: ['WALLET'] } },
  { path: 'label', key: 'label', change: { note: 'Other' } },
  { path: 'detector/schema', key: 'detectorSchema', change: { title: 'Other' } },
  { path: 'instance/meta', key: 'instanceMeta', change: { expiredAt: '2030-01-01T00:00:00.000Z' } },
  { path: 'score/group', key: 'scoreGroup', change: { title: 'Other' } },
  { path: 'instance', key: 'instance', change: { licenseStatus: 'LICENCED' } },
  { path: 'license', key: 'license', change: { icon: 'https://example.com/i.png' } },
  { path: 'contract', key: 'contract', change: { name: 'Other' } },
  { path: 'project', key: 'project', change: { name: 'Other' } },
  { path: 'apikey', key: 'apikey', change: { label: 'other' } },
  { path: 'user', key: 'user', change: { name: 'Other' } },
  { path: 'subscription', key: 'subscription', change: { notifyBeforeExpireDays: [7] } },
  { path: 'plan', key: 'plan', change: { maxUsers: 999 } },
  { path: 'tenant', key: 'tenant', change: { description: 'Other' } },
  { path: 'organisation', key: 'organisation', change: { description: 'Other' } },
];

describe.each(kinds)('a $path record', ({ path, key, change }) => {
  const place = () => `${path}/${world[key].id}`;
  const withTag = (etag: string) => ({ headers: { 'if-match': etag } });

  it('can be sent back unchanged, and changes exactly in the members that are sent', async () => {
    const read = await api.ok('GET', place());
    api.advance(1);
    const back = await api.ok('PUT', place(), read);
    // GET shows members that the responses to changes leave out (docs/api-spec.md).
    expect(read).toMatchObject(back);
    const before = await api.ok('GET', place());
    api.advance(1);
    const changed = await api.ok('PUT', place(), change);
    expect(changed).toEqual({ ...back, ...change, updatedAt: changed.updatedAt });
    expect(changed.updatedAt).toBeGreaterThan(back.updatedAt);
    expect(await api.ok('GET', place())).toEqual({ ...before, ...changed });
  });

  it('has an ETag, with which a change is refused when the record is no longer that one', async () => {
    const place = () => `${path}/${spare[key].id}`;
    const read = await api.call('GET', place());
    const etag = read.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    api.advance(1);
    const changed = await api.call('PUT', place(), change, withTag(`"other", ${etag}`));
    expect(changed.status, changed.text).toBe(200);
    const next = changed.headers.get('etag') ?? '';
    expect(next).not.toBe(etag);
    expectProblem(await api.call('PUT', place(), change, withTag(etag)), 412);
    expectProblem(await api.call('DELETE', place(), undefined, withTag(etag)), 412);
    const after = await api.call('GET', place());
    expect(after.headers.get('etag')).toBe(next);
    expect(after.body).toMatchObject(changed.body);
    expect((await api.call('PUT', place(), {}, withTag('*'))).status).toBe(200);
  });
});

it.each(kinds)(
  'a deleted $path record answers with its identifier and reads as missing',
  async ({ path, key }) => {
    const { id, uid } = world[key];
    const place = `${path}/${id}`;
    const etag = (await api.call('GET', place)).headers.get('etag') ?? '';
    const deleted = await api.ok('DELETE', place, undefined, { headers: { 'if-match': etag } });
    expect(deleted).toEqual(path.startsWith('tokenomics/') ? { uid } : { id });
    const missing = await api.call('GET', `${path}/999999`, undefined, {
      headers: { 'x-request-id': 'same' },
    });
    const gone = await api.call('GET', place, undefined, { headers: { 'x-request-id': 'same' } });
    expectProblem(gone, 404);
    expect(gone.text).toBe(missing.text);
    expectProblem(await api.call('PUT', place, {}), 404);
    expectProblem(await api.call('DELETE', place), 404);
    const found = await api.ok('POST', `${path}/search`, { where: `id = ${id}`, trackTotal: true });
    expect(found).toEqual({ data: [], total: 0 });
  },
);

describe.each(['category', 'schedule'])('DELETE /tokenomics/%s/{id}', (kind) => {
  const another = () => {
    const made = kind === 'category' ? spare.tokenomicsCategory : spare.tokenomicsSchedule;
    const { id: _id, uid: _uid, createdAt: _createdAt, updatedAt: _updatedAt, ...body } = made;
    return api.ok('POST', `tokenomics/${kind}`, body);
  };

  it('takes the id or the uid, answers with the uid alone, and answers 404 the second time', async () => {
    const made = await another();
    const twin = await another();
    const token = await api.token(spare.tenant.id, 'tenant-manager');
    for (const [name, uid] of [
      [made.id, made.uid],
      [twin.uid, twin.uid],
    ]) {
      const answer = await api.call('DELETE', `tokenomics/${kind}/${name}`, undefined, { token });
      expect(record({ uid: text })(answer.body)).toEqual([]);
      expect([answer.status, answer.body.uid]).toEqual([200, uid]);
      expectProblem(await api.call('DELETE', `tokenomics/${kind}/${name}`, undefined, { token }), 404);
    }
    expectProblem(await api.call('DELETE', `tokenomics/${kind}/no-such-uid`, undefined, { token }), 404);
  });

  it('answers 404 to another tenant, by id and by uid', async () => {
    const made = await another();
    const { id: tenantId } = await api.ok('POST', 'tenant', { name: `Stranger to a ${kind}` });
    const token = await api.token(tenantId, 'tenant-manager');
    for (const name of [made.id, made.uid])
      expectProblem(await api.call('DELETE', `tokenomics/${kind}/${name}`, undefined, { token }), 404);
    expect(await api.ok('GET', `tokenomics/${kind}/${made.id}`)).toEqual(made);
  });
});

describe('status', () => {
  it.each(['detector', 'trigger', 'license', 'subscription', 'tenant', 'user'] as const)(
    'status of a %s goes from ACTIVE to DISABLED and back, and to DELETED by DELETE only',
    async (kind) => {
      const place = `${kind}/${spare[kind].id}`;
      expect(spare[kind].status).toBe('ACTIVE');
      for (const status of ['DISABLED', 'DISABLED', 'ACTIVE'])
        expect((await api.ok('PUT', place, { status })).status).toBe(status);
      expectProblem(await api.call('PUT', place, { status: 'DELETED' }), 409);
      expectProblem(await api.call('PUT', place, { status: 'GONE' }), 400, '/status');
    },
  );
});

it.each([
  ['detector', 'source', ['ATTACK_DETECTOR', 'PLATFORM', 'CUSTOM', 'EXTERNAL', 'IMPORT']],
  ['project', 'networkStatus', ['MAINNET', 'TESTNET', 'DEVNET']],
] as const)('a %s takes every word of %s and no other', async (kind, member, words) => {
  const place = `${kind}/${spare[kind].id}`;
  for (const word of words) expect((await api.ok('PUT', place, { [member]: word }))[member]).toBe(word);
  expectProblem(await api.call('PUT', place, { [member]: words[0].toLowerCase() }), 400, `/${member}`);
});

it.each([
  ['organisation', { name: 'Twice' }, '/name'],
  ['tenant', { name: 'Twice' }, '/name'],
  ['license', { name: 'Twice', version: '1' }, '/version'],
  ['detector/schema', { name: 'twice', version: '1', title: 'Twice' }, '/version'],
  ['user', { email: 'Twice@example.com', roles: ['admin'] }, '/email'],
])('the name of a %s record is taken until the record is deleted', async (path, body, pointer) => {
  const { id } = await api.ok('POST', path, body);
  expectProblem(await api.call('POST', path, body), 409, pointer);
  await api.ok('DELETE', `${path}/${id}`);
  expect((await api.ok('POST', path, body)).id).toBeGreaterThan(id);
});

describe('deleting what owns other records', () => {
  it('a project takes its contracts and all they have along, and frees their names and addresses', async () => {
    const owner = await createWorld(api);
    await api.ok('DELETE', `project/${owner.project.id}`);
    const gone: (keyof World)[] = ['contract', 'detector', 'trigger', 'action', 'instance'];
    for (const kind of gone) expectProblem(await api.call('GET', `${kind}/${owner[kind].id}`), 404);
    for (const [path, key] of [
      ['instance/meta', 'instanceMeta'],
      ['tokenomics/category', 'tokenomicsCategory'],
      ['tokenomics/schedule', 'tokenomicsSchedule'],
    ] as const)
      expectProblem(await api.call('GET', `${path}/${owner[key].id}`), 404);
    const kept: (keyof World)[] = ['wallet', 'destination', 'user', 'license', 'tenant'];
    for (const kind of kept) expect((await api.call('GET', `${kind}/${owner[kind].id}`)).status).toBe(200);
    const { tenantId, name } = owner.project;
    const project = await api.ok('POST', 'project', { tenantId, name });
    expect(project.licenses).toEqual([]);
    const { name: title, chainUid, address } = owner.contract;
    const contract = { projectId: project.id, name: title, chainUid, address };
    await api.ok('POST', 'contract', contract);
    expectProblem(await api.call('POST', 'project', { tenantId, name }), 409, '/name');
    expectProblem(await api.call('POST', 'contract', contract), 409, '/address');
  });

  it('a contract alone takes its detectors, triggers and actions, and its address may be used again', async () => {
    const owner = await createWorld(api);
    await api.ok('DELETE', `contract/${owner.contract.id}`);
    for (const kind of ['detector', 'trigger', 'action'] as const)
      expectProblem(await api.call('GET', `${kind}/${owner[kind].id}`), 404);
    expect((await api.call('GET', `project/${owner.project.id}`)).status).toBe(200);
    const { projectId, name, chainUid, address } = owner.contract;
    const again = await api.ok('POST', 'contract', { projectId, name, chainUid, address });
    expect(again.id).toBeGreaterThan(owner.contract.id);
  });

  it('a destination, detector or trigger vanishes from the actions and detectors that were bound to it', async () => {
    const { destination, detector, trigger, action } = spare;
    const read = () => api.ok('GET', `action/${action.id}`);
    await api.ok('DELETE', `destination/${destination.id}`);
    expect((await read()).destinations).toEqual([]);
    expect((await api.ok('GET', `detector/${detector.id}`)).destinations).toEqual([]);
    await api.ok('DELETE', `detector/${detector.id}`);
    await api.ok('DELETE', `trigger/${trigger.id}`);
    expect(await read()).toMatchObject({ destinations: [], detectors: [], triggerAlerts: [] });
  });

  it('a tenant takes everything it owns along, and its tokens end', async () => {
    const owner = await createWorld(api);
    const token = await api.token(owner.tenant.id, 'tenant-manager');
    await api.ok('GET', 'auth/me', undefined, { token });
    await api.ok('DELETE', `tenant/${owner.tenant.id}`);
    for (const kind of ['project', 'contract', 'wallet', 'destination', 'label', 'user', 'action'] as const)
      expectProblem(await api.call('GET', `${kind}/${owner[kind].id}`), 404);
    api.advance(1_000);
    expectProblem(await api.call('GET', 'auth/me', undefined, { token }), 401);
    expectProblem(await api.call('GET', 'auth/me', undefined, { token: owner.apikey.token }), 401);
  });
});
