import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../sdk/src/createClient.ts';
import { VigilError } from '../../sdk/src/VigilError.ts';
import { verifyWebhook } from '../../sdk/src/verifyWebhook.ts';

type Sent = { url: string; method: string; headers: Record<string, string>; body: unknown };
type Step = Response | Error;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': status < 400 ? 'application/json' : 'application/problem+json', ...headers },
  });
const refusal = (code: string, status: number, headers: Record<string, string> = {}) =>
  json({ code, title: code, detail: `It is ${code}.`, status }, status, headers);

/** A server that answers with these steps, one for each request. */
function scripted(...steps: Step[]) {
  const sent: Sent[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const { method = 'GET', headers, body } = init;
    sent.push({
      url: String(url),
      method,
      headers: headers as Record<string, string>,
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    });
    const step = steps.shift();
    if (!step) throw new Error('The script of the server has ended.');
    if (step instanceof Error) throw step;
    return step;
  };
  const client = createClient({ url: 'http://vigil', token: 'key', fetch });
  return { client, sent };
}

const failure = async (work: Promise<unknown>): Promise<VigilError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof VigilError) return error;
  throw new Error('It did not fail with a VigilError.', { cause: error });
};

describe('requests', () => {
  it('fill the path, the query and the token, and return the body', async () => {
    const { client, sent } = scripted(json({ data: [] }));
    const reply = await client.get('/destination/{id}/delivery', { path: { id: 7 }, query: { size: 5 } });
    expect(reply).toEqual({ data: [] });
    expect(sent[0]).toMatchObject({
      url: 'http://vigil/api/v1/destination/7/delivery?size=5',
      headers: { authorization: 'Bearer key' },
    });
  });

  it('cannot leave their path by a value', async () => {
    const { client, sent } = scripted(json({}));
    await client.get('/alert/{uid}', { path: { uid: '../auth/me?x=#' } });
    expect(sent[0]!.url).toBe('http://vigil/api/v1/alert/..%2Fauth%2Fme%3Fx%3D%23');
    await expect(client.get('/alert/{uid}', { path: { uid: '' } })).rejects.toThrow('needs `uid`');
  });

  it('throw the problem with its code, faults and request id', async () => {
    const problem = {
      code: 'invalid-input',
      detail: '/name: is required.',
      errors: [{ pointer: '/name', code: 'required', message: 'is required.' }],
    };
    const { client } = scripted(json(problem, 400, { 'x-request-id': 'r1' }));
    const error = await failure(client.post('/project', { body: { name: '' } }));
    expect(error).toMatchObject({ code: 'invalid-input', status: 400, requestId: 'r1', problem });
    expect(error.faults).toEqual({ '/name': 'is required.' });
  });

  it('say so when something else than Vigil answers', async () => {
    const { client } = scripted(new Response('<html>', { status: 418 }));
    expect(await failure(client.get('/auth/me'))).toMatchObject({ code: 'unexpected-answer', status: 418 });
  });

  it('say so when something else answers with success: a page, no type, or broken JSON', async () => {
    const page = { 'content-type': 'text/html' };
    for (const answer of [
      () => new Response('<html>', { headers: page }),
      () => new Response('{}', { headers: { 'content-type': '' } }),
      () => new Response('{"data":', { headers: { 'content-type': 'application/json' } }),
    ]) {
      const { client, sent } = scripted(answer());
      const error = await failure(client.get('/auth/me'));
      expect([error.code, error.status]).toEqual(['unexpected-answer', 200]);
      expect(sent).toHaveLength(1);
    }
    const { client } = scripted(new Response('<html>', { headers: page }));
    expect((await failure(client.open('GET', '/auth/me'))).code).toBe('unexpected-answer');
  });

  it.each(['http://vigil', 'http://vigil/', 'http://vigil//', 'http://vigil/api/v1', 'http://vigil/api/v1/'])(
    'reach the API at %s',
    async (url) => {
      const sent: string[] = [];
      const fetch = async (to: unknown) => {
        sent.push(String(to));
        return json({});
      };
      await createClient({ url, token: 'key', fetch }).get('/auth/me');
      expect(sent).toEqual(['http://vigil/api/v1/auth/me']);
    },
  );

  it('requests that wait for a second user are no success', async () => {
    const { client } = scripted(json({ id: 3, state: 'PENDING' }, 202));
    const error = await failure(client.put('/wallet/{id}', { path: { id: 1 }, body: { name: 'Cold' } }));
    expect(error).toMatchObject({ code: 'approval-pending', status: 202, approval: { id: 3 } });
  });
});

