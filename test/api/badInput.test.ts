import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf } from '../../src/api/http/access.ts';
import type { Endpoint } from '../../src/api/http/endpoint.ts';
import { exampleOf } from '../../src/api/http/exampleOf.ts';
import { createTurns } from '../../testing/createTurns.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Answer, type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import type { World } from '../support/createWorld.ts';
import { badBodies } from './support/badBodies.ts';
import { badMembers } from './support/badMembers.ts';
import { createTenantWorld } from './support/createTenantWorld.ts';
import { dump } from './support/dump.ts';
import { forAll } from './support/forAll.ts';
import { kindAt, newBody, readAgain, recordAt } from './support/newBody.ts';
import { endpoints, nameOf, observe, recordEndpoints } from './support/observe.ts';
import { faultsOf, type Node, nodeOf } from './support/schemas.ts';

const withBody = endpoints.filter(({ body }) => body);

let api: TestApi;
let world: World;
/** A body that is right, for every endpoint that takes one. */
const rightBodies = new Map<Endpoint, Json>();
let before: Awaited<ReturnType<typeof dump>>;

beforeAll(async () => {
  api = observe(await startTestApi());
  ({ world } = await createTenantWorld(api));
  await readAgain(api, world);
  for (const endpoint of withBody) rightBodies.set(endpoint, rightBody(endpoint));
  before = await dump(api);
});
afterAll(() => api.stop());

describe('a body', () => {
  it('a body with one bad member is refused with 400, naming the member and the fault, and changes nothing', async () => {
    const all = withBody.flatMap((endpoint) =>
      badMembers(nodeOf(endpoint.body), rightBodies.get(endpoint)!).map((bad) => ({ endpoint, ...bad })),
    );
    expect(all.length).toBeGreaterThan(5000);
    const isTurn = createTurns('bad members', 32);
    const cases = all.filter((_, n) => isTurn(n));
    await forAll(cases, async ({ endpoint, text, what, pointer, code }) => {
      const answer = await send(endpoint, text);
      const place = `${nameOf(endpoint)} ${pointer}: ${what}: ${answer.text}`;
      expect([answer.status, answer.body.code], place).toEqual([400, 'invalid-input']);
      const codes = faultsAt(answer, pointer).map((fault) => fault.code);
      if (!codes.includes(code)) expect.fail(`${place}: no ${code} at ${pointer}`);
    });
    expect(await dump(api)).toEqual(before);
  });

  it('a body with a member that only Vigil sets is refused with 400, naming it', async () => {
    for (const endpoint of recordEndpoints.filter(({ body, method }) => body && method === 'POST')) {
      for (const name of endpoint.reserved ?? []) {
        const answer = await send(endpoint, JSON.stringify({ ...rightBodies.get(endpoint), [name]: 1 }));
        const place = `${nameOf(endpoint)} ${name}: ${answer.text}`;
        expect(answer.status, place).toBe(400);
        expect(faultsAt(answer, `/${name}`), place).toEqual([
          expect.objectContaining({ code: 'output-only' }),
        ]);
      }
    }
    for (const endpoint of recordEndpoints.filter(({ method }) => method === 'PUT')) {
      const members = Object.entries(nodeOf(endpoint.body).properties ?? {});
      for (const [name, node] of members.filter(([, { readOnly }]) => readOnly)) {
        const answer = await send(
          endpoint,
          JSON.stringify({ [name]: another(node, recordAt(world, endpoint.path)[name]) }),
        );
        expect(faultsAt(answer, `/${name}`), `${nameOf(endpoint)} ${name}: ${answer.text}`).toEqual([
          expect.objectContaining({ code: 'read-only' }),
        ]);
      }
    }
    expect(await dump(api)).toEqual(before);
  });

  /** A value that fits the schema as well. */
  function another(node: Node, value: unknown): unknown {
    const changed = typeof value === 'object' ? { ...value, name: 'another' } : undefined;
    const candidates = [...(node.enum ?? []), ...(node.examples ?? []), 2, 'another', ['admin'], [], changed];
    const fits = (candidate: unknown) =>
      !isDeepStrictEqual(candidate, value) && faultsOf(node, candidate).length === 0;
    const found = candidates.find(fits);
    if (found === undefined) throw new Error(`The test knows no other value than ${JSON.stringify(value)}.`);
    return found;
  }

  it('a body that is wrong as a whole is refused with the right status and changes nothing', async () => {
    const limits = new Set<number>();
    const isTurn = createTurns('bad bodies', 8);
    await forAll([...withBody.entries()], async ([at, endpoint]) => {
      const limit = endpoint.bodyLimit ?? 1024 * 1024;
      // What is refused before any endpoint reads it is sent once for each limit.
      const isFirst = !limits.has(limit);
      limits.add(limit);
      const bodies = badBodies(limit).filter(({ raw }, n) =>
        raw.length < 100_000 ? isTurn(at + n) : sized(isFirst, true),
      );
      for (const { what, raw, headers, status, code } of bodies) {
        const answer = await send(endpoint, raw, headers);
        // Without a token a large body is not read at all.
        const isUnread = accessOf(endpoint) === 'public' && raw.length > 64 * 1024;
        expect([answer.status, answer.body.code], `${nameOf(endpoint)} ${what}: ${answer.text}`).toEqual(
          isUnread ? [413, 'too-large'] : [status, code],
        );
      }
    });
    expect(await dump(api)).toEqual(before);
  });

  it('may be missing only where a search then has no conditions', async () => {
    for (const endpoint of withBody) {
      const isSearch = endpoint.effect === 'read' && nodeOf(endpoint.body).required?.length === 0;
      for (const headers of [{}, { 'content-type': '' }]) {
        const answer = await send(endpoint, '', headers);
        if (endpoint.mayLackBody) {
          expect(answer.body.code, nameOf(endpoint)).not.toBe('malformed-json');
          continue;
        }
        const seen = [answer.status, answer.body.code];
        const expected = isSearch ? [200, undefined] : [400, 'malformed-json'];
        expect(seen, `${nameOf(endpoint)}: ${answer.text}`).toEqual(expected);
      }
    }
    expect(await dump(api)).toEqual(before);
  });
});

