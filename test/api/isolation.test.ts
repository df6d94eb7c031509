import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../src/api/endpoints/endpoints.ts';
import { accessOf, allowedRoles } from '../../src/api/http/access.ts';
import type { Endpoint } from '../../src/api/http/endpoint.ts';
import { type Role, roles, tenantRoles } from '../../src/model/principal.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTurns } from '../../testing/createTurns.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Answer, type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import type { World } from '../support/createWorld.ts';
import { canariesIn, plantCanaries } from './support/canary.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { dump } from './support/dump.ts';
import { forAll } from './support/forAll.ts';
import { foreignId, idPlaces, type Place, valueAt, withValue } from './support/idPlaces.ts';
import { exampleBody, kindAt, newBody, readAgain, recordAt } from './support/newBody.ts';
import { batchEndpoints, endpoints, nameOf, observe, recordEndpoints } from './support/observe.ts';
import { nodeOf } from './support/schemas.ts';
import { foreignClauses, randomClause, wideClauses } from './support/scopeClauses.ts';

const unknownId = 987_654_321;
const callers = roles.filter((role) => role !== 'admin');

let api: TestApi;
let own: TenantWorld;
/** Of another organisation. */
let stranger: World;
/** Of another tenant of the same organisation. */
let sibling: World;
/** Ids of deleted records of the own tenant, by kind. */
const deleted = new Map<string, Json>();

beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  stranger = (await createTenantWorld(api)).world;
  sibling = (await createTenantWorld(api)).world;
  for (const world of [stranger, sibling]) await plantCanaries(api, world);
  await api.ok('PUT', `tenant/${sibling.tenant.id}`, { organisationId: own.world.organisation.id });
  for (const world of [own.world, stranger, sibling]) await readAgain(api, world);
  for (const { path } of recordEndpoints.filter(({ method }) => method === 'DELETE')) {
    const kind = kindAt(path);
    const body = newBody(`/${kind}`, own.world);
    // A project takes the same license only once.
    if (kind === 'instance')
      body.licenseId = (await api.ok('POST', 'license', newBody('/license', own.world))).id;
    const record = await api.ok('POST', kind, body);
    await api.ok('DELETE', `${kind}/${record.id}`);
    deleted.set(kind, record);
  }
});
afterAll(() => api.stop());

describe('an id in the path', () => {
  it('answers alike, byte for byte, whether it is another tenant’s, deleted or unknown', async () => {
    const before = await dump(api);
    const cases = endpoints
      // A pager's callback is known by its signature alone, and asks for its file first.
      .filter(({ path, file }) => path.includes('{id}') && !file && !path.endsWith('/contact'))
      .flatMap((endpoint) => roles.map((role) => ({ endpoint, role })));
    // The plain way where the role may ask, and one of the others; one of all where it is refused whatever the id.
    const isTurn = createTurns('ways to call', 6);
    await forAll([...cases.entries()], async ([at, { endpoint, role }]) => {
      const kind = kindAt(endpoint.path);
      const isAllowed = allowedRoles(accessOf(endpoint)).includes(role);
      const send = async (id: number | string, method: string, body?: Json, headers = {}) => {
        const sent = { token: own.tokens[role], headers: { 'x-request-id': 'twin', ...headers } };
        return fingerprint(
          await api.call(method, endpoint.path.slice(1).replace('{id}', String(id)), body, sent),
        );
      };
      const ways = waysToCall(endpoint).filter((_, n) => (isAllowed && n === 0) || isTurn(at + n));
      for (const [method, body, headers] of ways) {
        const expected = await send(unknownId, method, body, headers);
        expect(expected.status, `${role}: ${nameOf(endpoint)}`).toBe(isAllowed ? 404 : 403);
        for (const id of hiddenIds(kind, role, endpoint.method)) {
          expect(await send(id, method, body, headers), `${role}: ${nameOf(endpoint)} ${id}`).toEqual(
            expected,
          );
        }
      }
    });
    expect(await dump(api)).toEqual(before);
  });

  it('an id in the path of a session does not pass for that of an API key', async () => {
    const token = own.tokens['tenant-manager'];
    const { data } = await api.ok('POST', 'apikey/search', { size: 10_000 }, { token });
    const keys = new Set(data.map(({ id }: Json) => id));
    for (let id = 1; id <= 60; id++) {
      const { status } = await api.call('GET', `apikey/${id}`, undefined, { token });
      expect([id, status]).toEqual([id, keys.has(id) ? 200 : 404]);
    }
  });

  function waysToCall(
    endpoint: Endpoint,
  ): [method: string, body?: Json | undefined, headers?: Record<string, string>][] {
    const { method } = endpoint;
    if (method === 'GET') return [['GET'], ['HEAD'], ['GET', undefined, { 'if-none-match': '*' }]];
    const { body } = method === 'PUT' ? { body: {} } : exampleBody(endpoint);
    return [
      [method, body],
      [method, body, { 'if-match': '"x"' }],
      [method, body, { 'if-match': '*' }],
    ];
  }

  function hiddenIds(kind: string, role: Role, method: string): (number | string)[] {
    const gone = deleted.get(kind);
    const worlds = role === 'admin' || isForAll(kind) ? [] : hiddenFrom(role, kind);
    const records = [...worlds.map((world) => recordAt(world, `/${kind}`)), ...(gone ? [gone] : [])];
    const isByUid = method === 'DELETE' && kind.startsWith('tokenomics/');
    return records.flatMap(({ id, uid }) => (isByUid ? [id, uid] : [id]));
  }
});

