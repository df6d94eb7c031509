import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf, allowedRoles } from '../../src/api/http/access.ts';
import { createMetrics } from '../../src/api/http/createMetrics.ts';
import { createServer } from '../../src/api/http/createServer.ts';
import type { Endpoint } from '../../src/api/http/endpoint.ts';
import { keyRoles, type Role, roles } from '../../src/model/principal.ts';
import { issueToken } from '../../src/services/accounts/issueToken.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { dump } from './support/dump.ts';
import { forAll } from './support/forAll.ts';
import { exampleBody, kindAt, newBody, recordAt } from './support/newBody.ts';
import { endpoints, nameOf, observe, recordEndpoints } from './support/observe.ts';

/**
 * The rights, written down a second time: the lowest tenant role (viewer, user, manager: v u m; ingest: i) and the lowest
 * organisation role (V U M) that is enough to create, read, change, delete and search; - is nobody but administrators,
 * and a blank where there is no such endpoint.
 */
const rights: Record<string, [string, string, string, string, string]> = {
  organisation: ['-', 'vV', '-', '-', 'vV'],
  tenant: ['-', 'vV', '-', '-', 'vV'],
  user: ['-', 'mM', 'mM', 'mM', 'mM'],
  apikey: ['m', 'm', 'm', 'm', 'm'],
  invite: ['mM', 'mM', '', 'mM', 'mM'],
  plan: ['-', 'vV', '-', '-', 'vV'],
  subscription: ['-', 'v', '-', '-', 'v'],
  project: ['m', 'vV', 'm', 'm', 'vV'],
  contract: ['u', 'vV', 'u', 'm', 'vV'],
  wallet: ['m', 'v', 'm', 'm', 'v'],
  destination: ['u', 'v', 'u', 'm', 'v'],
  'detector/schema': ['-', 'vV', '-', '-', 'vV'],
  detector: ['u', 'v', 'u', 'm', 'v'],
  trigger: ['u', 'v', 'u', 'm', 'v'],
  action: ['u', 'v', 'u', 'm', 'v'],
  label: ['u', 'v', 'u', 'm', 'v'],
  view: ['v', 'v', 'v', 'v', 'v'],
  timeset: ['u', 'v', 'u', 'm', 'v'],
  silence: ['u', 'v', 'u', '', 'v'],
  schedule: ['u', 'v', 'u', 'm', 'v'],
  escalationchain: ['u', 'v', 'u', 'm', 'v'],
  route: ['u', 'v', 'u', 'm', 'v'],
  inhibition: ['u', 'v', 'u', 'm', 'v'],
  plannedchange: ['m', 'v', '', '', 'v'],
  license: ['U', 'vV', 'U', 'M', 'vV'],
  'score/group': ['U', 'vV', 'U', 'M', 'vV'],
  instance: ['U', 'vV', 'U', 'M', 'vV'],
  'instance/meta': ['U', 'vV', 'U', 'M', 'vV'],
  'tokenomics/category': ['u', 'v', 'u', 'm', 'v'],
  'tokenomics/schedule': ['u', 'v', 'u', 'm', 'v'],
};
const otherRights: Record<string, string> = {
  'POST /contract/batch': 'u',
  'POST /detector/batch': 'u',
  'POST /trigger/batch': 'u',
  'POST /action/batch': 'u',
  'POST /label/batch': 'u',
  'POST /auth/login': 'public',
  'GET /auth/setup': 'public',
  'POST /auth/setup': 'public',
  'POST /invite/{uid}/accept': 'public',
  'POST /auth/refresh': 'vV',
  'POST /auth/cookie': 'vV',
  'POST /auth/logout': 'vV',
  'GET /auth/me': 'vV',
  'GET /auth/session': 'vV',
  'DELETE /auth/session/{sessionId}': 'vV',
  'GET /auth/apikey': 'vV',
  'POST /auth/password': 'vV',
  'DELETE /user/{id}/session': 'mM',
  'GET /share': 'v',
  'POST /share/{projectId}/accept': 'm',
  'DELETE /share/{projectId}': 'm',
  'POST /trigger/schema/search': 'vV',
  'POST /contract/inspect': 'v',
  'POST /contract/{id}/recommend': 'u',
  'GET /contract/{id}/signature': 'vV',
  'GET /chain': 'vV',
  'POST /chain': '-',
  'GET /chain/{uid}': 'vV',
  'PUT /chain/{uid}': '-',
  'DELETE /chain/{uid}': '-',
  'GET /chain/{uid}/endpoint': '-',
  'POST /chain/{uid}/endpoint': '-',
  'PUT /chain/{uid}/endpoint/{endpointUid}': '-',
  'DELETE /chain/{uid}/endpoint/{endpointUid}': '-',
  'POST /chain/{uid}/endpoint/try': '-',
  'POST /chain/{uid}/endpoint/{endpointUid}/try': '-',
  'GET /fault': 'v',
  'GET /audit': 'm',
  'GET /audit/export': 'm',
  'GET /audit/checkpoint': 'm',
  'POST /contract/{id}/action/alert/search': 'vV',
  'POST /contract/{id}/trigger/alert/search': 'vV',
  'POST /contract/{id}/detector/alert/search': 'vV',
  'POST /project/{id}/alert/search': 'vV',
  'POST /instance/{id}/score/search': 'vV',
  'GET /instance/{id}/score': 'vV',
  'POST /instance/{id}/resume': 'U',
  'PUT /score/{index}/{uid}': 'uU',
  'POST /license/{id}/try': 'uU',
  'POST /alert/search': 'vV',
  'POST /action/alert/aggregation': 'vV',
  'POST /alert/aggregation': 'vV',
  'GET /alert/stream': 'v',
  'GET /alert/{uid}': 'vV',
  'PUT /alert/{uid}': 'u',
  'POST /alert/{uid}/acknowledge': 'u',
  'DELETE /alert/{uid}/acknowledge': 'u',
  'POST /incident/{uid}/acknowledge': 'u',
  'DELETE /incident/{uid}/acknowledge': 'u',
  'GET /detector/{id}/quality': 'v',
  'GET /alert/{uid}/outcome': 'v',
  'POST /alert/{uid}/preview': 'v',
  'GET /alert/{uid}/trace': 'vV',
  'POST /alert/resolve': 'u',
  'POST /alert/tag': 'u',
  'POST /alert/assign': 'u',
  'GET /alert/{uid}/comment': 'v',
  'POST /alert/{uid}/comment': 'u',
  'DELETE /alert/{uid}/comment/{id}': 'u',
  'GET /suggest': 'vV',
  'GET /incident': 'v',
  'POST /incident/search': 'v',
  'GET /incident/{uid}': 'v',
  'GET /incident/{uid}/story': 'v',
  'GET /incident/{uid}/report': 'v',
  'PUT /incident/{uid}': 'u',
  'POST /detector/{id}/alert': 'iu',
  'POST /detector/backtest': 'u',
  'POST /detector/{id}/backtest': 'u',
  'GET /backtest/{uid}': 'v',
  'POST /backtest/{uid}/cancel': 'u',
  'POST /detector/{id}/explain': 'v',
  'GET /detector/{id}/fault': 'v',
  'GET /destination/kind': 'v',
  'POST /destination/{id}/confirm': 'u',
  'POST /destination/confirm/{code}': 'public',
  'GET /link/{code}': 'public',
  'POST /link/{code}': 'public',
  'POST /destination/{id}/test': 'u',
  'POST /destination/{id}/preview': 'v',
  'POST /destination/{id}/secret': 'u',
  'GET /destination/{id}/delivery': 'v',
  'GET /destination/{id}/binding': 'v',
  'POST /delivery/{uid}/replay': 'u',
  'GET /timeset/{id}/state': 'v',
  'GET /schedule/{id}/on-call': 'v',
  'GET /schedule/{id}/shifts': 'v',
  'GET /schedule/{id}/calendar': 'v',
  'POST /schedule/{id}/calendar': 'u',
  'DELETE /schedule/{id}/calendar': 'u',
  'POST /schedule/{id}/import': 'u',
  'GET /calendar/{code}': 'public',
  'GET /contact': 'v',
  'PUT /contact': 'v',
  'PUT /user/{id}/contact': 'm',
  'POST /incident/{uid}/escalate': 'u',
  'GET /incident/{uid}/escalation': 'v',
  'POST /destination/{id}/callback': 'public',
  'POST /silence/preview': 'v',
  'POST /alert/silenced': 'v',
  'POST /route/try': 'v',
  'POST /plannedchange/{id}/confirm': 'm',
  'POST /plannedchange/{id}/cancel': 'u',
  'GET /plannedchange/{id}/alert': 'v',
  'POST /label/import': 'u',
  'POST /label/import/sanctions': 'm',
  'POST /action/{id}/simulate': 'v',
  'POST /action/{id}/rehearse': 'v',
  'GET /approval/{id}': 'v',
  'POST /approval/search': 'v',
  'POST /approval/{id}/approve': 'u',
  'POST /approval/{id}/reject': 'u',
  'POST /action/{id}/execute': 'u',
  'GET /action/{id}/intent': 'v',
  'POST /action/halt': 'u',
  'POST /action/resume': 'm',
  'GET /action/halt': 'v',
  'POST /wallet/{id}/rotate': 'm',
  'GET /wallet/{id}/balance': 'v',
  'POST /contract/{id}/histogram': 'vV',
  'GET /contract/{id}/holdings': 'vV',
  'GET /contract/{id}/facts': 'vV',
  'GET /contract/{id}/tokenomics': 'vV',
  'POST /tenant/{id}/dashboard/usage': 'vV',
  'POST /tenant/telemetry': 'vV',
  'GET /telemetry/metric': 'vV',
  'GET /heartbeat': '-',
};

