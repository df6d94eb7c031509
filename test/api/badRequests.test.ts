import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { rawHttp } from '../support/rawHttp.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const head = (line: string, ...headers: string[]) => [line, 'Host: vigil', ...headers, '', ''].join('\r\n');
const json = 'Content-Type: application/json';

const cases: [string, number, string, string][] = [
  ['a request line that is none', 400, 'malformed-request', 'NONSENSE\r\n\r\n'],
  ['bytes of TLS', 400, 'malformed-request', '\u0016\u0003\u0001\u0002\u0000\u0001'],
  ['an unknown version', 400, 'malformed-request', head('GET /healthz HTTP/9.9')],
  ['a method that HTTP does not have', 400, 'malformed-request', head('FROB /api/v1/alert HTTP/1.1')],
  ['a header without a colon', 400, 'malformed-request', head('GET /healthz HTTP/1.1', 'Broken header')],
  [
    'headers of 100 KB',
    431,
    'headers-too-large',
    head('GET /healthz HTTP/1.1', `X-A: ${'a'.repeat(100_000)}`),
  ],
  [
    'a content length that is no number',
    400,
    'malformed-request',
    head('POST /api/v1/auth/login HTTP/1.1', json, 'Content-Length: many'),
  ],
  [
    'two lengths at once',
    400,
    'malformed-request',
    head('POST /api/v1/auth/login HTTP/1.1', json, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
  ],
  [
    'chunks that are none',
    400,
    'malformed-request',
    `${head('POST /api/v1/auth/login HTTP/1.1', json, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'another type of content',
    415,
    'unsupported-media-type',
    `${head('POST /api/v1/auth/login HTTP/1.1', 'Content-Type: text/xml', 'Content-Length: 4')}<a/>`,
  ],
  [
    'a type of content that is none',
    415,
    'unsupported-media-type',
    `${head('POST /api/v1/auth/login HTTP/1.1', 'Content-Type: ;;;', 'Content-Length: 2')}{}`,
  ],
  [
    'no type of content',
    415,
    'unsupported-media-type',
    `${head('POST /api/v1/auth/login HTTP/1.1', 'Content-Length: 2')}{}`,
  ],
  ['two hosts', 400, 'malformed-request', head('GET /healthz HTTP/1.1', 'Host: other')],
  [
    'a target with another host than the one of the header',
    400,
    'malformed-request',
    head('GET http://other/healthz HTTP/1.1'),
  ],
  [
    'a target whose user looks like the host',
    400,
    'malformed-request',
    head('GET http://vigil@other/healthz HTTP/1.1'),
  ],
  ['a path that begins with two slashes', 404, 'unknown-path', head('GET //api/v1/auth/me HTTP/1.1')],
  ['a path that cannot be decoded', 404, 'unknown-path', head('GET /api/v1/%zz HTTP/1.1')],
];

it.each(cases)('%s is answered %i with a problem', async (_name, status, code, bytes) => {
  await isProblem(bytes, status, code);
});

const known = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT']);

it('a path that has not the method answers 405 with those that it has, whatever the method', async () => {
  for (const method of METHODS.filter((name) => !known.has(name))) {
    const answer = await isProblem(head(`${method} /api/v1/auth/me HTTP/1.1`), 405, 'method-not-allowed');
    expect(answer.headers.get('allow'), method).toBe('GET, HEAD, OPTIONS');
    await isProblem(head(`${method} /api/v1/no/such/path HTTP/1.1`), 404, 'unknown-path');
    const health = await isProblem(head(`${method} /healthz HTTP/1.1`), 405, 'method-not-allowed');
    expect(health.headers.get('allow'), method).toBe('GET, HEAD');
  }
});

it('takes a target with its own host, as clients send it to proxies', async () => {
  expect((await rawHttp(api.url, head('GET http://VIGIL/healthz HTTP/1.1'))).status).toBe(200);
  await isProblem(head('GET http://vigil/api/v1/no/such/path HTTP/1.1'), 404, 'unknown-path');
});

it('says where Vigil is behind TLS that browsers come back with TLS alone', async () => {
  const [good, broken] = [head('GET /healthz HTTP/1.1'), 'NONSENSE\r\n\r\n'];
  for (const bytes of [good, broken, head('GET /api/v1/auth/me HTTP/1.1')])
    expect((await rawHttp(api.url, bytes)).headers.get('strict-transport-security')).toBe('max-age=31536000');
  const { publicUrl } = api.services;
  api.services.publicUrl = () => 'http://vigil.example.com';
  expect((await rawHttp(api.url, good)).headers.has('strict-transport-security')).toBe(false);
  api.services.publicUrl = publicUrl;
});

it('answers as ever whatever is expected of the answer', async () => {
  const answer = await rawHttp(api.url, head('GET /healthz HTTP/1.1', 'Expect: the-moon'));
  expect(answer.status).toBe(200);
});

it('logs no stack for any of them', () => {
  expect(api.log.filter((line) => /"level":[56]0|"stack"/.test(line))).toEqual([]);
});

it('answers what arrives while it stops with a problem and when to come back', async () => {
  const stopping = await startTestApi();
  const { hostname, port } = new URL(stopping.url);
  // Begun before, so that the connection is not idle and stays open.
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const ended = once(socket, 'close');
  socket.write('GET /api/v1/auth/me HTTP/1.1\r\nHost: vigil\r\n');
  await once(socket, 'connect');
  const stopped = stopping.stop();
  await expect
    .poll(() =>
      fetch(`${stopping.url}/healthz`).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed');
  socket.write('\r\n');
  await ended;
  await stopped;
  expect(text).toMatch(/^HTTP\/1\.1 503 .*content-type: application\/problem\+json.*"code":"unavailable"/s);
  expect(text).toMatch(/\r\nretry-after: 2\r\n/);
  expect(text).toMatch(/\r\nconnection: close\r\n/i);
});

async function isProblem(bytes: string, status: number, code: string) {
  const answer = await rawHttp(api.url, bytes);
  expect(answer.status, `${bytes.slice(0, 60)} ${answer.body}`).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const requestId = answer.headers.get('x-request-id');
  expect(JSON.parse(answer.body)).toMatchObject({ status, code, requestId });
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.body)));
  return answer;
}
