import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { expectProblem } from '../../support/expectProblem.ts';

const origin = 'https://console.example.com';
let api: TestApi;
let plain: TestApi;
beforeAll(async () => {
  // So slow that no machine earns a request between two others.
  api = await startTestApi({ rateLimit: { perSecond: 0.001, burst: 5 }, corsOrigins: [origin] });
  plain = await startTestApi();
});
afterAll(() => Promise.all([api.stop(), plain.stop()]));

describe('rate limits', () => {
  const me = (token: string) => api.call('GET', 'auth/me', undefined, { token });

  it('let a burst through, then refuse with the time to wait, for each token by itself', async () => {
    const [busy, idle] = [await api.token(null, 'admin'), await api.token(null, 'admin')];
    const burst = [];
    for (let n = 0; n < 5; n++) burst.push(await me(busy));
    expect(burst.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(burst.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])).toEqual([
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    const refused = await me(busy);
    expectProblem(refused, 429);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    for (const { headers } of [burst[0]!, refused]) {
      expect(headers.get('ratelimit')).toMatch(/^"[^"]+";r=\d+;t=\d+$/);
      expect(headers.get('ratelimit-policy')).toMatch(/^"[^"]+";q=5;w=5000$/);
    }
    expect((await me(idle)).status).toBe(200);
    api.advance(Number(refused.headers.get('retry-after')) * 1_000);
    expect((await me(busy)).status).toBe(200);
  });

  it('refuse guesses of a password too, from where they come', async () => {
    const guess = () =>
      api.call('POST', 'auth/login', { email: 'a@example.com', password: 'guess' }, { token: null });
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe('CORS', () => {
  const preflight = (server: TestApi, from: string) =>
    server.call('OPTIONS', 'contract/1', undefined, {
      token: null,
      headers: {
        origin: from,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type,if-match,idempotency-key',
      },
    });

  it('lets a configured origin call with the headers of the API', async () => {
    const answer = await preflight(api, origin);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/PUT/);
    const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase();
    for (const name of ['authorization', 'content-type', 'if-match', 'idempotency-key', 'x-request-id'])
      expect(allowed).toContain(name);
    const token = await api.token(null, 'admin');
    const called = await api.call('GET', 'auth/me', undefined, { token, headers: { origin } });
    expect([called.status, called.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    const exposed = (called.headers.get('access-control-expose-headers') ?? '').toLowerCase();
    for (const name of [
      'etag',
      'location',
      'x-request-id',
      'retry-after',
      'ratelimit',
      'x-invite-accept-link',
    ])
      expect(exposed).toContain(name);
    expect(called.headers.get('vary')?.toLowerCase()).toContain('origin');
    const refused = await api.call('GET', 'auth/me', undefined, { token: null, headers: { origin } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });

  it('lets no other origin, and none at all where none is configured', async () => {
    for (const [server, from] of [
      [api, 'https://evil.example.com'],
      [plain, origin],
    ] as const) {
      expect((await preflight(server, from)).headers.get('access-control-allow-origin')).toBeNull();
      const token = await server.token(null, 'admin');
      const answer = await server.call('GET', 'auth/me', undefined, { token, headers: { origin: from } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
