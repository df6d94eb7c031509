import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { tally, together } from '../support/together.ts';

const password = 'correct horse battery';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

/** The most connections that were taken at any moment of the work. */
async function mostTaken(work: Promise<unknown>): Promise<number> {
  let most = 0;
  const looking = setInterval(() => {
    const { total, idle } = api.store.stats();
    most = Math.max(most, total - idle);
  }, 1);
  await work.finally(() => clearInterval(looking));
  return most;
}

describe('passwords', () => {
  const login = (email: string) =>
    api.call('POST', 'auth/login', { email, password: 'wrong' }, { token: null });

  it('passwords that many try at once leave the connections to others, and a few attempts a second to each address', async () => {
    const logins = together(200, (i) => login(`somebody${i}@example.com`));
    expect(await mostTaken(logins)).toBeLessThanOrEqual(4);
    const answers = await logins;
    const { 401: tried = 0, 429: refused = 0, 503: late = 0 } = tally(answers);
    expect(tried + refused + late).toBe(200);
    expect(tried).toBeGreaterThanOrEqual(20);
    expect(refused).toBeGreaterThan(20);
    for (const { status, headers } of answers)
      if (status !== 401) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    api.advance(60_000);
  });

  it('passwords of one user can be tried thirty times, then seldom, whether there is such a user or not', async () => {
    await api.ok('POST', 'user', { email: 'known@example.com', password, roles: ['admin'] });
    for (const name of ['known', 'unknown']) {
      api.advance(60_000);
      const round = () => together(20, (i) => login(`${i % 2 ? name : name.toUpperCase()}@example.com`));
      const answers = [...(await round()), ...(await round()), ...(await round())];
      const { 401: tried = 0, 429: refused = 0 } = tally(answers);
      expect(tried + refused).toBe(60);
      expect(tried).toBeGreaterThanOrEqual(30);
      expect(refused).toBeGreaterThan(0);
      const { headers } = answers.find(({ status }) => status === 429)!;
      api.advance(Number(headers.get('retry-after')) * 1000);
      expect((await login(`${name}@example.com`)).status).toBe(401);
    }
    api.advance(60_000);
  });

  it('are set a few at a time, in a line that ends somewhere', async () => {
    const { id } = await api.ok('POST', 'user', { email: 'set@example.com', roles: ['admin'] });
    const changes = together(60, () => api.call('PUT', `user/${id}`, { password }));
    expect(await mostTaken(changes)).toBeLessThanOrEqual(4);
    const answers = await changes;
    const { 200: done = 0, 503: refused = 0 } = tally(answers);
    expect([done + refused, done >= 22, refused > 0]).toEqual([60, true, true]);
    const { headers, body } = answers.find(({ status }) => status === 503)!;
    expect([body.code, headers.get('retry-after')]).toEqual(['unavailable', '2']);
  });

  it('take the same time to refuse, whether there is such a user or not', async () => {
    await api.ok('POST', 'user', { email: 'timed@example.com', password, roles: ['admin'] });
    const times: Record<string, number[]> = { known: [], unknown: [] };
    for (let n = 0; n < 9; n++) {
      for (const [who, email] of [
        ['known', 'timed@example.com'],
        ['unknown', `nobody${n}@example.com`],
      ] as const) {
        api.advance(10_000);
        const startedAt = performance.now();
        expect((await login(email)).status).toBe(401);
        times[who]!.push(performance.now() - startedAt);
      }
    }
    const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[4]!;
    const ratio = median(times.known!) / median(times.unknown!);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});
