import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
let token: string;
let other: string;
beforeAll(async () => {
  api = await startTestApi();
  const tenant = async (name: string) => {
    const { id } = await api.ok('POST', 'tenant', { name });
    return api.token(id, 'tenant-manager');
  };
  [token, other] = [await tenant('Slow'), await tenant('Quick')];
});
afterAll(() => api.stop());

const head = (path: string, length: number, bearer: string | null, type = 'application/json') =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: vigil',
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    ...(bearer === null ? [] : [`Authorization: Bearer ${bearer}`]),
    '',
    '',
  ].join('\r\n');

function open() {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const answer = { text: '' };
  socket.setEncoding('utf8').on('data', (piece: string) => {
    answer.text += piece;
  });
  socket.on('error', () => {});
  return { socket, answer };
}

/** Sends a piece every second until the server ends the connection; how long it took. */
async function drip(first: string, piece: string): Promise<{ seconds: number; text: string }> {
  const { socket, answer } = open();
  const startedAt = performance.now();
  if (first !== '') socket.write(first);
  const timer = setInterval(() => piece !== '' && socket.write(piece), 1000);
  await once(socket, 'close');
  clearInterval(timer);
  return { seconds: (performance.now() - startedAt) / 1000, text: answer.text };
}

/** Sends a list of addresses at so many bytes a second. */
async function upload(
  socket: Socket,
  bytesPerSecond: number,
  seconds: number,
  bearer: string,
): Promise<void> {
  const line = '0x8589427373d6d84e98730d7795d8f6f8731fda16\n';
  const piece = line.repeat(Math.ceil(bytesPerSecond / 4 / line.length));
  socket.write(head('/api/v1/label/import/sanctions', 4 * seconds * piece.length, bearer, 'text/plain'));
  for (let n = 0; n < 4 * seconds; n++) {
    socket.write(piece);
    await sleep(250);
  }
}

describe('a request', { timeout: 60_000 }, () => {
  it.concurrent.each<[string, () => [string, string], string]>([
    ['that never begins', () => ['', ''], '408'],
    ['whose headers come slowly', () => ['GET /healthz HTTP/1.1\r\n', 'x: y\r\n'], '408'],
    ['whose body comes slowly', () => [head('/api/v1/alert/search', 5000, token), ' '], '408'],
    ['whose body is long and comes slowly', () => [head('/api/v1/alert/search', 900_000, token), ' '], '408'],
    [
      'whose file comes slowly',
      () => [head('/api/v1/label/import/sanctions', 9e7, other, 'text/plain'), '\n'],
      '408',
    ],
    [
      'whose body comes slowly and without a token',
      () => [head('/api/v1/auth/login', 5000, null), ' '],
      '408',
    ],
    ['that was refused before its body came', () => [head('/api/v1/alert/search', 5000, null), ' '], '401'],
    ['to a path that does not exist', () => [head('/nothing', 5000, null), ' '], '404'],
  ])('%s is ended after ten seconds', async (_what, sent, status) => {
    const { seconds, text } = await drip(...sent());
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    // Eleven, and what a busy machine adds.
    expect(seconds).toBeLessThan(16);
  });

  it.concurrent('a request that goes on arriving is not late, as slow as its link may be', async () => {
    const { socket, answer } = open();
    await upload(socket, 100_000, 14, token);
    while (answer.text === '') await once(socket, 'data');
    socket.destroy();
    expect(answer.text).toMatch(/^HTTP\/1.1 200 /);
  });
});

it('a request that waits for its tenant’s turn is not late, and other tenants do not wait for it', async () => {
  const { socket } = open();
  // One import of a tenant at a time: this one has begun and does not end.
  socket.write(head('/api/v1/label/import/sanctions', 1_000_000, token, 'text/plain'));
  const list = (bearer: string) =>
    api.call('POST', 'label/import/sanctions', undefined, {
      token: bearer,
      raw: '0x8589427373d6d84e98730d7795d8f6f8731fda17\n',
      headers: { 'content-type': 'text/plain' },
    });
  // Begun, as soon as its headers are read.
  await sleep(300);
  const waiting = list(token);
  expect((await list(other)).status).toBe(200);
  socket.destroy();
  expect((await waiting).status).toBe(200);
});