const letters: Record<string, Role[]> = {
  i: ['tenant-ingest'],
  v: ['tenant-viewer', 'tenant-user', 'tenant-manager'],
  u: ['tenant-user', 'tenant-manager'],
  m: ['tenant-manager'],
  V: ['organisation-viewer', 'organisation-user', 'organisation-manager'],
  U: ['organisation-user', 'organisation-manager'],
  M: ['organisation-manager'],
  '-': [],
};

const table = new Map<string, ReadonlySet<Role> | 'public'>();
for (const [kind, [create, read, change, remove, search]] of Object.entries(rights)) {
  table.set(`POST /${kind}`, rolesOf(create));
  table.set(`GET /${kind}/{id}`, rolesOf(read));
  if (change !== '') table.set(`PUT /${kind}/{id}`, rolesOf(change));
  table.set(`DELETE /${kind}/{id}`, rolesOf(remove));
  table.set(`POST /${kind}/search`, rolesOf(search));
}
for (const [name, words] of Object.entries(otherRights)) {
  table.set(name, words === 'public' ? 'public' : rolesOf(words));
}

function rolesOf(words: string): ReadonlySet<Role> {
  return new Set<Role>([...words].flatMap((letter) => letters[letter]!).concat('admin'));
}

const guarded = endpoints.filter((endpoint) => table.get(nameOf(endpoint)) !== 'public');

