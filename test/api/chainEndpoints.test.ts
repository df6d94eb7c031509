import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { observe } from './support/observe.ts';

const key = 'k3y0123456789abcdef';
const fixedKey = 'f1x3d0123456789abcdef';
const chainId = 31_337;
/** A node of another kind in front of anvil's port, by the first part of the path. */
const answers: Record<string, (response: ServerResponse, call: Json) => void> = {
  other: (response) => reply(response, { result: '0x5' }),
  html: (response) => response.end('<html>'),
  shape: (response) => reply(response, { result: { chain: [1] } }),
  none: (response) => response.end('[]'),
  echo: (response, { path }) => reply(response, { error: { code: -32_000, message: `no ${path} here` } }),
  redirect: (response) => response.writeHead(307, { location: '/target' }).end(),
  target: (response) => reply(response, { result: '0x7a69' }),
  slow: (response) => drip(response, ' ', 50),
  endless: (response) => drip(response, 'x'.repeat(1024 * 1024), 0),
  pruned: (response, { method, params }) => reply(response, pruned(method, params)),
};
const hits = new Map<string, number>();

function reply(response: ServerResponse, body: object): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, ...body }));
}

function drip(response: ServerResponse, text: string, everyMs: number): void {
  const timer = setInterval(() => response.writableLength < 8e6 && response.write(text), everyMs);
  response.on('close', () => clearInterval(timer));
}

/** What a hosted node says: 128 blocks of state, no traces, no pool, logs of 2,000 blocks. */
function pruned(method: string, params: Json[]): object {
  const error = { error: { code: -32_601, message: 'the method is not available' } };
  const head = 1_000_000;
  if (method === 'eth_chainId') return { result: '0x7a69' };
  if (method === 'eth_blockNumber') return { result: `0x${head.toString(16)}` };
  if (method === 'eth_getBalance') return Number(params[1]) >= head - 128 ? { result: '0x0' } : error;
  if (method !== 'eth_getLogs') return error;
  return Number(params[0]!.toBlock) - Number(params[0]!.fromBlock) < 2000 ? { result: [] } : error;
}

let api: TestApi;
let anvil: Anvil;
let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, mode = ''] = request.url!.split('/');
    hits.set(mode, (hits.get(mode) ?? 0) + 1);
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => answers[mode]?.(response, { path: request.url, ...JSON.parse(body) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  anvil = await startAnvil();
  const fixed = [`${anvil.url}/?apikey=${fixedKey}`];
  api = observe(await startTestApi({ fixedEndpoints: (uid) => (uid === 'anvil' ? fixed : []) }));
});
afterAll(async () => {
  await api.stop();
  await anvil.stop();
  server.closeAllConnections();
  server.close();
});

const path = 'chain/anvil/endpoint';
const list = async (): Promise<Json[]> => (await api.ok('GET', path)).data;
const added = async () => (await list()).filter(({ isFixed }) => !isFixed);
const keyed = (name: string) => `${anvil.url}/?apikey=${key}${name}`;