/** Another organisation's records are hidden from all; those of the same organisation's tenants from tenant roles. */
function hiddenFrom(role: Role, kind: string): World[] {
  const isTenantRole = tenantRoles.some((known) => known === role);
  return isTenantRole && kind !== 'organisation' ? [stranger, sibling] : [stranger];
}

function isForAll(kind: string): boolean {
  return kind === 'plan' || kind === 'detector/schema';
}

function fingerprint({ status, text, headers }: Answer) {
  const varying = ['date', 'ratelimit', 'keep-alive', 'connection'];
  const kept = [...headers].filter(([name]) => !varying.includes(name));
  return { status, text, headers: kept };
}

describe('an id in a body', () => {
  /** References inside of a tenant, which bind administrators too. */
  const inside = ['walletId', 'tenantDestinationId', 'detectorId', 'actionId', 'triggerAlertId', 'id'];

  it('answers alike, byte for byte, whether it is another tenant’s or unknown, and has no effect', async () => {
    const before = await dump(api);
    const cases = [...recordEndpoints, ...batchEndpoints]
      .filter(({ body }) => body)
      .flatMap((endpoint) =>
        basesOf(endpoint.method, endpoint.path).flatMap((base) =>
          idPlaces(nodeOf(endpoint.body), base).map((place) => ({ endpoint, base, place })),
        ),
      );
    const names = new Set(cases.map(({ endpoint, place }) => `${nameOf(endpoint)} ${place.path.join('/')}`));
    expect(names.size).toBeGreaterThan(90);
    const isTurn = createTurns('ids in bodies', 8);
    await forAll([...cases.entries()], async ([at, { endpoint, base, place }]) => {
      const path = endpoint.path
        .slice(1)
        .replace('{id}', String(endpoint.method === 'PUT' && recordAt(own.world, endpoint.path).id));
      for (const [n, role] of roles.entries()) {
        const isAllowed = allowedRoles(accessOf(endpoint)).includes(role);
        if (!isAllowed && !isTurn(at + n)) continue;
        if (role === 'admin' && !inside.includes(place.name)) continue;
        const send = async (id: unknown) => {
          const sent = { token: own.tokens[role], headers: { 'x-request-id': 'twin' } };
          return api.call(endpoint.method, path, withValue(base, place.path, id), sent);
        };
        // Its checks of a step come before those of references.
        if (path.startsWith('escalationchain') && place.path[0] === 'steps') continue;
        const where = `${role}: ${nameOf(endpoint)} /${place.path.join('/')}`;
        const unknown = await send(unknownId);
        expect(outcome(unknown), where).toEqual(
          isAllowed ? expectedOutcome(place, base) : [403, 'forbidden'],
        );
        for (const id of foreignIds(endpoint.path, role, place)) {
          expect(fingerprint(await send(id)), `${where} = ${id}`).toEqual(fingerprint(unknown));
        }
      }
    });
    expect(await dump(api)).toEqual(before);
  });

  /** As a new record is written, and for a change also as the record is read. */
  function basesOf(method: string, path: string): Json[] {
    if (path.endsWith('/search')) return [];
    const fresh = newBody(`/${kindAt(path)}`, own.world);
    if (method === 'POST') return [fresh];
    const record = recordAt(own.world, path);
    const bindings = Object.entries(fresh).filter(
      ([name, value]) => Array.isArray(value) && Array.isArray(record[name]),
    );
    // The params of an action fit its function alone.
    const { funcSignature } = fresh;
    return [record, { ...Object.fromEntries(bindings), ...(funcSignature ? { funcSignature } : {}) }];
  }

  function foreignIds(path: string, role: Role, { name, path: place }: Place): number[] {
    const worlds =
      role === 'admin'
        ? [stranger, sibling]
        : hiddenFrom(role, name === 'organisationId' ? 'organisation' : '');
    if (name === 'schemaId') return [deleted.get('detector/schema')!.id];
    if (name === 'planId') return [deleted.get('plan')!.id];
    if (name !== 'id') return worlds.map((world) => foreignId(world, name));
    return worlds.flatMap((world) => {
      const id = valueAt(recordAt(world, path), place);
      return typeof id === 'number' ? [id] : [];
    });
  }

  function outcome({ status, body }: Answer): [number, string] {
    return [status, body.errors?.[0].code ?? body.code];
  }

  /** A binding comes back with all that was read of it, which fits no other. */
  function expectedOutcome({ isReadOnly, name }: Place, base: Json): [number, string] {
    if (isReadOnly || (name === 'id' && base.id !== undefined)) return [400, 'read-only'];
    return name === 'id' ? [422, 'unknown-binding'] : [422, 'unknown-reference'];
  }
});