let api: TestApi;
let own: TenantWorld;

beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
});
afterAll(() => api.stop());

describe('the table of rights', () => {
  it('is the one written down in this test, cell by cell', () => {
    const actual = endpoints.map((endpoint) => {
      const allowed = allowedRoles(accessOf(endpoint));
      return [nameOf(endpoint), allowed === 'public' ? allowed : new Set(allowed)] as const;
    });
    const written = endpoints.map((endpoint) => [nameOf(endpoint), table.get(nameOf(endpoint))] as const);
    expect(actual).toEqual(written);
  });

  it('has a row of this test for every operation on records, and no operation is missing', () => {
    const records = Object.entries(rights).flatMap(([kind, words]) =>
      [
        `POST /${kind}`,
        `GET /${kind}/{id}`,
        `PUT /${kind}/{id}`,
        `DELETE /${kind}/{id}`,
        `POST /${kind}/search`,
      ].filter((_, operation) => words[operation] !== ''),
    );
    expect(new Set(recordEndpoints.map(nameOf))).toEqual(new Set(records));
  });

  it('keeps a server from starting with an endpoint that has no row', async () => {
    const undeclared: Endpoint = { ...endpoints[0]!, path: '/undeclared' };
    await expect(start([...endpoints, undeclared])).rejects.toThrow(
      'The endpoint POST /undeclared has no row in the access table.',
    );
  });

  it('keeps a server from starting with a row that has no endpoint', async () => {
    await expect(start(endpoints.slice(1))).rejects.toThrow(nameOf(endpoints[0]!));
  });

  async function start(list: readonly Endpoint[]) {
    const app = await createServer({
      services: api.services,
      authenticate: {
        authenticate: async () => Promise.reject(new Error('Nobody asks.')),
        trustNew: () => {},
        clearCache: () => {},
        sweep: () => {},
      },
      endpoints: list,
      metrics: createMetrics(() => api.store.stats()),
      log: (await import('pino')).default({ level: 'silent' }),
      version: 'test',
      rateLimit: { perSecond: 1, burst: 1 },
      corsOrigins: [],
    });
    await app.close();
  }
});

