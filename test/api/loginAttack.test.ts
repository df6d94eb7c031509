import { request } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';

const password = 'correct horse battery';
const email = 'honest@example.com';
let api: TestApi;
let tenantId: number;
let userId: number;
beforeAll(async () => {
  api = await startTestApi();
  tenantId = (await api.ok('POST', 'tenant', { name: 'Acme' })).id;
  userId = (await api.ok('POST', 'user', { tenantId, email, password, roles: ['tenant-manager'] })).id;
});
afterAll(() => api.stop());

/** A login that comes from an address of its own: all of 127.0.0.0/8 is this machine. */
function login(from: string, body: Json): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}/api/v1/auth/login`, {
      method: 'POST',
      localAddress: from,
      agent: false,
      headers: { 'content-type': 'application/json' },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt }),
      );
    });
    sent.end(JSON.stringify(body));
  });
}

/** Each of the addresses sends one attempt after the other, as fast as it is answered. */
function attack(addresses: number, atOnce: number, body: () => Json) {
  const over = new AbortController();
  const statuses: Record<number, number> = {};
  const attackers = Array.from({ length: addresses * atOnce }, async (_, n) => {
    while (!over.signal.aborted) {
      const { status } = await login(`127.1.0.${(n % addresses) + 1}`, body());
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 429) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  return {
    statuses,
    tried: () => (statuses[401] ?? 0) + (statuses[429] ?? 0),
    async stop() {
      over.abort();
      await Promise.all(attackers);
    },
  };
}

it('lets an honest user in within 3 s while 50 addresses guess the same account', async () => {
  expect((await login('127.2.0.1', { email, password })).status).toBe(200);
  const guessing = attack(50, 1, () => ({ email, password: 'wrong' }));
  await vi.waitFor(() => expect(guessing.tried()).toBeGreaterThan(10), 30_000);
  const usual = await login('127.2.0.1', { email, password });
  const elsewhere = await login('127.2.0.2', { email: email.toUpperCase(), password });
  await guessing.stop();
  expect([usual.status, elsewhere.status]).toEqual([200, 200]);
  expect(usual.ms).toBeLessThan(3000);
});

it('lets honest users in within 3 s while one address tries random accounts', async () => {
  api.advance(3_600_000);
  let n = 0;
  const guessing = attack(1, 30, () => ({ email: `random${++n}@example.com`, password: 'wrong' }));
  await vi.waitFor(() => expect(guessing.tried()).toBeGreaterThan(10), 30_000);
  const [usual, elsewhere] = [
    await login('127.2.0.1', { email, password }),
    await login('127.2.0.3', { email, password }),
  ];
  await guessing.stop();
  expect([usual.status, elsewhere.status]).toEqual([200, 200]);
  expect(Math.max(usual.ms, elsewhere.ms)).toBeLessThan(3000);
});

it('records failed logins with their addresses, in few entries however many there are', async () => {
  await api.flush();
  const failed = async (tenant: number | undefined): Promise<Json[]> =>
    (await api.ok('GET', `audit?kind=session&size=10000${tenant ? `&tenantId=${tenant}` : ''}`)).data.filter(
      ({ action }: Json) => action === 'session.refuse',
    );
  const [entry, ...more] = await failed(tenantId);
  expect(more).toEqual([]);
  expect(entry!.actor.userId).toBe(userId);
  expect(entry!.changes.count).toBeGreaterThan(20);
  expect(entry!.changes.addresses).toHaveLength(20);
  for (const address of entry!.changes.addresses) expect(address).toMatch(/^127\.1\.0\.\d+$/);
  const [unknown, ...others] = (await failed(undefined)).filter(({ tenantId: of }) => of === null);
  expect(others).toEqual([]);
  expect(unknown!.changes).toMatchObject({ addresses: ['127.1.0.1'] });
  expect(JSON.stringify(unknown)).not.toContain('random');
});