describe('outside of the body', () => {
  const badIds = [
    ..."0 -1 1.5 abc 1e3 99999999999999999999 9007199254740992 0x1 +1 1;2 1'".split(' '),
    ...'%00 1%00 %20 %0a %ff % %zz %2e%2e %2f __proto__ constructor null'.split(' '),
    'x'.repeat(500),
    'x'.repeat(501),
  ];

  it('an id in the path that is none is refused with 400 or 404', async () => {
    const cases = endpoints.filter(({ path }) => path.includes('{'));
    const isTurn = createTurns('bad ids', 8);
    await forAll([...cases.entries()], async ([at, endpoint]) => {
      for (const id of badIds.filter((_, n) => isTurn(at + n))) {
        const answer = await send(endpoint, bodyText(endpoint), {}, endpoint.path.replace(/\{\w+\}/, id));
        const place = `${nameOf(endpoint)} ${id}: ${answer.text}`;
        expect([400, 404], place).toContain(answer.status);
        if (answer.body.code === 'invalid-input')
          expect(answer.body.errors[0].pointer, place).toMatch(/^\/path\/\w+$/);
      }
    });
    expect(await dump(api)).toEqual(before);
  });

  it('an unknown query parameter is refused with 400, naming it', async () => {
    const names = ['unknown', '__proto__', 'constructor', 'Id', 'a%00b'];
    const isTurn = createTurns('unknown parameters', 4);
    await forAll([...endpoints.entries()], async ([at, endpoint]) => {
      for (const name of names.filter((_, n) => isTurn(at + n))) {
        const path = `${pathOfOwn(endpoint)}?${name}=1`;
        const answer = await send(endpoint, bodyText(endpoint), {}, path);
        const place = `${nameOf(endpoint)} ${name}: ${answer.text}`;
        expect(answer.status, place).toBe(400);
        expect(faultsAt(answer, `/query/${decodeURIComponent(name)}`)[0]?.code, place).toBe('unknown-member');
      }
    });
    expect(await dump(api)).toEqual(before);
  });

  it('a bad query parameter is refused with 400, naming it', async () => {
    const numbers = [
      '-1',
      '1.5',
      'abc',
      '',
      '1e3',
      '99999999999999999999',
      '9007199254740992',
      '%00',
      '1&@=2',
    ];
    for (const endpoint of endpoints) {
      for (const [name, node] of Object.entries(nodeOf(endpoint.query).properties ?? {})) {
        const long = 'x'.repeat((node.maxLength ?? 999) + 1);
        const wrong = node.type === 'integer' ? numbers : ['%00', `a%00b`, long, 'a&@=b'];
        for (const value of wrong) {
          const path = `${pathOfOwn(endpoint)}?${name}=${value.replace('@', name)}`;
          const answer = await send(endpoint, bodyText(endpoint), {}, path);
          const place = `${nameOf(endpoint)} ${path}: ${answer.text}`;
          expect(answer.status, place).toBe(400);
          expect(faultsAt(answer, `/query/${name}`).length, place).toBeGreaterThan(0);
        }
      }
    }
  });

  it('a bad Idempotency-Key is refused with 400', async () => {
    for (const endpoint of endpoints.filter(({ effect }) => effect === 'create')) {
      for (const key of ['two words', 'x'.repeat(256), 'caf\u00e9']) {
        const answer = await send(endpoint, JSON.stringify(rightBodies.get(endpoint)), {
          'idempotency-key': key,
        });
        expect([answer.status, faultsAt(answer, '/headers/idempotency-key').length], answer.text).toEqual([
          400, 1,
        ]);
      }
    }
    expect(await dump(api)).toEqual(before);
  });

  it('a body where none is taken is refused or ignored, but never fails', async () => {
    for (const endpoint of endpoints.filter(({ body, method }) => !body && method === 'DELETE')) {
      const path = endpoint.path.replace(/\{\w+\}/, '987654321');
      for (const [raw, type] of [
        ['{', 'application/json'],
        ['[1]', 'application/json'],
        ['x', 'text/plain'],
      ] as const) {
        const answer = await send(endpoint, raw, { 'content-type': type }, path);
        expect([400, 404, 415, 422], `${nameOf(endpoint)}: ${answer.text}`).toContain(answer.status);
      }
    }
  });
});