describe('without a good token', () => {
  it('every endpoint answers 401 to no, malformed, unknown, expired and revoked tokens', async () => {
    const good = own.tokens['tenant-manager'];
    const expired = await issueToken(
      api.store,
      { kind: 'API_KEY', tenantId: own.world.tenant.id, userId: null, label: null, roles, expiredAt: 1 },
      api.services.now(),
    );
    const key = await api.ok('POST', 'apikey', newBody('/apikey', own.world));
    await api.ok('GET', 'auth/me', undefined, { token: key.token });
    await api.ok('DELETE', `apikey/${key.id}`);
    const headers: Record<string, Record<string, string>> = {
      none: {},
      'no scheme': { authorization: good },
      'another scheme': { authorization: `Basic ${good}` },
      'no token': { authorization: 'Bearer' },
      'two tokens': { authorization: `Bearer ${good} ${good}` },
      'a list': { authorization: `Bearer ${good}, Bearer ${good}` },
      'too long': { authorization: `Bearer ${'x'.repeat(513)}` },
      unknown: { authorization: `Bearer ${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}` },
      expired: { authorization: `Bearer ${expired.token}` },
      revoked: { authorization: `Bearer ${key.token}` },
    };
    const before = await dump(api);
    await forAll(guarded, async (endpoint) => {
      const { path, body } = await requestFor(endpoint, 'as it is');
      for (const method of endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method]) {
        for (const [kind, sent] of Object.entries(headers)) {
          const answer = await api.call(method, path, body, { token: null, headers: sent });
          const seen = [answer.status, answer.headers.get('www-authenticate')];
          expect(seen, `${method} ${path}, ${kind}`).toEqual([401, 'Bearer realm="vigil"']);
          if (method !== 'HEAD') expect(answer.body.code).toBe('unauthenticated');
        }
      }
    });
    expect(await dump(api)).toEqual(before);
  });

  it('a token stops working when its time is over, its user is disabled, or its user or tenant is deleted', async () => {
    const { world } = await createTenantWorld(api);
    const tenantId = world.tenant.id;
    const issue = async (userId: number | null, expiredAt: number | null) => {
      const made = { kind: 'API_KEY', tenantId, userId, label: null, roles: ['tenant-viewer'] } as const;
      return (await issueToken(api.store, { ...made, expiredAt }, api.services.now())).token;
    };
    const statusOf = async (token: string) => (await api.call('GET', 'auth/me', undefined, { token })).status;
    const newUser = () => api.ok('POST', 'user', newBody('/user', world));

    const brief = await issue(null, api.services.now() + 60_000);
    const [disabled, deleted] = [await newUser(), await newUser()];
    const tokens = [brief, await issue(disabled.id, null), await issue(deleted.id, null)];
    const ofTenant = await issue(null, null);
    for (const token of [...tokens, ofTenant]) expect(await statusOf(token)).toBe(200);

    await api.ok('PUT', `user/${disabled.id}`, { status: 'DISABLED' });
    await api.ok('DELETE', `user/${deleted.id}`);
    api.advance(61_000);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect(await statusOf(ofTenant)).toBe(200);
    await api.ok('DELETE', `tenant/${tenantId}`);
    api.advance(1000);
    expect(await statusOf(ofTenant)).toBe(401);
  });

  it('the public endpoints need none, and a bad one does not hurt', async () => {
    for (const token of [null, 'unknown']) {
      const login = await api.call('POST', 'auth/login', {}, { token });
      expect([login.status, login.body.code]).toEqual([400, 'invalid-input']);
      const person = { name: 'Bob', password: 'correct horse battery' };
      const accept = await api.call('POST', 'invite/unknown/accept', person, { token });
      expect([accept.status, accept.body.code]).toEqual([404, 'not-found']);
    }
  });
});

