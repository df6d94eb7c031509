import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { issueToken } from '../../src/services/accounts/issueToken.ts';
import { addSource } from '../../testing/addSource.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { tally, together } from '../support/together.ts';

const password = 'correct horse battery';
const newPassword = 'another horse in seven rivers';
const url = 'https://console.example.com/accept';
let api: TestApi;
let acme: number;
let other: number;
let used = 0;
beforeAll(async () => {
  api = await startTestApi({ inviteOrigins: ['https://console.example.com'] });
  const { id: organisationId } = await api.ok('POST', 'organisation', { name: 'Group' });
  acme = (await api.ok('POST', 'tenant', { name: 'Acme', organisationId })).id;
  other = (await api.ok('POST', 'tenant', { name: 'Other' })).id;
  // The plan of tenants without a subscription.
  await api.ok('PUT', 'plan/1', { maxUsers: 1000, maxApiKeys: 1000 });
});
afterAll(() => api.stop());

const newEmail = () => `someone${++used}@example.com`;
async function newUser(more: Json = {}): Promise<Json> {
  const body = { tenantId: acme, email: newEmail(), password, roles: ['tenant-manager'], ...more };
  return api.ok('POST', 'user', body);
}
const login = (email: string, more: Json = {}) =>
  api.call('POST', 'auth/login', { email, password, ...more }, { token: null });
async function session(email: string, more: Json = {}): Promise<string> {
  const answer = await login(email, more);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.token;
}
const statusOf = async (token: string) => (await api.call('GET', 'auth/me', undefined, { token })).status;
const invite = (token: string, more: Json = {}) =>
  api.call('POST', 'invite', { email: newEmail(), roles: ['tenant-user'], url, ...more }, { token });
function secretOf({ headers }: { headers: Headers }): string {
  return new URL(headers.get('x-invite-accept-link')!).searchParams.get('invite')!;
}
const accept = (uid: string, more: Json = {}) =>
  api.call('POST', `invite/${uid}/accept`, { name: 'Bob', password, ...more }, { token: null });
const auditOf = async (action: string): Promise<Json[]> =>
  (await api.ok('GET', 'audit?size=10000')).data.filter((entry: Json) => entry.action === action);

describe('an invite', () => {
  it('gives its maker the link where no mail is sent, and no log has it', async () => {
    const manager = await session((await newUser()).email);
    const made = await invite(manager);
    const uid = secretOf(made);
    expect(made.text).not.toContain(uid);
    expect(api.log.join('')).not.toContain(uid);
    expect((await accept(uid)).status).toBe(201);
  });

  it('replaces the open one for the same address in the tenant, also when several are made at once', async () => {
    const manager = await session((await newUser()).email);
    const email = newEmail();
    const first = await invite(manager, { email: email.toUpperCase() });
    const second = await invite(manager, { email });
    expect((await accept(secretOf(first))).status).toBe(404);
    const list = async () =>
      (await api.ok('POST', 'invite/search', { where: `email = '${email}'` }, { token: manager })).data;
    expect((await list()).map(({ id }: Json) => id)).toEqual([second.body.id]);
    const answers = await together(6, () => invite(manager, { email }));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(await list()).toHaveLength(1);
    const open = answers.filter(({ status }) => status === 201).at(-1)!;
    const results = await together(1, () => accept(secretOf(open)));
    expect([201, 404]).toContain(results[0]!.status);
  });

  it.each([
    'https://evil.example/accept',
    'https://console.example.com.evil.example/accept',
    'https://console.example.com@evil.example/accept',
    'https://user:secret@console.example.com/accept',
    'http://console.example.com/accept',
    'https://console.example.com:8443/accept',
    'httpsconsole.example.com',
    'https:evil.example',
  ])('leads to no page but those that are allowed: not %s', async (address) => {
    const answer = await api.call('POST', 'invite', {
      tenantId: acme,
      email: newEmail(),
      roles: ['tenant-user'],
      url: address,
    });
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, '/url']);
    expect(answer.body.detail).toMatch(/https:..console\.example\.com|a user name|an http or https address/);
  });

  it.each([
    ['is disabled', { status: 'DISABLED' }],
    ['may no longer invite', { roles: ['tenant-viewer'] }],
    ['is deleted', undefined],
  ])('dies when its maker %s, and reads as unknown', async (_name, change) => {
    const maker = await newUser();
    const made = await invite(await session(maker.email));
    if (change) await api.ok('PUT', `user/${maker.id}`, change);
    else await api.ok('DELETE', `user/${maker.id}`);
    const dead = await accept(secretOf(made));
    const unknown = await accept('vigil_invite_unknown');
    expect([dead.status, dead.body.detail]).toEqual([404, unknown.body.detail]);
  });

  it('dies with the key that made it, and when the tenant leaves the organisation of its maker', async () => {
    const key = await api.ok('POST', 'apikey', { tenantId: acme, label: 'k', roles: ['tenant-manager'] });
    const byKey = await invite(key.token);
    await api.ok('DELETE', `apikey/${key.id}`);
    expect((await accept(secretOf(byKey))).status).toBe(404);
    const { organisationId } = await api.ok('GET', `tenant/${acme}`);
    const sibling = await api.ok('POST', 'tenant', { name: 'Sibling', organisationId });
    const head = await newUser({ roles: ['organisation-manager'] });
    const made = await invite(await session(head.email), { tenantId: sibling.id });
    const kept = await invite(await session(head.email), { tenantId: sibling.id });
    await api.ok('PUT', `tenant/${sibling.id}`, { organisationId: null });
    expect((await accept(secretOf(made))).status).toBe(404);
    await api.ok('PUT', `tenant/${sibling.id}`, { organisationId });
    expect((await accept(secretOf(kept))).status).toBe(201);
  });
});

