import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressKey } from '../../src/api/http/trustedProxies.ts';
import { addSource } from '../../testing/addSource.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
let tenantId: number;
beforeAll(async () => {
  const trustedProxies = new BlockList();
  trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
  trustedProxies.addAddress('10.0.0.7', 'ipv4');
  api = await startTestApi({ rateLimit: { perSecond: 1, burst: 20 }, trustedProxies });
  // A clock of an hour later fills every bucket.
  ({ id: tenantId } = (await api.ok('POST', 'tenant', { name: 'Limits' })) as { id: number });
});
afterAll(() => api.stop());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const me = (token: string, address: string) =>
  api.call('GET', 'auth/me', undefined, { token, ...from(address) });

describe('by address', () => {
  it('unknown tokens are refused after a burst, while those that are known and those that just logged in pass', async () => {
    const good = await api.token(tenantId, 'tenant-viewer');
    expect((await me(good, '203.0.113.1')).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await me(`guess-${n}`, '203.0.113.1')).status);
    // A sixth of the burst of 20.
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    const refused = await me('guess-again', '203.0.113.1');
    expect(refused.body).toMatchObject({ code: 'rate-limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
    // Known, from another address, and new but just made.
    expect((await me(good, '203.0.113.1')).status).toBe(200);
    expect((await me(await api.token(tenantId, 'tenant-viewer'), '203.0.113.2')).status).toBe(200);
    const [email, password] = ['limited@example.com', 'correct horse battery staple'];
    await api.ok('POST', 'user', { tenantId, email, password, roles: ['tenant-viewer'] });
    const session = await api.ok(
      'POST',
      'auth/login',
      { email, password },
      { token: null, ...from('203.0.113.1') },
    );
    expect((await me(session.token, '203.0.113.1')).status).toBe(200);
  });

  it('counts the last address that no trusted proxy has, and nothing that a client made up', async () => {
    const login = (forwarded: string) =>
      api.call('POST', 'auth/login', {}, { token: null, ...from(forwarded) });
    const remaining = async (forwarded: string) =>
      Number(/r=(\d+)/.exec((await login(forwarded)).headers.get('ratelimit')!)![1]);
    expect(await remaining('198.51.100.1')).toBe(19);
    expect(await remaining('198.51.100.1')).toBe(18);
    expect(await remaining('198.51.100.99, 198.51.100.1')).toBe(17);
    expect(await remaining('198.51.100.1, 10.0.0.7')).toBe(16);
    expect(await remaining('nonsense, 198.51.100.1:4711, 10.0.0.7')).toBe(15);
    expect(await remaining('198.51.100.2')).toBe(19);
    // Without an address that can be read it is the proxy itself that counts.
    const own = await remaining('unknown');
    expect(await remaining('198.51.100.1, ;;;')).toBe(own - 1);
  });

  it('takes a network of IPv6 for one address', () => {
    expect(addressKey('2001:db8::1')).toBe(addressKey('2001:db8:0:0:ffff::2'));
    expect(addressKey('2001:db8::1')).not.toBe(addressKey('2001:db8:0:1::1'));
    expect(addressKey('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });
});

describe('what is answered without a token', () => {
  const get = (path: string, address: string, headers: Record<string, string> = {}) =>
    api.call('GET', path, undefined, { token: null, headers: { ...from(address).headers, ...headers } });

  it('has a limit by address, and a probe one of its own', async () => {
    const paths = [
      '/docs/json',
      '/openapi.json',
      '/metrics',
      '/',
      '/nothing',
      'alert/1',
      '/docs/problem/internal',
    ];
    const statuses: number[] = [];
    // Twice the burst of 20, and some more.
    for (let n = 0; n < 50; n++) statuses.push((await get(paths[n % paths.length]!, '203.0.113.50')).status);
    expect(statuses.slice(0, 40)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
    for (const path of paths) {
      const { status, body, headers } = await get(path, '203.0.113.50');
      expect([status, body.code], path).toEqual([429, 'rate-limited']);
      expect(Number(headers.get('retry-after')), path).toBeGreaterThan(0);
    }
    // A header that looks like a token, made up as it is, buys nothing.
    expect((await get('/docs/json', '203.0.113.50', { authorization: 'Bearer x' })).status).toBe(429);
    expect((await get('/healthz', '203.0.113.50')).status).toBe(200);
    expect((await get('/docs/json', '203.0.113.51')).status).toBe(200);
    const good = await api.token(tenantId, 'tenant-viewer');
    expect((await me(good, '203.0.113.50')).status).toBe(200);
  });
});

it('a tenant with many tokens has a limit as a whole, beyond which it uses what others leave', async () => {
  const { id: other } = await api.ok('POST', 'tenant', { name: 'Others' });
  const quiet = await api.token(other, 'tenant-viewer');
  const { id } = await api.ok('POST', 'tenant', { name: 'Many' });
  const tokens = await Promise.all(Array.from({ length: 20 }, () => api.token(id, 'tenant-viewer')));
  let passed = 0;
  const reasons = new Set<string>();
  const startedAt = performance.now();
  for (const token of tokens) {
    for (let n = 0; n < 20; n++) {
      const { status, body } = await me(token, '192.0.2.1');
      if (status === 200) passed++;
      else reasons.add(body.detail);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  // Its own 100 and the spare 100, and what is filled up again meanwhile: 5 a second each.
  expect(passed).toBeGreaterThanOrEqual(200);
  expect(passed).toBeLessThan(205 + 10 * seconds);
  expect([...reasons]).toEqual(['More than 5 requests a second of this tenant.']);
  expect((await me(quiet, '192.0.2.2')).status).toBe(200);
});

it('a tenant pushes as many alerts a minute as its plan says, and none of a request beyond that is kept', async () => {
  api.advance(3_600_000);
  await api.ok('PUT', 'plan/1', { maxPushedAlerts: 5 });
  const { detectorId } = await addSource(api, tenantId);
  // Well inside of a minute.
  const now = api.services.now();
  api.advance(60_000 - (now % 60_000) + 1000);
  const push = (...eids: string[]) =>
    api.call('POST', `detector/${detectorId}/alert`, {
      alerts: eids.map((eid) => ({ eid, message: 'Found.' })),
    });
  expect((await push('a', 'b', 'c', 'd')).status).toBe(200);
  const refused = await push('d', 'e', 'f');
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate-limited', limit: 5, count: 4 } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
  // What was pushed before costs nothing, and what was refused was not kept.
  expect(
    (await push('a', 'b', 'c', 'd', 'e')).body.results.map(({ result }: { result: string }) => result),
  ).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate', 'created']);
  api.advance(60_000);
  expect((await push('f')).status).toBe(200);
  const me = await api.ok('GET', 'auth/me', undefined, { token: await api.token(tenantId, 'tenant-viewer') });
  expect(me.plan.limits.maxPushedAlerts).toBe(5);
  expect(me.plan.use.maxPushedAlerts).toBe(1);
});

it('an import of labels beyond the plan is undone as a whole', async () => {
  api.advance(3_600_000);
  await api.ok('PUT', 'plan/1', { maxLabels: 3 });
  const csv = (count: number) =>
    ['address', ...Array.from({ length: count }, (_, n) => `0x${String(n).padStart(40, '0')}`)].join('\n');
  expect((await api.call('POST', 'label/import', { tenantId, csv: csv(3) })).status).toBe(200);
  const refused = await api.call('POST', 'label/import', { tenantId, csv: csv(4) });
  expect(refused).toMatchObject({ status: 403, body: { code: 'plan-limit', limit: 3, count: 4 } });
  expect((await api.call('POST', 'label/import', { tenantId, csv: csv(3) })).body).toMatchObject({
    unchanged: 3,
  });
  expect((await api.call('POST', 'label/import', { csv: csv(4) })).body).toMatchObject({ created: 4 });
  const list = { raw: `["0x${'1'.repeat(40)}"]`, headers: { 'content-type': 'application/json' } };
  const path = 'label/import/sanctions';
  expect((await api.call('POST', `${path}?tenantId=${tenantId}`, undefined, list)).status).toBe(403);
  expect((await api.call('POST', path, undefined, list)).body).toMatchObject({ created: 1 });
});