describe('by role', () => {
  it('a role that the table does not allow gets 403 and changes nothing', async () => {
    const before = await dump(api);
    let count = 0;
    await forAll(guarded, async (endpoint) => {
      for (const role of keyRoles.filter((role) => !isAllowed(endpoint, role))) {
        const { path, body } = await requestFor(endpoint, 'as it is');
        const answer = await api.call(endpoint.method, path, body, { token: own.tokens[role] });
        expect([answer.status, answer.body.code], `${role}: ${nameOf(endpoint)}`).toEqual([403, 'forbidden']);
        count++;
      }
    });
    expect(count).toBeGreaterThan(200);
    expect(await dump(api)).toEqual(before);
  });

  it('a role that the table allows succeeds on its own tenant’s and organisation’s records', async () => {
    for (const endpoint of guarded) {
      for (const role of keyRoles.filter((role) => isAllowed(endpoint, role))) {
        const { path, body } = await requestFor(endpoint, role);
        // Refreshing and logging out end the session.
        const token = path.startsWith('auth/') ? await own.session(role) : own.tokens[role];
        const answer = await api.call(endpoint.method, path, body, { token });
        const place = `${role}: ${nameOf(endpoint)}: ${answer.text}`;
        if (recordEndpoints.includes(endpoint)) expect(answer.status, place).toBe(endpoint.status ?? 200);
        else expect([401, 403], place).not.toContain(answer.status);
      }
    }
  });
});

function isAllowed(endpoint: Endpoint, role: Role): boolean {
  const allowed = table.get(nameOf(endpoint));
  return allowed === 'public' || (allowed?.has(role) ?? false);
}

/** A request that a caller with enough rights succeeds with; for a role, on a new record where that is deleted. */
async function requestFor(
  endpoint: Endpoint,
  use: Role | 'as it is',
): Promise<{ path: string; body?: Json }> {
  const { method, path } = endpoint;
  const { world, tokens } = own;
  const kind = kindAt(path);
  const id = path.includes('{id}') ? recordAt(world, path).id : undefined;
  const below = path.slice(1).replace('{id}', id).replace('{uid}', 'unknown');
  if (!recordEndpoints.includes(endpoint) || path.endsWith('/search'))
    return { path: below, ...exampleBody(endpoint) };
  if (method === 'POST') return { path: below, body: await newRecord() };
  // A record may be sent back as it is read.
  if (method === 'PUT' && (kind !== 'view' || use === 'as it is'))
    return { path: below, body: await api.ok('GET', below) };
  if (method === 'GET' || use === 'as it is') return { path: below };
  const isOrganisations = ['license', 'score/group', 'instance', 'instance/meta'].includes(kind);
  // Views belong to who made them.
  const token = tokens[kind === 'view' ? use : isOrganisations ? 'organisation-manager' : 'admin'];
  const fresh = await api.ok('POST', kind, await newRecord(), { token });
  return { path: `${kind}/${fresh.id}`, ...(method === 'PUT' ? { body: fresh } : {}) };

  /** A project takes the same license only once. */
  async function newRecord(): Promise<Json> {
    const body: Json = {
      ...newBody(`/${kind}`, world),
      ...(kind === 'view' && use === 'tenant-viewer' ? { shared: false } : {}),
    };
    if (kind !== 'instance' || use === 'as it is') return body;
    return { ...body, licenseId: (await api.ok('POST', 'license', newBody('/license', world))).id };
  }
}
