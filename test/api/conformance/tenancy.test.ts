import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/lib/sql.ts';
import { startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem } from '../../support/expectProblem.ts';
import { filled, integer, millis, oneOf, orNull, record, text } from '../../support/memberRules.ts';
import { contractMembers, projectMembers } from '../../support/recordMembers.ts';

let api: TestApi;
let owner: World;
let other: World;
beforeAll(async () => {
  api = await startTestApi();
  [owner, other] = [await createWorld(api), await createWorld(api)];
});
afterAll(() => api.stop());

const password = 'correct horse battery';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('contract-level authorization', () => {
  const reads = (token: string) => ({
    project: api.call('GET', `project/${owner.project.id}`, undefined, { token }),
    contract: api.call('GET', `contract/${owner.contract.id}`, undefined, { token }),
    projects: api.ok('POST', 'project/search', { where: `id = ${owner.project.id}` }, { token }),
    contracts: api.ok('POST', 'contract/search', { where: `id = ${owner.contract.id}` }, { token }),
  });
  /** Both records, read and found, or neither. */
  async function expectSight(token: string, isSeen: boolean) {
    const { project, contract, projects, contracts } = reads(token);
    if (isSeen) {
      expect(record(projectMembers)((await project).body)).toEqual([]);
      expect(record(contractMembers)((await contract).body)).toEqual([]);
      expect((await projects).data).toEqual([(await project).body]);
      expect((await contracts).data).toEqual([(await contract).body]);
    } else {
      expectProblem(await project, 404);
      expectProblem(await contract, 404);
      expect([await projects, await contracts]).toEqual([{ data: [] }, { data: [] }]);
    }
  }

  it('lets the tenant of the project read, and another tenant not', async () => {
    await expectSight(await api.token(owner.tenant.id, 'tenant-viewer'), true);
    await expectSight(await api.token(other.tenant.id, 'tenant-manager'), false);
  });

  it('lets tenants in viewTenantIds read once they have accepted, for as long as they are in it, and never write', async () => {
    const token = await api.token(other.tenant.id, 'tenant-manager');
    await api.ok('PUT', `project/${owner.project.id}`, { viewTenantIds: [other.tenant.id] });
    await expectSight(token, false);
    await api.ok('POST', `share/${owner.project.id}/accept`, {}, { token });
    await expectSight(token, true);
    const project = `project/${owner.project.id}`;
    expectProblem(await api.call('PUT', project, { name: 'Mine' }, { token }), 403);
    expectProblem(await api.call('DELETE', project, undefined, { token }), 403);
    const contract = `contract/${owner.contract.id}`;
    expectProblem(await api.call('PUT', contract, { name: 'Mine' }, { token }), 403);
    await api.ok('PUT', project, { viewTenantIds: [] });
    await expectSight(token, false);
    expectProblem(await api.call('PUT', project, { name: 'Mine' }, { token }), 404);
  });

  it('lets an organisation role read through a license instance of the project', async () => {
    const token = await api.token(other.tenant.id, 'organisation-viewer');
    await expectSight(token, false);
    const instance = await api.ok('POST', 'instance', {
      licenseId: owner.license.id,
      organisationId: other.organisation.id,
      projectId: owner.project.id,
    });
    await expectSight(token, true);
    await expectSight(await api.token(other.tenant.id, 'tenant-viewer'), false);
    await api.ok('DELETE', `instance/${instance.id}`);
    await expectSight(token, false);
  });

  it('answers a record of another tenant and a missing one byte for byte alike', async () => {
    const token = await api.token(other.tenant.id, 'tenant-manager');
    const options = { token, headers: { 'x-request-id': 'same' } };
    for (const [path, key] of [
      ['action', 'action'],
      ['destination', 'destination'],
      ['wallet', 'wallet'],
      ['instance/meta', 'instanceMeta'],
    ] as const) {
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        const theirs = await api.call(method, `${path}/${owner[key].id}`, body, options);
        const missing = await api.call(method, `${path}/999999`, body, options);
        if (path !== 'instance/meta' || method === 'GET') expectProblem(theirs, 404);
        expect([theirs.status, theirs.text]).toEqual([missing.status, missing.text]);
      }
    }
  });
});