describe('retries', () => {
  it('repeat a create under one Idempotency-Key until it is answered', async () => {
    const { client, sent } = scripted(
      new TypeError('fetch failed'),
      refusal('unavailable', 503, { 'retry-after': '0' }),
      refusal('idempotency-in-flight', 409, { 'retry-after': '0' }),
      json({ id: 1 }, 201),
    );
    expect(await client.post('/project', { body: { name: 'A' } })).toEqual({ id: 1 });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(sent).toHaveLength(4);
  });

  it('give two creates keys of their own', async () => {
    const { client, sent } = scripted(json({ id: 1 }), json({ id: 2 }));
    await client.post('/project', { body: { name: 'A' } });
    await client.post('/project', { body: { name: 'A' } });
    expect(sent[0]!.headers['idempotency-key']).not.toBe(sent[1]!.headers['idempotency-key']);
  });

  it('repeat a push, whose findings count once', async () => {
    const { client, sent } = scripted(
      new TypeError('fetch failed'),
      refusal('unavailable', 503, { 'retry-after': '0' }),
      json({ results: [] }),
    );
    const alerts = [{ eid: '1', message: 'Found.' }];
    await client.post('/detector/{id}/alert', { path: { id: 1 }, body: { alerts } });
    expect(sent).toHaveLength(3);
  });

  it('never repeat what may have been done and could be done twice', async () => {
    for (const step of [new TypeError('fetch failed'), refusal('unavailable', 503, { 'retry-after': '0' })]) {
      const { client, sent } = scripted(step, json({}));
      await failure(client.post('/action/halt', { body: {} }));
      expect(sent).toHaveLength(1);
    }
    const { client, sent } = scripted(new TypeError('fetch failed'), json({}));
    await failure(client.put('/project/{id}', { path: { id: 1 }, body: {}, ifMatch: '"a"' }));
    expect(sent).toHaveLength(1);
  });

  it('repeat anything that a rate limit refused, after Retry-After', async () => {
    const { client, sent } = scripted(refusal('rate-limited', 429, { 'retry-after': '1' }), json({}));
    const startedAt = performance.now();
    await client.post('/action/halt', { body: {} });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(sent).toHaveLength(2);
  });

  it('give up at once when the server asks for more patience than a minute', async () => {
    const { client, sent } = scripted(refusal('rate-limited', 429, { 'retry-after': '61' }), json({}));
    expect(await failure(client.get('/auth/me'))).toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 61_000,
    });
    expect(sent).toHaveLength(1);
  });

  it('end with the signal of the caller, and with its reason', async () => {
    const { client, sent } = scripted(refusal('rate-limited', 429, { 'retry-after': '30' }));
    const ending = new AbortController();
    const reply = client.get('/auth/me', { signal: ending.signal });
    setTimeout(() => ending.abort(new Error('enough')), 10);
    await expect(reply).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });
});

describe('pages', () => {
  it('pages of records go on after the last id, so that nothing is skipped', async () => {
    const { client, sent } = scripted(json({ data: [{ id: 4 }, { id: 9 }] }), json({ data: [{ id: 12 }] }));
    const ids: number[] = [];
    for await (const { id } of client.each('/project/search', {
      body: { where: "name = 'A' or id = 4", size: 2 },
    }))
      ids.push(id);
    expect(ids).toEqual([4, 9, 12]);
    expect(sent[1]!.body).toMatchObject({ where: "(name = 'A' or id = 4) and id > 9", size: 2 });
  });

  it('pages of alerts end at the moment of the start and follow the last alert, by number in another order', async () => {
    const { client, sent } = scripted(json({ data: [{ uid: 'b' }], total: 0 }), json({ data: [], total: 0 }));
    const uids: string[] = [];
    for await (const { uid } of client.each('/alert/search', { body: { query: 'severity:HIGH', size: 1 } }))
      uids.push(uid);
    expect(uids).toEqual(['b']);
    const [first, second] = sent.map(({ body }) => body as { cursor?: string; timeseries: { to: number }[] });
    expect([first!.cursor, second!.cursor]).toEqual([undefined, 'b']);
    const sorted = scripted(json({ data: [{ uid: 'b' }], total: 0 }), json({ data: [], total: 0 }));
    const body = { size: 1, sort: [{ field: 'severity' }] };
    for await (const { uid } of sorted.client.each('/alert/search', { body })) uids.push(uid);
    expect(sorted.sent.map(({ body }) => (body as { from: number }).from)).toEqual([0, 1]);
    expect(first!.timeseries).toEqual(second!.timeseries);
    expect(Math.abs(first!.timeseries[0]!.to - Date.now())).toBeLessThan(60_000);
  });
});

