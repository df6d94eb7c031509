import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupCode } from '../../src/services/accounts/setUp.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

const index = '<!doctype html><title>Vigil</title>'.padEnd(2000);
const script = 'console.log("hello");'.repeat(100);

let api: TestApi;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vigil-console-'));
  await mkdir(join(folder, 'assets'));
  for (const [name, text] of Object.entries({
    'index.html': index,
    'assets/main-abc.js': script,
    'icon.svg': '<svg/>',
    'pages.json': JSON.stringify([
      { path: '/alert/:uid', files: ['assets/page-abc.js', 'assets/page-abc.css'] },
    ]),
  })) {
    await writeFile(join(folder, name), text);
    if (name === 'icon.svg') continue;
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(text));
    await writeFile(join(folder, `${name}.gz`), gzipSync(text));
  }
  api = await startTestApi({ consoleFolder: pathToFileURL(`${folder}/`) });
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** Without what fetch adds and decodes. */
const raw = (path: string, encodings = 'br, gzip') =>
  new Promise<Raw>((resolve, reject) => {
    const options = { headers: encodings === '' ? {} : { 'accept-encoding': encodings } };
    get(`${api.url}${path}`, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      response.toArray().then((chunks) => resolve({ status, headers, body: Buffer.concat(chunks) }), reject);
    }).on('error', reject);
  });

describe('the console', () => {
  it('names the files of a page before a script runs, in a way that holds below any path', async () => {
    expect((await raw('/alert/0190-abc?q=1')).headers.link).toBe(
      '<../assets/page-abc.js>; rel=modulepreload; crossorigin, ' +
        '<../assets/page-abc.css>; rel=preload; as=style; crossorigin',
    );
    expect((await raw('/alerts')).headers.link).toBeUndefined();
    expect((await raw('/pages.json')).headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('is the answer to its own and to every unknown path, never cached, under a strict policy', async () => {
    for (const path of [
      '/',
      '/alerts?q=a',
      '/alert/0190-abc',
      '/projects/7',
      '/setup',
      '/index.html',
      '/apiary',
    ]) {
      const { status, headers, body } = await raw(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toContain("script-src 'self'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(brotliDecompressSync(body).toString()).toBe(index);
    }
  });

  it('has hashed files that browsers keep, as the build has compressed them', async () => {
    const path = '/assets/main-abc.js';
    const [br, gzip, plain, refused] = await Promise.all([
      raw(path),
      raw(path, 'gzip'),
      raw(path, ''),
      raw(path, 'br;q=0, identity'),
    ]);
    expect([br, gzip, plain, refused].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
      undefined,
    ]);
    expect(brotliDecompressSync(br.body).toString()).toBe(script);
    expect(gunzipSync(gzip.body).toString()).toBe(script);
    expect(plain.body.toString()).toBe(script);
    expect(br.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect((await raw('/icon.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('leaves the paths of the API, its documents and its own files what they are', async () => {
    for (const path of [
      '/api/v1/nothing',
      '/api/v1',
      '//api/v1/auth/me',
      '//alerts',
      '/assets/main-old.js',
      '/docs/nothing',
    ])
      expect([path, (await raw(path)).status]).toEqual([path, 404]);
    expect(await api.call('GET', 'project')).toMatchObject({ status: 405 });
    expect((await api.call('POST', '/alerts', {})).status).toBe(404);
    expect((await raw('/docs')).status).toBe(200);
    expect((await raw('/healthz')).headers['content-type']).toContain('json');
    expect((await raw('/assets/..%2f..%2fetc/passwd')).body.toString()).not.toContain('root:');
  });
});

describe('the set-up link', () => {
  const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' };
  const post = (body: object, headers = {}) => api.call('POST', 'auth/setup', body, { token: null, headers });
  const isOpen = async () => (await api.call('GET', 'auth/setup', undefined, { token: null })).body.isOpen;

  it('makes the first administrator, once, and signs the page in', async () => {
    expect(await isOpen()).toBe(false);
    const code = await api.store.transaction((tx) => createSetupCode(tx, api.services.now()));
    expect(await isOpen()).toBe(true);
    expect((await post({ ...person, code: `${code}x` })).status).toBe(404);
    expect((await post({ ...person, code, password: 'short' })).status).toBe(400);
    expect((await post({ ...person, code, cookie: true })).body.code).toBe('console-header-missing');
    expect(await isOpen()).toBe(true);
    const both = await Promise.all(
      [1, 2].map(() => post({ ...person, code, cookie: true }, { 'x-vigil-console': '1' })),
    );
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 404]);
    const done = both.find(({ status }) => status === 201)!;
    expect(done.body).toEqual({ expiredAt: expect.any(Number) });
    const cookie = done.headers.get('set-cookie')!.split(';')[0]!;
    const me = await api.call('GET', 'auth/me', undefined, { token: null, headers: { cookie } });
    expect(me.body).toMatchObject({ roles: ['admin'], tenantId: null });
    expect(await isOpen()).toBe(false);
  });

  it('ends after an hour, and is not asked for once there is an administrator', async () => {
    const code = await api.store.transaction((tx) => createSetupCode(tx, api.services.now()));
    expect(await isOpen()).toBe(false);
    api.advance(3600_001);
    expect(await isOpen()).toBe(false);
    expect((await post({ ...person, email: 'bob@example.com', code })).status).toBe(404);
  });
});
