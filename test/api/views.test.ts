import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { tally, together } from '../support/together.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { observe } from './support/observe.ts';

let api: TestApi;
let own: TenantWorld;
let other: TenantWorld;
beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  other = await createTenantWorld(api);
});
afterAll(() => api.stop());

const as = (role: keyof TenantWorld['tokens'], who = own) => ({ token: who.tokens[role] });

let made = 0;
const save = (members: Json, sent = as('tenant-user')) =>
  api.ok('POST', 'view', { name: `Mine ${++made}`, ...members }, sent);

const namesFor = async (sent: { token: string }) =>
  (await api.ok('POST', 'view/search', { size: 1000 }, sent)).data.map(({ name }: Json) => name);

describe('a saved view', () => {
  it('is its owner’s own until it is shared with the tenant', async () => {
    const view = await save({ query: 'severity:HIGH', columns: ['name', 'meta.amount'], timeRange: '24h' });
    expect(view).toMatchObject({ query: 'severity:HIGH', timeRange: '24h', shared: false });
    const path = `view/${view.id}`;
    expect(await namesFor(as('tenant-user'))).toContain(view.name);
    for (const sent of [as('tenant-manager'), as('tenant-viewer'), as('tenant-manager', other)]) {
      expectProblem(await api.call('GET', path, undefined, sent), 404);
      expectProblem(await api.call('PUT', path, { name: 'Taken' }, sent), 404);
      expectProblem(await api.call('DELETE', path, undefined, sent), 404);
      expect(await namesFor(sent)).not.toContain(view.name);
    }
    await api.ok('PUT', path, { shared: true }, as('tenant-user'));
    expect(await namesFor(as('tenant-viewer'))).toContain(view.name);
    expectProblem(await api.call('GET', path, undefined, as('tenant-manager', other)), 404);
  });

  it('a saved view that is shared is changed and deleted by its owner and managers only', async () => {
    const { id } = await save({ shared: true });
    const path = `view/${id}`;
    expectProblem(await api.call('PUT', path, { query: 'x' }, as('tenant-viewer')), 403);
    expectProblem(await api.call('DELETE', path, undefined, as('tenant-viewer')), 403);
    expect(await api.ok('PUT', path, { query: 'x' }, as('tenant-manager'))).toMatchObject({ query: 'x' });
    const others = await save({ shared: true }, as('tenant-manager'));
    expectProblem(await api.call('PUT', `view/${others.id}`, { query: 'y' }, as('tenant-user')), 403);
    await api.ok('DELETE', path, undefined, as('tenant-user'));
    expectProblem(await api.call('GET', path, undefined, as('tenant-user')), 404);
  });

  it('has a name of its own among those of its owner', async () => {
    await save({ name: 'Same' });
    await save({ name: 'Same' }, as('tenant-manager'));
    await save({ name: 'Same' }, as('tenant-user', other));
    const again = { name: 'Same' };
    expectProblem(await api.call('POST', 'view', again, as('tenant-user')), 409, '/name');
    const answers = await together(6, () => api.call('POST', 'view', { name: 'Raced' }, as('tenant-user')));
    expect(tally(answers)).toEqual({ 201: 1, 409: 5 });
  });

  it('a saved view of a viewer stays with the viewer, and a token without a user keeps none of its own', async () => {
    const { id } = await save({}, as('tenant-viewer'));
    expectProblem(await api.call('PUT', `view/${id}`, { shared: true }, as('tenant-viewer')), 403);
    expectProblem(await api.call('POST', 'view', { name: 'S', shared: true }, as('tenant-viewer')), 403);
    await api.ok('PUT', `view/${id}`, { query: 'kind:trigger' }, as('tenant-viewer'));
    const both = await api.token(own.world.tenant.id, 'tenant-viewer', 'organisation-manager');
    expectProblem(await api.call('POST', 'view', { name: 'B', shared: true }, { token: both }), 403);
    const token = await api.token(own.world.tenant.id, 'tenant-user');
    expectProblem(await api.call('POST', 'view', { name: 'Key' }, { token }), 422, '/shared');
    await api.ok('POST', 'view', { name: 'Key', shared: true }, { token });
  });

  it('refuses members that a search would refuse', async () => {
    const faults: [Json, string][] = [
      [{ query: 'name:(' }, '/query'],
      [{ query: 1 }, '/query'],
      [{ columns: ['nam'] }, '/columns/0'],
      [{ columns: ['name', 'meta.'] }, '/columns/1'],
      [{ columns: 'name' }, '/columns'],
      [{ timeRange: 'yesterday' }, '/timeRange'],
      [{ timeRange: '20-10' }, '/timeRange'],
      [{ shared: 'yes' }, '/shared'],
      [{ name: ' ' }, '/name'],
      [{ ownerId: 1 }, '/ownerId'],
      [{ colour: 'red' }, '/colour'],
    ];
    const view = await save({});
    for (const [members, pointer] of faults) {
      const body = { name: 'Bad', ...members };
      expectProblem(await api.call('POST', 'view', body, as('tenant-user')), 400, pointer);
      if (pointer !== '/ownerId')
        expectProblem(await api.call('PUT', `view/${view.id}`, members, as('tenant-user')), 400, pointer);
    }
    expect(await api.ok('GET', `view/${view.id}`, undefined, as('tenant-user'))).toEqual(view);
    const foreign = { name: 'Foreign', tenantId: other.world.tenant.id };
    expectProblem(await api.call('POST', 'view', foreign, as('tenant-manager')), 422, '/tenantId');
  });

  it('a saved view of a deleted user no longer counts, unless it is shared', async () => {
    const user = { tenantId: own.world.tenant.id, email: 'leaver@example.com', roles: ['tenant-user'] };
    const { id } = await api.ok('POST', 'user', { ...user, password: 'violet engine under 7 hills' });
    const { token } = await api.ok('POST', 'auth/login', {
      email: user.email,
      password: 'violet engine under 7 hills',
    });
    const count = async () =>
      (await api.ok('GET', 'auth/me', undefined, as('tenant-manager'))).plan.use.maxViews as number;
    const before = await count();
    await save({}, { token });
    await save({ shared: true }, { token });
    expect(await count()).toBe(before + 2);
    await api.ok('DELETE', `user/${id}`);
    expect(await count()).toBe(before + 1);
  });
});