describe('whether an address has a user in another tenant', () => {
  it('shows in no response: users, changes, invites and logins go as if it had none', async () => {
    const theirs = await newUser({ tenantId: other, password: 'violet engine under 7 hills' });
    const manager = await newUser();
    const token = await session(manager.email);
    const outcomes = async (email: string) => {
      const mine = await newUser({ roles: ['tenant-user'] });
      const change = { email, password: newPassword };
      const put = await api.call('PUT', `user/${mine.id}`, change, { token });
      const in1 = await login(email, { password: newPassword });
      await api.ok('DELETE', `user/${mine.id}`);
      const made = await invite(token, { email });
      const accepted = await accept(secretOf(made));
      const in2 = await login(email);
      const wrong = await login(email, { password: 'wrong' });
      await api.ok('DELETE', `user/${accepted.body.id}`);
      return [put, in1, made, accepted, in2, wrong].map(({ status }) => status);
    };
    expect(await outcomes(theirs.email)).toEqual(await outcomes(newEmail()));
    expect(await session(theirs.email, { password: 'violet engine under 7 hills' })).toBeDefined();
  });

  it('takes one derivation of a password to check, however many there are', async () => {
    const email = newEmail();
    for (const tenantId of [acme, other])
      await newUser({ tenantId, email, password: `${password} ${tenantId}` });
    const rows = await api.store.query<{ salt: string }>(
      sql`select distinct split_part(password_hash, '$', 5) as salt from member where email = ${email}`,
    );
    expect(rows).toHaveLength(1);
    const bare = await newUser();
    const answer = await api.call('PUT', `user/${bare.id}`, { email });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/password']);
  });

  it('lets the password or tenantId decide who logs in', async () => {
    const email = newEmail();
    const [a, b] = [await newUser({ email }), await newUser({ email, tenantId: other })];
    const who = async (more: Json) =>
      (await api.ok('GET', 'auth/me', undefined, { token: await session(email, more) })).userId;
    expect(await who({})).toBe(a.id);
    expect(await who({ tenantId: other })).toBe(b.id);
    await api.ok('PUT', `user/${b.id}`, { password: newPassword });
    expect(await who({ password: newPassword })).toBe(b.id);
    expect((await login(email, { tenantId: acme, password: newPassword })).status).toBe(401);
    expect((await api.call('POST', 'user', { tenantId: acme, email, roles: ['tenant-user'] })).status).toBe(
      409,
    );
  });
});

