import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../sdk/src/createClient.ts';
import { type Answer, type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
const user = { email: 'ann@example.com', password: 'correct horse battery' };
const own = { 'x-vigil-console': '1' };

beforeAll(async () => {
  api = await startTestApi();
  await api.ok('POST', 'tenant', { name: 'One' });
  await api.ok('POST', 'user', { ...user, name: 'Ann', tenantId: 1, roles: ['tenant-manager'] });
});
afterAll(() => api.stop());

const cookieOf = (answer: Answer) => answer.headers.get('set-cookie')?.split(';')[0] ?? '';

/** A request as a browser with this cookie sends it. */
const browse = (
  method: string,
  path: string,
  cookie: string,
  headers: Record<string, string> = own,
  body?: Json,
) => api.call(method, path, body, { token: null, headers: { ...headers, cookie } });

async function signIn(): Promise<string> {
  const answer = await api.call(
    'POST',
    'auth/login',
    { ...user, cookie: true },
    { token: null, headers: own },
  );
  expect(answer.status).toBe(200);
  return cookieOf(answer);
}

it('keeps the token out of the answer and out of the reach of scripts and other sites', async () => {
  const answer = await api.call(
    'POST',
    'auth/login',
    { ...user, cookie: true },
    { token: null, headers: own },
  );
  expect(answer.body).toEqual({ expiredAt: expect.any(Number) });
  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-vigil_session=vigil_session_[\w-]+; Path=\/; Max-Age=4(3199|3200); HttpOnly; SameSite=Strict; Secure, __Host-vigil_device=/,
  );
  const me = await browse('GET', 'auth/me', cookieOf(answer));
  expect(me.body).toMatchObject({ userId: 1, tokenKind: 'SESSION', expiredAt: answer.body.expiredAt });
});

it('refuses every change without the header that only the own page sends', async () => {
  const cookie = await signIn();
  const other = { origin: 'https://evil.example' };
  expect((await browse('GET', 'auth/me', cookie, other)).status).toBe(200);
  for (const [method, path] of [
    ['POST', 'project'],
    ['POST', 'alert/search'],
    ['PUT', 'project/1'],
    ['DELETE', 'project/1'],
    ['POST', 'auth/logout'],
  ] as const)
    expect(
      (await browse(method, path, cookie, other, method === 'DELETE' ? undefined : { name: 'X' })).body,
    ).toMatchObject({
      status: 403,
      code: 'console-header-missing',
    });
  const made = await browse('POST', 'project', cookie, own, { name: 'Mine' });
  expect([made.status, made.body.tenantId]).toEqual([201, 1]);
  const login = await api.call('POST', 'auth/login', { ...user, cookie: true }, { token: null });
  expect(login).toMatchObject({ status: 403, body: { code: 'console-header-missing' } });
});

it('prefers the Authorization header, and takes a cookie for nothing else', async () => {
  const cookie = await signIn();
  const admin = await api.call('GET', 'auth/me', undefined, { headers: { cookie } });
  expect(admin.body.tokenKind).toBe('ADMIN');
  for (const wrong of [
    '',
    'vigil_session=x',
    cookie.replace('__Host-', ''),
    `${cookie}x`,
    cookie.slice(0, 40),
  ])
    expect((await browse('GET', 'auth/me', wrong)).status).toBe(401);
});

it('lasts longer by a refresh, in all tabs, under the same token', async () => {
  const cookie = await signIn();
  api.advance(11 * 3600_000);
  const refreshed = await browse('POST', 'auth/refresh', cookie);
  expect([refreshed.status, cookieOf(refreshed)]).toEqual([200, cookie]);
  expect((await browse('POST', 'auth/refresh', cookie)).status).toBe(200);
  api.advance(11 * 3600_000);
  expect((await browse('GET', 'auth/me', cookie)).status).toBe(200);
  api.advance(2 * 3600_000);
  expect((await browse('GET', 'auth/me', cookie)).status).toBe(401);
});

it('is listed and ended with the other sessions, and ends by logout with its cookie', async () => {
  const [mine, lost] = [await signIn(), await signIn()];
  const { data } = (await browse('GET', 'auth/session', mine)).body;
  const other = data.find((session: Json) => !session.isCurrent);
  expect((await browse('DELETE', `auth/session/${other.id}`, mine)).status).toBe(200);
  expect((await browse('GET', 'auth/me', lost)).status).toBe(401);
  const out = await browse('POST', 'auth/logout', mine);
  expect(out.headers.get('set-cookie')).toMatch(/^__Host-vigil_session=; Path=\/; Max-Age=0;/);
  expect((await browse('GET', 'auth/me', mine)).status).toBe(401);
});

it('carries an API key, which outlives it', async () => {
  const key = await api.token(1, 'tenant-viewer');
  const answer = await api.call('POST', 'auth/cookie', undefined, { token: key, headers: own });
  const cookie = cookieOf(answer);
  expect(cookie).toBe(`__Host-vigil_session=${key}`);
  expect((await browse('GET', 'auth/me', cookie)).body.roles).toEqual(['tenant-viewer']);
  expect(cookieOf(await browse('POST', 'auth/refresh', cookie))).toBe(cookie);
  expect((await browse('POST', 'auth/logout', cookie)).status).toBe(200);
  expect((await api.call('GET', 'auth/me', undefined, { token: key })).status).toBe(200);
});

it('serves the client in a page, from login to logout', async () => {
  let cookie = '';
  const vigil = createClient({
    url: api.url,
    cookie: true,
    // What a browser does with the cookie.
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, headers: { ...(init?.headers as object), cookie } });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    },
  });
  await vigil.login(user);
  const { id } = await vigil.post('/project', { body: { name: 'From a page' } });
  expect((await vigil.get('/project/{id}', { path: { id } })).name).toBe('From a page');
  await vigil.logout();
  await expect(vigil.get('/auth/me')).rejects.toMatchObject({ code: 'unauthenticated' });
  await vigil.loginWithToken(api.adminToken);
  expect(await vigil.get('/auth/me')).toMatchObject({ tokenKind: 'ADMIN', expiredAt: null });
});