/** A stream that sends these pieces and then breaks. */
function stream(...pieces: string[]): Response {
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.error(new Error('reset'));
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

describe('the live stream', () => {
  it('goes on after the last event when the connection breaks, whatever the pieces', async () => {
    const { client, sent } = scripted(
      stream('id: 5-0\n\n', ': connected\n\nid: 5-1\nevent: rai', 'sed\ndata: {"uid":"a"}\n', '\n'),
      new TypeError('fetch failed'),
      stream('id: 5-2\nevent: retracted\ndata: {"uid":"a"}\n\n'),
    );
    const states: string[] = [];
    const events = [];
    for await (const event of client.follow({ query: 'a b', onState: (state) => states.push(state) })) {
      events.push(event);
      if (events.length === 2) break;
    }
    expect(events).toEqual([
      { id: '5-1', type: 'raised', alert: { uid: 'a' } },
      { id: '5-2', type: 'retracted', alert: { uid: 'a' } },
    ]);
    expect(sent.map(({ url }) => new URL(url).searchParams.get('after'))).toEqual([null, '5-1', '5-1']);
    expect(states).toEqual(['connected', 'reconnecting', 'connected']);
  });

  it('takes up a position that came without an event', async () => {
    const { client, sent } = scripted(stream('id: 5-0\n\n'), refusal('forbidden', 403));
    expect(await failure(client.follow().next())).toMatchObject({ code: 'forbidden' });
    expect(new URL(sent[1]!.url).searchParams.get('after')).toBe('5-0');
  });
});

describe('cookie sessions', () => {
  it('send the header against forged requests, and no token', async () => {
    const sent: (RequestInit & { body: string })[] = [];
    const steps = [
      json({ expiredAt: Date.now() + 1000 }),
      json({ expiredAt: Date.now() + 9e7 }),
      json({}),
      json({}),
    ];
    const client = createClient({
      cookie: true,
      fetch: (async (_url: unknown, init: RequestInit & { body: string }) => {
        sent.push(init);
        return steps.shift()!;
      }) as typeof fetch,
    });
    await client.login({ email: 'a@example.com', password: 'b' });
    expect(JSON.parse(sent[0]!.body)).toMatchObject({ cookie: true });
    // The session is about to end, so it is refreshed first, once for both.
    await Promise.all([client.get('/chain'), client.get('/chain')]);
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'GET']);
    for (const { headers, credentials } of sent) {
      expect(credentials).toBe('same-origin');
      expect(headers).toMatchObject({ 'x-vigil-console': '1' });
      expect(headers).not.toHaveProperty('authorization');
    }
  });
});

describe('createAll', () => {
  it('creates any number of records, a thousand with each request, in their order', async () => {
    const ids = (from: number, count: number) =>
      json({ data: Array.from({ length: count }, (_, n) => ({ id: from + n })) }, 201);
    const { client, sent } = scripted(ids(0, 1000), ids(1000, 1000), ids(2000, 5));
    const labels = Array.from({ length: 2005 }, (_, n) => ({ address: `0x${n}`, name: `Label ${n}` }));
    const created = await client.createAll('/label', labels, { idempotencyKey: 'import' });
    expect(created.map(({ id }) => id)).toEqual(Array.from({ length: 2005 }, (_, n) => n));
    expect(sent.map(({ url }) => url)).toEqual(Array(3).fill('http://vigil/api/v1/label/batch'));
    expect(sent.flatMap(({ body }) => (body as { records: object[] }).records)).toEqual(labels);
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'import-0',
      'import-1',
      'import-2',
    ]);
  });

  it('keeps each request below the size that the API takes', async () => {
    const one = () => json({ data: [{ id: 1 }] }, 201);
    const { client, sent } = scripted(one(), one(), one());
    const note = 'é'.repeat(900_000);
    await client.createAll(
      '/label',
      [1, 2, 3].map((n) => ({ address: `0x${n}`, name: 'Label', note })),
    );
    expect(sent).toHaveLength(3);
  });
});

describe('verifyWebhook', () => {
  it('accepts the vector of Standard Webhooks and nothing that differs', async () => {
    const file = join(import.meta.dirname, '..', 'vectors', 'webhook-signature-vector.json');
    const { secret, body, ...headers } = JSON.parse(await readFile(file, 'utf8'));
    const now = Number(headers['webhook-timestamp']) * 1000;
    const check = (text: string, extra = {}, at = now) =>
      verifyWebhook(text, { ...headers, ...extra }, secret, { now: at });
    const told = await check(body);
    // What the type says of the data.
    if (told.type === 'score.changed') told.data.score satisfies number;
    if (told.type === 'alert.detector.raised') told.data.links.alert satisfies string;
    expect(told).toMatchObject({ id: headers['webhook-id'], type: 'alert.created' });
    expect(await verifyWebhook(body, new Headers(headers), secret, { now })).toBeDefined();
    for (const wrong of [
      () => check(`${body} `),
      () => check(body, { 'webhook-id': 'msg_other' }),
      () => check(body, { 'webhook-timestamp': 'NaN' }),
      () => check(body, { 'webhook-signature': 'v1,%%%' }),
      () => check(body, { 'webhook-signature': undefined }),
      () => check(body, {}, now + 301_000),
      () => check(body, {}, now - 301_000),
    ])
      await expect(wrong()).rejects.toThrow(/signature|message|base64|missing/);
  });
});