describe('a search', () => {
  it('never returns, counts or reveals another tenant’s record, whatever the clause', async () => {
    const random = createRandom('searches across tenants');
    const cases = resources.flatMap(({ kind, endpoints }) => {
      const search = endpoints.find(({ path }) => path.endsWith('/search'))!;
      const allowed = callers.filter((role) => allowedRoles(accessOf(search)).includes(role));
      return allowed.map((role) => ({ members: kind.table.members, role, path: search.path }));
    });
    let count = 0;
    await forAll(cases, async ({ members, role, path }) => {
      const worlds = isForAll(kindAt(path)) ? [] : hiddenFrom(role, kindAt(path));
      const hidden = worlds.map((world) => recordAt(world, path).id);
      const ask = async (where: string, isWide: boolean) => {
        count++;
        const body = { where, size: 10_000, trackTotal: true };
        const answer = await api.call('POST', path.slice(1), body, { token: own.tokens[role] });
        const place = `${role}: ${path} where ${where}: ${answer.text}`;
        expect(answer.status, place).toBe(200);
        const ids: number[] = answer.body.data.map(({ id }: Json) => id);
        expect(answer.body.total, place).toBe(ids.length);
        expect(
          hidden.filter((id) => ids.includes(id)),
          place,
        ).toEqual([]);
        expect(
          worlds.flatMap((world) => canariesIn(answer.text, world.tenant.id)),
          place,
        ).toEqual([]);
        if (isWide) expect(ids, place).toContain(recordAt(own.world, path).id);
      };
      for (const where of wideClauses(members)) await ask(where, true);
      for (const world of [stranger, sibling]) {
        for (const where of foreignClauses(members, recordAt(world, path).id, world)) await ask(where, false);
      }
      for (let i = 0; i < sized(4, 15); i++) await ask(randomClause(random, members), false);
    });
    expect(count).toBeGreaterThan(2000);
  });

  it('a search of the audit log stays inside the tenant', async () => {
    const token = own.tokens['tenant-manager'];
    const all = await api.ok('GET', 'audit?size=10000', undefined, { token });
    expect(all.data.length).toBeGreaterThan(20);
    expect(new Set(all.data.map(({ tenantId }: Json) => tenantId))).toEqual(new Set([own.world.tenant.id]));
    for (const world of [stranger, sibling]) {
      const named = await api.call('GET', `audit?tenantId=${world.tenant.id}`, undefined, { token });
      const unknown = await api.call('GET', `audit?tenantId=${unknownId}`, undefined, { token });
      expect([named.text, unknown.text]).toEqual(['{"data":[]}', '{"data":[]}']);
    }
  });
});