describe('a tenant that may not write', () => {
  let world: World;
  let token: string;
  beforeAll(async () => {
    world = await createWorld(api);
    token = await api.token(world.tenant.id, 'tenant-manager');
  });

  /** Reading goes on, and nothing can be created, changed or deleted. */
  async function expectReadOnly({ project, contract, destination }: World, token: string, code: string) {
    expect((await api.call('GET', `contract/${contract.id}`, undefined, { token })).status).toBe(200);
    expect((await api.ok('POST', 'destination/search', {}, { token })).data).toHaveLength(1);
    for (const [method, path, body] of [
      ['POST', 'project', { name: 'New' }],
      ['PUT', `project/${project.id}`, { name: 'New' }],
      ['DELETE', `destination/${destination.id}`],
    ] as const) {
      expect(expectProblem(await api.call(method, path, body, { token }), 403).code).toBe(code);
    }
  }

  it('is one that is disabled, until it is enabled again', async () => {
    await api.ok('PUT', `tenant/${world.tenant.id}`, { status: 'DISABLED' });
    await expectReadOnly(world, token, 'tenant-disabled');
    await api.ok('PUT', `tenant/${world.tenant.id}`, { status: 'ACTIVE' });
    await api.ok('PUT', `project/${world.project.id}`, { name: 'New' }, { token });
  });

  it('is one whose subscription has expired, until it is extended', async () => {
    const place = `subscription/${world.subscription.id}`;
    const expirationDate = Date.now() + 60_000;
    await api.ok('PUT', place, { expirationDate });
    await api.ok('PUT', `project/${world.project.id}`, { name: 'Before' }, { token });
    api.advance(61_000);
    await expectReadOnly(world, token, 'subscription-expired');
    await api.ok('PUT', place, { expirationDate: expirationDate + 86_400_000 });
    await api.ok('PUT', `project/${world.project.id}`, { name: 'After' }, { token });
  });

  it('still lets its users log in, refresh and log out, which changes no record of it', async () => {
    const email = 'reader@example.com';
    await api.ok('POST', 'user', { tenantId: world.tenant.id, email, password, roles: ['tenant-manager'] });
    await api.ok('PUT', `tenant/${world.tenant.id}`, { status: 'DISABLED' });
    const first = await api.ok('POST', 'auth/login', { email, password }, { token: null });
    const second = await api.ok('POST', 'auth/refresh', undefined, { token: first.token });
    await expectReadOnly(world, second.token, 'tenant-disabled');
    await api.ok('POST', 'auth/logout', undefined, { token: second.token });
    expectProblem(await api.call('GET', 'auth/me', undefined, { token: second.token }), 401);
  });
});

describe('plan limits', () => {
  it('are refused with the limit and the count, and give way when there is room again', async () => {
    await api.ok('PUT', `plan/${owner.plan.id}`, { maxProjects: 2, maxWallets: 1 });
    const token = await api.token(owner.tenant.id, 'tenant-manager');
    const create = (name: string) => api.call('POST', 'project', { name }, { token });
    const second = await create('Second');
    expect(second.status).toBe(201);
    expect(expectProblem(await create('Third'), 403)).toMatchObject({
      code: 'plan-limit',
      limit: 2,
      count: 2,
    });
    const wallet = await api.call('POST', 'wallet', { name: 'W', chainUid: 'anvil' }, { token });
    expect(expectProblem(wallet, 403)).toMatchObject({ code: 'plan-limit', limit: 1, count: 1 });
    await api.ok('DELETE', `project/${second.body.id}`, undefined, { token });
    expect((await create('Third')).status).toBe(201);
  });
});

