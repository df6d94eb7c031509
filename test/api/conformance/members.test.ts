import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem } from '../../support/expectProblem.ts';
import {
  filled,
  flag,
  integer,
  list,
  millis,
  nothing,
  oneOf,
  record,
  text,
} from '../../support/memberRules.ts';
import { inviteMembers } from '../../support/recordMembers.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

const day = 86_400_000;
const password = 'correct horse battery';
const url = 'https://console.example.com/accept?lang=en';
let used = 0;
const newInvite = (more: Json = {}): Json => ({
  tenantId: world.tenant.id,
  email: `guest${++used}@example.com`,
  roles: ['tenant-viewer'],
  url,
  ...more,
});

describe('POST /invite', () => {
  const invite = record({ ...inviteMembers, roles: filled(text) });

  it('takes every member of docs/api-spec.md and answers with exactly its members, without the url', async () => {
    const given = newInvite({
      organisationId: world.organisation.id,
      roles: ['tenant-user', 'tenant-viewer'],
    });
    const answer = await api.call('POST', 'invite', given);
    expect(answer.status, answer.text).toBe(201);
    expect(invite(answer.body)).toEqual([]);
    const { url: _url, ...shown } = given;
    expect(answer.body).toEqual({ ...answer.body, ...shown });
    expect(answer.body.expiredAt).toBeGreaterThan(Date.now());
    expect(answer.text).not.toContain('console.example.com');
    expect(await api.ok('GET', `invite/${answer.body.id}`)).toEqual(answer.body);
  });

  it('belongs to the tenant and organisation of a caller who names none', async () => {
    const token = await api.token(world.tenant.id, 'tenant-manager');
    const { tenantId: _tenantId, ...body } = newInvite();
    const answer = await api.call('POST', 'invite', body, { token });
    expect(answer.body).toMatchObject({ tenantId: world.tenant.id, organisationId: world.organisation.id });
    expect(answer.headers.get('x-invite-accept-link')).toContain(url);
  });

  it.each([
    [{ roles: [] }, '/roles'],
    [{ roles: 'tenant-viewer' }, '/roles'],
    [{ roles: ['king'] }, '/roles/0'],
    [{ url: '' }, '/url'],
    [{ url: 'ftp://example.com' }, '/url'],
    [{ url: ' https://example.com' }, '/url'],
    [{ url: 'HTTPS://example.com' }, '/url'],
    [{ url: null }, '/url'],
    [{ email: 'nobody' }, '/email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, '/email'],
    [{ expiredAt: 1 }, '/expiredAt'],
    [{ id: 1 }, '/id'],
    [{ tenantId: '1' }, '/tenantId'],
  ])('refuses %j at %s', async (more, pointer) => {
    expectProblem(await api.call('POST', 'invite', newInvite(more)), 400, pointer);
  });

  it('is for no tenant when it makes an administrator, and for one otherwise', async () => {
    const { tenantId: _tenantId, ...body } = newInvite({ roles: ['admin'] });
    const made = await api.ok('POST', 'invite', body);
    expect(invite(made)).toEqual([]);
    expect([made.tenantId, made.organisationId]).toEqual([null, null]);
    const homeless = { ...body, roles: ['tenant-viewer'], email: 'homeless@example.com' };
    expectProblem(await api.call('POST', 'invite', homeless), 422);
    expectProblem(
      await api.call('POST', 'invite', newInvite({ organisationId: 999_999 })),
      422,
      '/organisationId',
    );
  });

  it.each(['http://example.com/a', 'https://anywhere.example:8443/join?lang=en', 'http://10.0.0.1'])(
    'accepts any http or https address, such as %s',
    async (address) => {
      const answer = await api.call('POST', 'invite', newInvite({ url: address }));
      expect(invite(answer.body)).toEqual([]);
      expect(answer.headers.get('x-invite-accept-link')).toMatch(new URL(address).origin);
    },
  );

  it('grants no role above the caller’s own, and reaches only tenants under the caller', async () => {
    const manager = await api.token(world.tenant.id, 'tenant-manager');
    const high = newInvite({ roles: ['organisation-viewer'] });
    expectProblem(await api.call('POST', 'invite', high, { token: manager }), 403);
    const other = await createWorld(api);
    const away = newInvite({ tenantId: other.tenant.id });
    expectProblem(await api.call('POST', 'invite', away, { token: manager }), 422, '/tenantId');
    const sibling = await api.ok('POST', 'tenant', {
      name: 'Sibling',
      organisationId: world.organisation.id,
    });
    const head = await api.token(world.tenant.id, 'organisation-manager');
    const near = await api.ok('POST', 'invite', newInvite({ tenantId: sibling.id }), { token: head });
    expect(near).toMatchObject({ tenantId: sibling.id, organisationId: world.organisation.id });
    expectProblem(await api.call('POST', 'invite', away, { token: head }), 422, '/tenantId');
  });
});

describe('accepting an invite', () => {
  /** The secret in the link that an administrator gets while no mail server is configured. */
  async function invited(more: Json = {}) {
    const body = newInvite(more);
    const answer = await api.call('POST', 'invite', body);
    const link = new URL(answer.headers.get('x-invite-accept-link') ?? '');
    expect(`${link.origin}${link.pathname}`).toBe('https://console.example.com/accept');
    expect(link.searchParams.get('lang')).toBe('en');
    return { email: body.email as string, uid: link.searchParams.get('invite') ?? '', id: answer.body.id };
  }
  const accept = (uid: string, body: Json = { name: 'Bob', password }) =>
    api.call('POST', `invite/${uid}/accept`, body, { token: null });

  it('makes the user, who can log in, once', async () => {
    const { uid, email } = await invited({ roles: ['tenant-user'] });
    expectProblem(await accept(uid, { name: 'Bob', password: 'short' }), 400, '/password');
    const made = await accept(uid);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({
      email,
      name: 'Bob',
      roles: ['tenant-user'],
      tenantId: world.tenant.id,
    });
    expect(made.text).not.toContain(password);
    expectProblem(await accept(uid), 404);
    const session = await api.ok('POST', 'auth/login', { email, password }, { token: null });
    const me = await api.ok('GET', 'auth/me', undefined, { token: session.token });
    expect(me).toMatchObject({ userId: made.body.id, tenantId: world.tenant.id, roles: ['tenant-user'] });
    expectProblem(await api.call('POST', 'invite', newInvite({ email })), 409, '/email');
  });

  it('is impossible after the invite was deleted or has expired, and by guessing', async () => {
    const [gone, late] = [await invited(), await invited()];
    await api.ok('DELETE', `invite/${gone.id}`);
    expectProblem(await accept(gone.uid), 404);
    const { expiredAt } = await api.ok('GET', `invite/${late.id}`);
    api.advance(expiredAt - Date.now());
    expectProblem(await accept(late.uid), 404);
    expectProblem(await accept(String(late.id)), 404);
    api.advance(Date.now() - expiredAt);
  });
});

describe('sessions', () => {
  let email: string;
  let userId: number;
  beforeAll(async () => {
    email = 'alice@example.com';
    const body = { tenantId: world.tenant.id, email, password, roles: ['tenant-manager'] };
    userId = (await api.ok('POST', 'user', body)).id;
  });
  const login = (body: Json) => api.call('POST', 'auth/login', body, { token: null });
  const me = (token: string) => api.call('GET', 'auth/me', undefined, { token });

  it('open with e-mail address and password for 12 hours; nothing reveals which of the two was wrong', async () => {
    const answer = await login({ email, password });
    expect(record({ token: text, expiredAt: millis })(answer.body)).toEqual([]);
    expect(answer.body.token).toMatch(/^vigil_\w+_\S{43,}$/);
    expect(Math.abs(answer.body.expiredAt - Date.now() - day / 2)).toBeLessThan(10_000);
    const [wrong, unknown] = [
      await login({ email, password: 'something else' }),
      await login({ email: 'nobody@example.com', password }),
    ];
    expectProblem(wrong, 401);
    expect({ ...wrong.body, instance: '', requestId: '' }).toEqual({
      ...unknown.body,
      instance: '',
      requestId: '',
    });
    expectProblem(await login({ email }), 400, '/password');
  });

  it('name the caller: user, roles, tenant, plan and its use', async () => {
    const { token } = (await login({ email, password })).body;
    const quantities = record(
      Object.fromEntries(
        [
          'Users',
          'Contracts',
          'Projects',
          'Triggers',
          'Detectors',
          'Wallets',
          'Actions',
          'ApiKeys',
          'Destinations',
          'Labels',
          'Streams',
          'Invites',
          'Views',
          'TimeSets',
          'Silences',
          'PlannedChanges',
          'Routes',
          'Inhibitions',
          'Schedules',
          'EscalationChains',
          'PushedAlerts',
        ].map((word) => [`max${word}`, integer]),
      ),
    );
    const body = await api.ok('GET', 'auth/me', undefined, { token });
    const rule = record({
      userId: integer,
      tenantId: integer,
      organisationId: integer,
      name: text,
      tenantName: text,
      roles: list(text),
      tokenKind: oneOf('SESSION', 'API_KEY', 'ADMIN'),
      expiredAt: integer,
      plan: record({ id: integer, name: text, limits: quantities, use: quantities }),
      installation: record({ mail: flag, messengerAName: nothing, messengerBName: nothing }),
    });
    expect(rule(body)).toEqual([]);
    expect(body).toMatchObject({
      userId,
      tenantId: world.tenant.id,
      organisationId: world.organisation.id,
      roles: ['tenant-manager'],
      plan: { id: world.plan.id, limits: { maxContracts: 1000 }, use: { maxContracts: 1, maxWallets: 1 } },
    });
    expect(nothing((await api.ok('GET', 'auth/me')).plan)).toEqual([]);
  });

  it('can be refreshed, which ends the old one, and logged out', async () => {
    const first = (await login({ email, password })).body;
    api.advance(1);
    const second = await api.ok('POST', 'auth/refresh', undefined, { token: first.token });
    expect(record({ token: text, expiredAt: millis })(second)).toEqual([]);
    expect(second.expiredAt).toBeGreaterThan(first.expiredAt);
    expectProblem(await me(first.token), 401);
    expect((await me(second.token)).status).toBe(200);
    await api.ok('POST', 'auth/logout', undefined, { token: second.token });
    expectProblem(await me(second.token), 401);
  });

  it('end after 12 hours, with the password, and with the user', async () => {
    const { token } = (await login({ email, password })).body;
    api.advance(day / 2);
    expectProblem(await me(token), 401);
    const other = (await login({ email, password })).body;
    await api.ok('PUT', `user/${userId}`, { password: `${password} 2` });
    expectProblem(await me(other.token), 401);
    const last = (await login({ email, password: `${password} 2` })).body;
    await api.ok('PUT', `user/${userId}`, { status: 'DISABLED' });
    expectProblem(await me(last.token), 401);
    expectProblem(await login({ email, password: `${password} 2` }), 401);
  });
});