describe('a session', () => {
  it('ends at once with every other one when its user changes the password, which lists the keys to review', async () => {
    const { id, email } = await newUser();
    const [own, second, third] = [await session(email), await session(email), await session(email)];
    const key = await api.ok('POST', 'apikey', { label: 'mine', roles: ['tenant-viewer'] }, { token: own });
    const change = (body: Json) => api.call('POST', 'auth/password', body, { token: own });
    const wrong = await change({ oldPassword: 'wrong', newPassword });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/oldPassword']);
    const weak = await change({ oldPassword: password, newPassword: `${email.split('@')[0]}12345678` });
    expect([weak.status, weak.body.errors[0].code]).toEqual([422, 'too-weak']);
    const same = await change({ oldPassword: password, newPassword: password });
    expect([same.status, same.body.errors[0].code]).toEqual([422, 'same']);
    const done = await change({ oldPassword: password, newPassword });
    expect([done.status, done.body.data.map((entry: Json) => entry.id)]).toEqual([200, [key.id]]);
    expect((await api.ok('GET', 'auth/apikey', undefined, { token: own })).data).toEqual(done.body.data);
    expect([await statusOf(own), await statusOf(second), await statusOf(third)]).toEqual([200, 401, 401]);
    expect((await api.call('POST', 'auth/refresh', undefined, { token: second })).status).toBe(401);
    expect([(await login(email)).status, (await login(email, { password: newPassword })).status]).toEqual([
      401, 200,
    ]);
    expect((await auditOf('user.password')).some(({ record }) => record.id === id)).toBe(true);
  });

  it('ends when a manager resets the password, but a manager who resets the own keeps the one that asks', async () => {
    const [user, manager] = [await newUser(), await newUser()];
    const token = await session(manager.email);
    const [theirs, mine] = [await session(user.email), await session(manager.email)];
    for (const { id } of [user, manager])
      await api.ok('PUT', `user/${id}`, { password: newPassword }, { token });
    expect([await statusOf(theirs), await statusOf(mine), await statusOf(token)]).toEqual([401, 401, 200]);
  });

  it('ends for all when a used token is refreshed again, or two refresh at once', async () => {
    const { email } = await newUser();
    const first = await session(email);
    const refresh = (token: string) => api.call('POST', 'auth/refresh', undefined, { token });
    const second = (await refresh(first)).body.token;
    const third = (await refresh(second)).body.token;
    expect(await statusOf(third)).toBe(200);
    expect((await refresh(first)).status).toBe(401);
    expect(await statusOf(third)).toBe(401);
    expect((await auditOf('session.reuse')).length).toBeGreaterThan(0);
    const [copied, apart] = [await session(email), await session(email)];
    const answers = await together(2, () => refresh(copied));
    expect(tally(answers)).toEqual({ 200: 1, 401: 1 });
    expect(await statusOf(answers.find(({ status }) => status === 200)!.body.token)).toBe(401);
    expect(await statusOf(apart)).toBe(200);
    // A token that only waits for its answer elsewhere does no harm.
    const live = (await refresh(apart)).body.token;
    expect([await statusOf(apart), await statusOf(live)]).toEqual([401, 200]);
  });

  it('cannot be refreshed past a change of the password that runs at the same time', async () => {
    const { id, email } = await newUser();
    for (let round = 0; round < 5; round++) {
      const secret = `${password} ${round}`;
      await api.ok('PUT', `user/${id}`, { password: secret });
      const token = await session(email, { password: secret });
      const [refreshed, , opened] = await Promise.all([
        api.call('POST', 'auth/refresh', undefined, { token }),
        api.ok('PUT', `user/${id}`, { password: `${secret} ${round}` }),
        login(email, { password: secret }),
      ]);
      for (const { body } of [refreshed, opened])
        if (body.token) expect(await statusOf(body.token)).toBe(401);
      api.advance(600_000);
    }
  });

  it('is listed and ended by its user, and by no one else', async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const [own, second, theirs] = [
      await session(user.email),
      await session(user.email),
      await session(stranger.email),
    ];
    const list = async (token: string): Promise<Json[]> =>
      (await api.ok('GET', 'auth/session', undefined, { token })).data;
    const entries = await list(own);
    expect(entries.map(({ isCurrent, address }) => [isCurrent, address])).toEqual([
      [false, '127.0.0.1'],
      [true, '127.0.0.1'],
    ]);
    const end = (id: number, token: string) => api.call('DELETE', `auth/session/${id}`, undefined, { token });
    expect((await end(entries[0]!.id, theirs)).status).toBe(404);
    const renewed = (await api.ok('POST', 'auth/refresh', undefined, { token: second })).token;
    expect((await list(own))[0]).toMatchObject({ id: entries[0]!.id, createdAt: entries[0]!.createdAt });
    expect((await end(entries[0]!.id, own)).status).toBe(200);
    expect([await statusOf(renewed), await statusOf(own)]).toEqual([401, 200]);
    expect((await end(entries[0]!.id, own)).status).toBe(404);
  });

  it('cannot be refreshed beyond its greatest age, with a token and in a cookie', async () => {
    const { email } = await newUser();
    const console = { 'x-vigil-console': '1' };
    let token = await session(email);
    const answer = await api.call(
      'POST',
      'auth/login',
      { email, password, cookie: true },
      { token: null, headers: console },
    );
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const openedAt = api.services.now();
    const end = openedAt + api.services.sessionMaxMs;
    const refreshCookie = () =>
      api.call('POST', 'auth/refresh', undefined, { token: null, headers: { ...console, cookie } });
    for (let half = 1; half < 16; half++) {
      api.advance(11 * 3_600_000);
      const refreshed = await api.ok('POST', 'auth/refresh', undefined, { token });
      const { body } = await refreshCookie();
      for (const { expiredAt } of [refreshed, body]) expect(expiredAt).toBeLessThanOrEqual(end);
      token = refreshed.token;
    }
    const { expiredAt } = await api.ok('GET', 'auth/me', undefined, { token });
    expect(end - expiredAt).toBeLessThan(5000);
    api.advance(end - api.services.now());
    expect(await statusOf(token)).toBe(401);
    expect((await refreshCookie()).status).toBe(401);
    expect((await login(email)).status).toBe(200);
  });

  it('ends with all others of its user when a manager says so, and the password stays', async () => {
    const [user, manager, viewer] = [
      await newUser(),
      await newUser(),
      await newUser({ roles: ['tenant-viewer'] }),
    ];
    const [token, weak] = [await session(manager.email), await session(viewer.email)];
    const theirs = [await session(user.email), await session(user.email)];
    const end = (id: number, token: string) => api.call('DELETE', `user/${id}/session`, undefined, { token });
    expect((await end(user.id, weak)).status).toBe(403);
    const foreign = await newUser({ tenantId: other });
    expect((await end(foreign.id, token)).status).toBe(404);
    expect((await end(987_654, token)).status).toBe(404);
    const done = await end(user.id, token);
    expect([done.status, done.body]).toEqual([200, { ended: 2 }]);
    expect(await Promise.all(theirs.map(statusOf))).toEqual([401, 401]);
    expect((await login(user.email)).status).toBe(200);
    expect((await auditOf('session.end')).some(({ changes }) => changes.userId === user.id)).toBe(true);
    expect((await end(manager.id, token)).status).toBe(200);
    expect(await statusOf(token)).toBe(200);
  });

  it('is one of at most twenty: the oldest ends', async () => {
    const { id: userId, email } = await newUser();
    const tokens: string[] = [];
    for (let n = 0; n < 21; n++) {
      const made = { kind: 'SESSION', tenantId: acme, userId, label: null, roles: [] } as const;
      const now = api.services.now() - 60_000 + n;
      tokens.push((await issueToken(api.store, { ...made, expiredAt: now + 3_600_000 }, now)).token);
    }
    tokens.push(await session(email));
    const states = await Promise.all(tokens.map(statusOf));
    expect(states).toEqual([401, 401, ...Array<number>(20).fill(200)]);
  });
});