describe('the endpoints of a chain', () => {
  it('are added, changed and deleted, masked in answers and in the audit log, and sealed in the store', async () => {
    const { uid, ...made } = await api.ok('POST', path, { url: keyed('1'), name: 'Node' });
    const shown = { name: 'Node', url: `${anvil.url}?[sealed]`, isFixed: false, status: 'ACTIVE' };
    expect(made).toMatchObject(shown);
    expect(await added()).toEqual([{ uid, ...made }]);

    // What was read may be sent back, and means what is stored.
    expect(await api.ok('PUT', `${path}/${uid}`, { url: made.url, name: 'Node' })).toEqual({ uid, ...made });
    expect(await api.ok('PUT', `${path}/${uid}`, { status: 'DISABLED', name: null })).toMatchObject({
      name: null,
      status: 'DISABLED',
    });
    expect((await api.ok('PUT', `${path}/${uid}`, { url: keyed('2') })).url).toBe(made.url);

    const stored = await api.store.query<Json>(sql`select * from chain_endpoint`);
    expect(stored[0]!.sealed_url.toString('latin1')).not.toContain(key);
    expect(await api.ok('DELETE', `${path}/${uid}`)).toEqual({ uid });
    expect((await api.call('DELETE', `${path}/${uid}`)).status).toBe(404);
    expect(await added()).toEqual([]);

    const { data } = await api.ok('GET', 'audit?kind=endpoint');
    expect(data.map(({ action }: Json) => action)).toEqual([
      'endpoint.delete',
      'endpoint.update',
      'endpoint.update',
      'endpoint.create',
    ]);
    expect(data[1].changes).toEqual({ url: { before: made.url, after: made.url } });
    expect(JSON.stringify([data, await list()])).not.toContain(key);
  });

  it('the endpoints of a chain of the environment are shown as fixed, can be tried, and cannot be changed', async () => {
    const [fixed] = await list();
    expect(fixed).toMatchObject({ isFixed: true, name: 'VIGIL_RPC_ANVIL', url: `${anvil.url}?[sealed]` });
    for (const [method, body] of [
      ['PUT', { status: 'DISABLED' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await api.call(method, `${path}/${fixed!.uid}`, body);
      expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('VIGIL_RPC_ANVIL')]);
    }
    expect(await api.ok('POST', `${path}/${fixed!.uid}/try`)).toMatchObject({ fault: null, chainId });
    const again = await api.call('POST', path, { url: `${anvil.url}/?apikey=${fixedKey}` });
    expect([again.status, again.body.errors[0].code]).toEqual([409, 'not-unique']);
  });

  it('the endpoints of a chain that serve another chain or none are refused with both ids, and nothing is stored', async () => {
    const wrong = await api.call('POST', path, { url: `${base}/other/${key}` });
    expect([wrong.status, wrong.body.errors[0]]).toEqual([
      422,
      {
        pointer: '/url',
        code: 'unusable-endpoint',
        message: expect.stringMatching(/it serves the chain 5 and not 31337/),
      },
    ]);
    const refusals = [
      ['nonsense', 400],
      ['ftp://127.0.0.1', 400],
      ['http://169.254.169.254/latest', 400],
      ['http://[::ffff:a9fe:a9fe]/', 400],
      ['http://metadata.google.internal/', 400],
      ['https://x.example.com/[sealed]', 400],
      ['http://127.0.0.1:1/', 422],
    ] as const;
    for (const [url, status] of refusals)
      expect((await api.call('POST', path, { url })).status, url).toBe(status);
    expect((await api.call('POST', 'chain/icp/endpoint', { url: anvil.url })).status).toBe(422);
    expect((await api.call('POST', 'chain/nowhere/endpoint', { url: anvil.url })).status).toBe(404);
    expect(await added()).toEqual([]);
  });

  it('are stored once when two administrators add the same, and belong to one chain', async () => {
    const both = await Promise.all([1, 2].map(() => api.call('POST', path, { url: keyed('same') })));
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    const [{ uid }] = (await added()) as [Json];
    expect((await api.call('DELETE', `chain/ethereum/endpoint/${uid}`)).status).toBe(404);
    await api.ok('DELETE', `${path}/${uid}`);
  });
});

describe('trying an endpoint', () => {
  const tryUrl = (url: string) => api.ok('POST', `${path}/try`, { url });

  it.each(['http', 'ws'])('tells what a node of one’s own can do, over %s', async (protocol) => {
    await anvil.mine(3);
    const head = Number(await anvil.blockNumber());
    expect(await tryUrl(anvil.url.replace('http', protocol))).toEqual({
      fault: null,
      chainId,
      head,
      latencyMs: expect.any(Number),
      archiveDepth: head,
      isArchive: true,
      traces: ['debug'],
      pendingTransactions: true,
      logRange: 1,
    });
  });

  it('finds the limits of a hosted node with few calls', async () => {
    expect(await tryUrl(`${base}/pruned/${key}`)).toMatchObject({
      fault: null,
      head: 1_000_000,
      archiveDepth: 128,
      isArchive: false,
      traces: [],
      pendingTransactions: false,
      logRange: 2000,
    });
    expect(hits.get('pruned')).toBeLessThanOrEqual(20);
  });

  it('is bounded against hostile servers: time, size, redirects, and keys in what they say', async () => {
    const startedAt = performance.now();
    const modes = ['html', 'shape', 'none', 'echo', 'redirect', 'slow', 'endless', 'other'];
    const reports = await Promise.all(modes.map((mode) => tryUrl(`${base}/${mode}/${key}`)));
    expect(Object.fromEntries(modes.map((mode, n) => [mode, reports[n]!.fault]))).toEqual({
      html: 'its answer is not JSON',
      shape: 'it does not report its chain',
      none: 'a reply is not a record',
      echo: 'it does not report its chain: no /[sealed]/[sealed] here',
      redirect: 'it answered with status 307',
      slow: 'it did not answer within 4000 ms',
      endless: 'its answer is too large',
      other: 'it serves the chain 5 and not 31337',
    });
    expect(hits.get('target')).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(12_000);
  });
});

it('is for administrators alone, and no key is ever in the log', async () => {
  const tenant = await api.ok('POST', 'tenant', { name: 'Tenant' });
  const token = await api.token(tenant.id, 'tenant-manager');
  const url = keyed('foreign');
  for (const [method, at, body] of [
    ['GET', path],
    ['POST', path, { url }],
    ['POST', `${path}/try`, { url }],
    ['POST', `${path}/fixed-1/try`],
    ['PUT', `${path}/fixed-1`, { name: 'x' }],
    ['DELETE', `${path}/fixed-1`],
  ] as const)
    expect((await api.call(method, at, body, { token })).status, `${method} ${at}`).toBe(403);
  const log = api.log.join('');
  expect(log.length).toBeGreaterThan(0);
  expect(log).not.toContain(key);
  expect(log).not.toContain(fixedKey);
});
