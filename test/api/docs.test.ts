import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../../src/model/errors.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const get = (path: string) => api.call('GET', path, undefined, { token: null });

describe('the page at /docs', () => {
  it.each(['/docs', '/docs/'])('%s takes everything it needs from this server', async (page) => {
    const { status, text, headers } = await get(page);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(assets.length).toBeGreaterThan(4);
    const types: Record<string, RegExp> = {
      css: /^text\/css/,
      js: /^(text|application)\/javascript/,
      png: /^image\/png/,
    };
    for (const asset of assets) {
      const url = new URL(asset, `${api.url}${page}`);
      expect(url.origin, asset).toBe(api.url);
      const answer = await get(url.pathname);
      expect(answer.status, asset).toBe(200);
      expect(answer.headers.get('content-type'), asset).toMatch(types[url.pathname.split('.').at(-1)!]!);
      // What a style sheet fetches by itself; a picture inside of it is none of that.
      if (asset.endsWith('.css')) {
        expect(answer.text).not.toMatch(/@import|url\(\s*["']?(?!data:|["']?data:)/);
      }
    }
    expect(text, 'a script in the page would be blocked').not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('shows the document of this server and asks no outside validator', async () => {
    const { text } = await get('/docs/static/swagger-initializer.js');
    expect(text).toContain("url: resolveUrl('./json')");
    expect(text).toContain('validatorUrl: null');
    const [shown, document] = [await get('/docs/json'), await get('/openapi.json')];
    expect(shown.body).toEqual(document.body);
  });

  it('has a policy that lets it load from this server only, over HTTP too', async () => {
    const { headers } = await get('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    const directives = new Map(
      policy.split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        return [name, sources] as const;
      }),
    );
    expect(directives.has('upgrade-insecure-requests')).toBe(false);
    const isHash = (source: string) => source.startsWith("'sha256-");
    expect([...new Set([...directives.values()].flat())].filter((source) => !isHash(source)).sort()).toEqual([
      "'none'",
      "'self'",
      'data:',
    ]);
    for (const needed of ['script-src', 'style-src', 'connect-src']) {
      expect(
        directives.get(needed)?.filter((source) => !isHash(source)),
        needed,
      ).toEqual(["'self'"]);
    }
    expect(directives.get('img-src')).toEqual(["'self'", 'data:']);
    expect(directives.get('default-src')).toEqual(["'none'"]);
  });

  it.each(['/docs/json', '/docs/yaml', '/openapi.json'])(
    '%s is compressed once, and not sent to who has it',
    async (path) => {
      const sizes = new Map<string, number>();
      let etag = '';
      for (const encoding of ['br', 'gzip', 'deflate', 'identity']) {
        const response = await fetch(`${api.url}${path}`, { headers: { 'accept-encoding': encoding } });
        etag = response.headers.get('etag') ?? '';
        expect(response.headers.get('vary')).toContain('accept-encoding');
        expect(response.headers.get('content-encoding')).toBe(
          encoding === 'br' || (encoding === 'gzip' && sizes.size > 0) ? encoding : null,
        );
        sizes.set(await response.text(), Number(response.headers.get('content-length')));
      }
      expect(sizes.size).toBe(1);
      const again = await fetch(`${api.url}${path}`, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );

  it('is where / leads to', async () => {
    const answer = await fetch(`${api.url}/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  });
});

describe('the pages behind problems', () => {
  it('exist for every code, and for no other', async () => {
    for (const [code, { status, title }] of Object.entries(problems)) {
      const answer = await get(`/docs/problem/${code}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.text).toContain(`${status} ${title}`);
    }
    for (const code of ['unknown', 'constructor', '__proto__', '%3Cscript%3E']) {
      const answer = await get(`/docs/problem/${code}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'unknown-path']);
    }
  });
});