describe('an API key', () => {
  it('an API key of an engine pushes findings and does nothing else, and no user can have its role', async () => {
    const { detectorId, contractId } = await addSource(api, acme);
    const { schema } = await api.ok('GET', `detector/${detectorId}`);
    const project = await api.ok('POST', 'project', { tenantId: other, name: 'Theirs' });
    const place = { projectId: project.id, chainUid: 'ethereum', address: `0x${'a1'.repeat(20)}` };
    const contract = await api.ok('POST', 'contract', { ...place, name: 'Theirs' });
    const source = { contractId: contract.id, schemaId: schema.id, name: 'Theirs', source: 'EXTERNAL' };
    const { id: foreign } = await api.ok('POST', 'detector', source);
    const maker = await newUser();
    const manager = await session(maker.email);
    const key = await api.ok('POST', 'apikey', { label: 'e', roles: ['tenant-ingest'] }, { token: manager });
    const push = (id: number) =>
      api.call(
        'POST',
        `detector/${id}/alert`,
        { alerts: [{ eid: '1', message: 'Found.' }] },
        { token: key.token },
      );
    expect((await push(detectorId)).status).toBe(200);
    expect((await push(foreign)).status).toBe(404);
    for (const [method, path] of [
      ['GET', 'auth/me'],
      ['GET', `detector/${detectorId}`],
      ['GET', `contract/${contractId}`],
      ['POST', 'alert/search'],
      ['GET', 'alert/stream'],
      ['PUT', `detector/${detectorId}`],
    ] as const) {
      const { status, body } = await api.call(method, path, method === 'PUT' ? {} : undefined, {
        token: key.token,
      });
      expect([status, body.code], path).toEqual([403, 'forbidden']);
    }
    const member = { email: newEmail(), roles: ['tenant-ingest'] };
    for (const answer of [
      await api.call('POST', 'user', { ...member, tenantId: acme, password }),
      await invite(manager, member),
    ])
      expect([answer.status, answer.body.errors?.[0].pointer], answer.text).toEqual([400, '/roles/0']);
    // The key never does more than its maker could.
    await api.ok('PUT', `user/${maker.id}`, { roles: ['tenant-viewer'] });
    expect((await push(detectorId)).status).toBe(403);
  });

  it('ends when the plan says, also where no lifetime is given, and no later', async () => {
    const manager = await session((await newUser()).email);
    const make = (more: Json) =>
      api.call('POST', 'apikey', { label: 'k', roles: ['tenant-viewer'], ...more }, { token: manager });
    const day = 86_400;
    const lifeOf = ({ body }: { body: Json }) => Math.round((body.expiredAt - body.createdAt) / 1000);
    expect(lifeOf(await make({}))).toBe(365 * day);
    expect(lifeOf(await make({ lifetime: 60 }))).toBe(60);
    await api.ok('PUT', 'plan/1', { apiKeyDays: 30 });
    expect(lifeOf(await make({}))).toBe(30 * day);
    const { status, body } = await make({ lifetime: 31 * day });
    expect([status, body.code, body.errors[0].pointer, body.limit]).toEqual([
      403,
      'plan-limit',
      '/lifetime',
      30 * day,
    ]);
    await api.ok('PUT', 'plan/1', { apiKeyDays: 365 });
  });
});

describe('a password', () => {
  it.each([
    ['P@ssw0rd2024!', 'most common'],
    ['abcabcabcabc', 'repetition'],
    ['1qaz2wsx3edc', 'rows'],
    ['carolinesmith', 'own name'],
  ])('a password that is guessed early is refused wherever one is set: %s', async (weak, words) => {
    const { email } = { email: newEmail() };
    const user = { tenantId: acme, email, name: 'Caroline Smith', roles: ['tenant-user'], password: weak };
    const created = await api.call('POST', 'user', user);
    const made = await newUser({ name: 'Caroline Smith' });
    const changed = await api.call('PUT', `user/${made.id}`, { password: weak });
    const invited = await accept(secretOf(await invite(api.adminToken, { tenantId: acme })), {
      name: 'Caroline Smith',
      password: weak,
    });
    for (const { status, body } of [created, changed, invited]) {
      expect([status, body.errors?.[0]?.pointer, body.errors?.[0]?.code]).toEqual([
        422,
        '/password',
        'too-weak',
      ]);
      expect(body.detail).toContain(words);
    }
  });
});