describe('API keys', () => {
  const shown = {
    id: integer,
    createdAt: millis,
    updatedAt: millis,
    status: oneOf('ACTIVE'),
    tenantId: integer,
    userId: orNull(integer),
    label: text,
    roles: filled(text),
    hint: text,
    expiredAt: orNull(millis),
  };

  it('show their secret once, live as long as asked for, and act with their roles', async () => {
    const body = { label: 'ci', lifetime: 3_600, tenantId: owner.tenant.id, roles: ['tenant-viewer'] };
    const answer = await api.call('POST', 'apikey', body);
    expect(answer.status, answer.text).toBe(201);
    expect(record({ ...shown, token: text })(answer.body)).toEqual([]);
    const { token, ...rest } = answer.body;
    expect(token).toMatch(/^vigil_\w+_\S{43,}$/);
    expect(rest.expiredAt - rest.createdAt).toBe(3_600_000);
    const read = await api.call('GET', `apikey/${rest.id}`);
    expect(record(shown)(read.body)).toEqual([]);
    expect(read.body).toEqual(rest);
    const me = () => api.call('GET', 'auth/me', undefined, { token });
    expect((await me()).body).toMatchObject({ tokenKind: 'API_KEY', roles: ['tenant-viewer'] });
    expectProblem(await api.call('POST', 'project', { name: 'P' }, { token }), 403);
    api.advance(3_500_000);
    expect((await me()).status).toBe(200);
    api.advance(100_000);
    expectProblem(await me(), 401);
  });

  it('grant a part of the caller’s own roles and no more', async () => {
    const token = await api.token(owner.tenant.id, 'tenant-manager');
    const make = (roles: string[]) => api.call('POST', 'apikey', { label: 'k', roles }, { token });
    expect((await make(['tenant-user'])).body).toMatchObject({
      tenantId: owner.tenant.id,
      expiredAt: expect.any(Number),
    });
    for (const role of ['admin', 'organisation-viewer']) expectProblem(await make([role]), 403);
    expectProblem(await make([]), 400, '/roles');
  });

  it('lose a role that their owner loses', async () => {
    const body = { tenantId: owner.tenant.id, email: 'eve@example.com', password, roles: ['tenant-manager'] };
    const user = await api.ok('POST', 'user', body);
    const session = await api.ok('POST', 'auth/login', { email: body.email, password }, { token: null });
    const roles = ['tenant-manager', 'tenant-viewer'];
    const key = await api.ok('POST', 'apikey', { label: 'k', roles }, { token: session.token });
    expect(key.userId).toBe(user.id);
    await api.ok('PUT', `user/${user.id}`, { roles: ['tenant-viewer'] });
    const me = await api.ok('GET', 'auth/me', undefined, { token: key.token });
    expect(me.roles).toEqual(['tenant-viewer']);
  });

  it.each([
    [{ lifetime: 0 }, '/lifetime'],
    [{ lifetime: 1.5 }, '/lifetime'],
    [{ label: ' ' }, '/label'],
    [{ token: 'mine' }, '/token'],
    [{ roles: ['king'] }, '/roles/0'],
  ])('refuse %j at %s', async (more, pointer) => {
    const body = { label: 'k', roles: ['tenant-viewer'], tenantId: owner.tenant.id, ...more };
    expectProblem(await api.call('POST', 'apikey', body), 400, pointer);
  });
});

describe('another process’s change', () => {
  it('another process’s change of a token, a role or a tenant holds here within a second', async () => {
    const email = 'changed@example.com';
    const body = { tenantId: owner.tenant.id, email, password, roles: ['tenant-manager'] };
    const user = await api.ok('POST', 'user', body);
    const session = await api.ok('POST', 'auth/login', { email, password }, { token: null });
    const disabled = await api.token(other.tenant.id, 'tenant-manager');
    const write = (token: string, projectId: number) =>
      api.call('PUT', `project/${projectId}`, { description: 'x' }, { token });
    const states = async () => ({
      revoked: (await write(owner.apikey.token, owner.project.id)).body.code,
      demoted: (await write(session.token, owner.project.id)).status,
      disabled: (await write(disabled, other.project.id)).status,
    });
    expect(await states()).toEqual({ revoked: 'forbidden', demoted: 200, disabled: 200 });
    const { id } = owner.apikey;
    // Straight in the store, as another process would: this one is not told.
    await Promise.all([
      api.store.query(sql`update access_token set status = 'DELETED' where id = ${id}`),
      api.store.query(sql`update member set roles = ${['tenant-viewer']} where id = ${user.id}`),
      api.store.query(sql`update tenant set status = 'DISABLED' where id = ${other.tenant.id}`),
    ]);
    await pause(1_000);
    expect(await states()).toEqual({ revoked: 'unauthenticated', demoted: 403, disabled: 403 });
  });

  it('another process’s change made here holds at once', async () => {
    const { token, id } = other.apikey;
    await api.ok('GET', 'auth/me', undefined, { token });
    await api.ok('DELETE', `apikey/${id}`);
    expectProblem(await api.call('GET', 'auth/me', undefined, { token }), 401);
  });
});
