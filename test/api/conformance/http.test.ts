import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem } from '../../support/expectProblem.ts';

let api: TestApi;
let world: World;
let path: string;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  path = `project/${world.project.id}`;
});
afterAll(() => api.stop());

/** Endpoints of docs/api-spec.md that are about records. */
const endpoints: [string, string][] = [
  ['DELETE', 'tokenomics/category/1'],
  ['DELETE', 'tokenomics/schedule/1'],
  ['PUT', 'action/1'],
  ['PUT', 'destination/1'],
  ['POST', 'destination'],
  ['POST', 'contract'],
  ['POST', 'detector/search'],
  ['POST', 'project/search'],
  ['POST', 'license'],
  ['POST', 'destination/search'],
  ['POST', 'subscription'],
  ['POST', 'invite'],
  ['POST', 'wallet'],
  ['POST', 'instance/meta/search'],
  ['POST', 'score/group/search'],
];

describe('the Authorization header', () => {
  it.each(endpoints)('is needed by %s %s, which lives under /api/v1 only', async (method, endpoint) => {
    const body = method === 'DELETE' ? undefined : {};
    const answer = await api.call(method, endpoint, body, { token: null });
    expectProblem(answer, 401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
    for (const prefix of ['', '/api', '/api/v2'])
      expectProblem(await api.call(method, `${prefix}/${endpoint}`, body), 404);
  });

  it('must be the word Bearer, a space and a token that is known', async () => {
    const { adminToken } = api;
    const wrong = ['', 'Bearer', 'Bearer ', adminToken, `Basic ${adminToken}`, `Bearer${adminToken}`];
    wrong.push(
      `Bearer ${adminToken}x`,
      `Bearer ${adminToken} ${adminToken}`,
      `Bearer "${adminToken}"`,
      'Bearer x',
    );
    for (const authorization of wrong) {
      const answer = await api.call('GET', path, undefined, { token: null, headers: { authorization } });
      expectProblem(answer, 401);
      expect(answer.headers.get('www-authenticate'), authorization).toMatch(/^Bearer\b/);
      expect(answer.text).not.toContain(adminToken);
    }
    const inQuery = await api.call('GET', `${path}?access_token=${adminToken}`, undefined, { token: null });
    expectProblem(inQuery, 401);
  });
});

describe('X-Request-Id', () => {
  it('comes back as it was sent, also in a problem, and is made when it is missing or unusable', async () => {
    const headers = { 'x-request-id': 'trace-1.A' };
    const good = await api.call('GET', path, undefined, { headers });
    expect(good.headers.get('x-request-id')).toBe('trace-1.A');
    const bad = await api.call('GET', 'project/999999', undefined, { headers });
    expect(expectProblem(bad, 404).requestId).toBe('trace-1.A');
    const made = [undefined, { 'x-request-id': 'a "b"' }, { 'x-request-id': 'x'.repeat(5_000) }].map(
      async (unusable) => {
        const answer = await api.call('GET', path, undefined, { headers: unusable ?? {} });
        return answer.headers.get('x-request-id') ?? '';
      },
    );
    const ids = await Promise.all(made);
    expect(ids.filter((id) => /^[\w-]{16,128}$/.test(id))).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('methods and paths', () => {
  it.each([
    ['PATCH', 'contract', ['POST', 'OPTIONS']],
    ['GET', 'contract', ['POST', 'OPTIONS']],
    ['HEAD', 'contract', ['POST', 'OPTIONS']],
    ['POST', 'contract/1', ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']],
    ['GET', 'project/search', ['POST', 'OPTIONS']],
    ['PUT', 'invite/1', ['GET', 'HEAD', 'DELETE', 'OPTIONS']],
    ['DELETE', 'auth/me', ['GET', 'HEAD', 'OPTIONS']],
  ])('%s %s answers 405 with Allow', async (method, endpoint, allowed) => {
    const answer = await api.call(method, endpoint);
    expect([answer.status, (answer.headers.get('allow') ?? '').split(/, */).sort()]).toEqual([
      405,
      [...allowed].sort(),
    ]);
    if (method !== 'HEAD') expectProblem(answer, 405);
  });

  it('OPTIONS lists the methods of a path without a token', async () => {
    const answer = await api.call('OPTIONS', 'contract/1', undefined, { token: null });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('allow')).toMatch(/GET.*PUT.*DELETE/);
  });

  it('HEAD answers like GET, without the body', async () => {
    const get = await api.call('GET', path);
    const head = await api.call('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'content-length'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect((await api.call('HEAD', 'project/999999')).status).toBe(404);
    expect((await api.call('HEAD', path, undefined, { token: null })).status).toBe(401);
  });

  it.each([
    '/api/v1',
    '/api/v1/nothing',
    '/api/v1/contracts',
    '/api/v1/contract/1/nothing',
    '/nothing',
    '/api/v1/%ff',
  ])('%s is an unknown path', async (unknown) => {
    expectProblem(await api.call('GET', unknown), 404);
  });

  it.each(['abc', '0', '-1', '1.5', '9999999999999999', '%20'])('an id of %s is no record', async (id) => {
    const answer = await api.call('GET', `project/${id}`);
    expect([400, 404]).toContain(answer.status);
    expectProblem(answer, answer.status);
  });

  it('a problem points at a page that explains it', async () => {
    const { type } = expectProblem(await api.call('GET', 'project/999999'), 404);
    const page = await api.call('GET', type, undefined, { token: null });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });
});

describe('bodies', () => {
  const send = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    api.call('POST', 'license', undefined, { raw, headers });

  it('are JSON', async () => {
    const made = await send('{"name":"x","version":"0"}', {
      'content-type': 'application/json; charset=utf-8',
    });
    expect([made.status, made.headers.get('content-type')]).toEqual([
      201,
      expect.stringMatching(/^application\/json(;|$)/),
    ]);
    expectProblem(await send('{"name":"x"', {}), 400);
    expectProblem(await send(''), 400);
    expectProblem(await send('[]'), 400);
    expectProblem(await send('"text"'), 400);
    expectProblem(await send('name=x', { 'content-type': 'application/x-www-form-urlencoded' }), 415);
    expectProblem(await send('{}', { 'content-type': 'text/plain' }), 415);
    expectProblem(await send(Uint8Array.of(0x22, 0xff, 0x22)), 400);
    expectProblem(await send(`{"params":${'['.repeat(64)}${']'.repeat(64)}}`), 400);
  });

  it('have at most 1 MiB, and 4 MiB where a contract’s abi goes in', async () => {
    const icon = (bytes: number) => `{"icon":"${'x'.repeat(bytes - 11)}"}`;
    expectProblem(await send(icon(1024 * 1024)), 400, '/icon');
    expectProblem(await send(icon(1024 * 1024 + 1)), 413);
    const inputs = [{ type: 'uint256', name: 'x'.repeat(960) }];
    const entry = { type: 'function', name: 'f', inputs, outputs: [] };
    const contract = {
      projectId: world.project.id,
      name: 'Large',
      chainUid: 'ethereum',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    };
    const withAbi = (count: number) => ({ ...contract, abi: Array.from({ length: count }, () => entry) });
    const made = await api.call('POST', 'contract', withAbi(3_500));
    expect(made.status, made.text.slice(0, 500)).toBe(201);
    expectProblem(await api.call('POST', 'contract', withAbi(4_100)), 413);
  });

  it('may be compressed, both ways', async () => {
    const made = await send(gzipSync(JSON.stringify({ name: 'Packed', version: '1' })), {
      'content-encoding': 'gzip',
    });
    expect([made.status, made.body.name], made.text).toEqual([201, 'Packed']);
    expectProblem(await send('{"name":"x","version":"2"}', { 'content-encoding': 'gzip' }), 400);
    const long = await api.call('GET', 'chain', undefined, { headers: { 'accept-encoding': 'gzip' } });
    expect([long.status, long.headers.get('content-encoding'), long.body.data.length]).toEqual([
      200,
      'gzip',
      32,
    ]);
  });
});

describe('Idempotency-Key', () => {
  const uri = 'https://example.com/idempotent';
  const create = (key: string, body: Json, token = api.adminToken) =>
    api.call('POST', 'destination', body, { token, headers: { 'idempotency-key': key } });
  const body = () => ({ tenantId: world.tenant.id, type: 'HTTP', uri });
  const count = async () =>
    (await api.ok('POST', 'destination/search', { where: `uri = '${uri}'`, trackTotal: true })).total;

  it('answers the same request with the first response, and another body with 422', async () => {
    const before = await count();
    const first = await create('key-1', body());
    const again = await create('key-1', body());
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    for (const name of ['etag', 'location']) expect(again.headers.get(name)).toBe(first.headers.get(name));
    expectProblem(await create('key-1', { ...body(), tags: ['WALLET'] }), 422);
    const elsewhere = { headers: { 'idempotency-key': 'key-1' } };
    expectProblem(await api.call('POST', 'license', { name: 'L', version: '9' }, elsewhere), 422);
    expect(await count()).toBe(before + 1);
    expect((await create('key-2', body())).body.id).not.toBe(first.body.id);
  });

  it('is a matter of each tenant by itself', async () => {
    const other = await createWorld(api);
    const own = { type: 'EMAIL', value: 'shared@example.com' };
    const [mine, colleague] = await Promise.all([1, 2].map(() => api.token(world.tenant.id, 'tenant-user')));
    const theirs = await api.token(other.tenant.id, 'tenant-user');
    const first = await create('shared', own, mine);
    expect((await create('shared', own, colleague)).body).toEqual(first.body);
    expect((await create('shared', own, theirs)).body).toMatchObject({ tenantId: other.tenant.id });
  });

  it('gives a secret again to the token that asked first, and to no other', async () => {
    const tenantId = world.tenant.id;
    const [mine, colleague] = await Promise.all([1, 2].map(() => api.token(null, 'admin')));
    const requests: [string, Json, (answer: Answer) => unknown][] = [
      ['destination', { tenantId, type: 'HTTP', uri }, ({ headers }) => headers.get('x-webhook-secret')],
      ['apikey', { tenantId, label: 'k', roles: ['tenant-viewer'] }, ({ body }) => body.token],
      [
        'invite',
        {
          tenantId,
          email: 'idempotent@example.com',
          roles: ['tenant-viewer'],
          url: 'https://console.example.com/',
        },
        ({ headers }) => headers.get('x-invite-accept-link'),
      ],
    ];
    for (const [path, body, secretOf] of requests) {
      const sent = (token: string) =>
        api.call('POST', path, body, { token, headers: { 'idempotency-key': `secret-${path}` } });
      const first = await sent(mine!);
      expect([first.status, typeof secretOf(first)], first.text).toEqual([201, 'string']);
      expect(secretOf(await sent(mine!)), path).toBe(secretOf(first));
      const refused = await sent(colleague!);
      expectProblem(refused, 422);
      expect(refused.body.code).toBe('idempotency-mismatch');
      expect(secretOf(refused) ?? null).toBeNull();
    }
  });

  it('does not keep a refusal, and must be readable', async () => {
    expectProblem(await create('key-3', { ...body(), type: 'FAX' }), 400);
    expect((await create('key-3', body())).status).toBe(201);
    expectProblem(await create('x'.repeat(300), body()), 400);
  });

  it('is kept for 24 hours', async () => {
    const first = await create('key-4', body());
    api.advance(24 * 3600 * 1000 - 60_000);
    expect((await create('key-4', body())).body.id).toBe(first.body.id);
    api.advance(61_000);
    expect((await create('key-4', body())).body.id).toBeGreaterThan(first.body.id);
  });
});