describe('the bodies that the faults were put into', () => {
  it('are taken as they are, so that the faults were the only ones', async () => {
    for (const endpoint of recordEndpoints.filter(({ body }) => body)) {
      const shown = endpoint.method === 'PUT' ? await api.ok('GET', pathOfOwn(endpoint).slice(1)) : {};
      const answer = await send(endpoint, JSON.stringify({ ...rightBodies.get(endpoint), ...shown }));
      // The project of the world has its license already.
      const expected = nameOf(endpoint) === 'POST /instance' ? 409 : (endpoint.status ?? 200);
      expect(answer.status, `${nameOf(endpoint)}: ${answer.text}`).toBe(expected);
    }
  });
});

function send(
  endpoint: Endpoint,
  raw: string | Uint8Array | undefined,
  headers: Record<string, string> = {},
  path = pathOfOwn(endpoint),
): Promise<Answer> {
  return api.call(endpoint.method, `/api/v1${path}`, undefined, {
    ...(raw === undefined ? {} : { raw }),
    headers,
  });
}

function pathOfOwn({ path }: Endpoint): string {
  return path.includes('{id}')
    ? path.replace('{id}', recordAt(world, path).id)
    : path.replace('{uid}', 'unknown').replace(/\{(projectId|sessionId)\}/, '987654321');
}

function bodyText(endpoint: Endpoint): string | undefined {
  const right = rightBodies.get(endpoint);
  return right && JSON.stringify(right);
}

function faultsAt({ body }: Answer, pointer: string): { pointer: string; code: string }[] {
  const faults: { pointer: string; code: string }[] = body.errors ?? [];
  return faults.filter((fault) => fault.pointer === pointer);
}

/** A new record with all its members; a record as it is read, with what is not shown of it; or the example. */
function rightBody(endpoint: Endpoint): Json {
  const { method, path, body } = endpoint;
  if (!recordEndpoints.includes(endpoint) || path.endsWith('/search')) return exampleOf(body!) as Json;
  const fresh = newBody(`/${kindAt(path)}`, world);
  if (method === 'POST') return fresh;
  const record = recordAt(world, path);
  const known = Object.keys(nodeOf(body).properties ?? {});
  const hidden = Object.entries(fresh).filter(([name]) => known.includes(name) && !(name in record));
  return { ...record, ...Object.fromEntries(hidden) };
}
