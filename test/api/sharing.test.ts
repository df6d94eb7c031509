import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf, allowedRoles } from '../../src/api/http/access.ts';
import type { Endpoint } from '../../src/api/http/endpoint.ts';
import { type Role, roles } from '../../src/model/principal.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import type { World } from '../support/createWorld.ts';
import { share as shareProject } from '../support/share.ts';
import { canariesIn, plantCanaries } from './support/canary.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { dump } from './support/dump.ts';
import { forAll } from './support/forAll.ts';
import { exampleBody, kindAt, newBody, readAgain, recordAt } from './support/newBody.ts';
import { endpoints, nameOf, observe, recordEndpoints } from './support/observe.ts';

const tenantCallers: Role[] = ['tenant-viewer', 'tenant-user', 'tenant-manager'];
const organisationCallers: Role[] = ['organisation-viewer', 'organisation-user', 'organisation-manager'];
const callers = roles.filter((role) => role !== 'admin');
/** What everybody sees of any tenant. */
const forAllToSee = ['plan', 'detector/schema'];

type VisibleTo = (role: Role) => readonly string[];

let api: TestApi;
let own: TenantWorld;
let other: World;

beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  other = (await createTenantWorld(api)).world;
  await plantCanaries(api, other);
  await readAgain(api, other);
});
afterAll(() => api.stop());

describe('a project that names a tenant in viewTenantIds', () => {
  beforeAll(() => share([own.world.tenant.id]));
  afterAll(() => share([]));

  const visibleTo: VisibleTo = (role) => (tenantCallers.includes(role) ? ['project', 'contract'] : []);

  it('shows itself and its contracts to that tenant’s roles, and nothing else to anybody', async () => {
    await expectVisible(visibleTo);
  });

  it('can be changed by no one but its owner, nor can anything be put into it', async () => {
    await expectNoWrite(visibleTo);
  });

  it('is hidden again as soon as it names the tenant no more', async () => {
    await share([]);
    await expectVisible(() => []);
    await share([own.world.tenant.id]);
  });

  it('shows nothing to a tenant that has not accepted', async () => {
    await share([]);
    await api.ok('PUT', `project/${other.project.id}`, { viewTenantIds: [own.world.tenant.id] });
    await expectVisible(() => []);
    await share([own.world.tenant.id]);
  });

  const share = (tenantIds: number[]) => shareProject(api, other.project.id, tenantIds);
});

describe('a license instance of an organisation over another tenant’s project', () => {
  const visibleTo: VisibleTo = (role) => (organisationCallers.includes(role) ? ['project', 'contract'] : []);
  let instance: Json;
  beforeAll(async () => {
    const { license, organisation } = own.world;
    const body = { licenseId: license.id, organisationId: organisation.id, projectId: other.project.id };
    instance = await api.ok('POST', 'instance', body);
  });
  afterAll(() => api.ok('DELETE', `instance/${instance.id}`));

  it('shows the project and its contracts to the organisation’s roles, and nothing else to anybody', async () => {
    await expectVisible(visibleTo);
  });

  it('is itself the organisation’s to see and to change, with its periods', async () => {
    const token = own.tokens['organisation-user'];
    await api.ok('PUT', `instance/${instance.id}`, { licenseStatus: 'LICENCED' }, { token });
    const startedAt = '2026-01-01T00:00:00.000Z';
    const meta = await api.ok(
      'POST',
      'instance/meta',
      { licenseInstanceId: instance.id, startedAt },
      { token },
    );
    await api.ok('GET', `instance/meta/${meta.id}`, undefined, { token: own.tokens['organisation-viewer'] });
    const tenants = await api.call('GET', `instance/${instance.id}`, undefined, {
      token: own.tokens['tenant-manager'],
    });
    expect(tenants.status).toBe(404);
  });

  it('lets no one of the organisation change the project or put anything into it', async () => {
    await expectNoWrite(visibleTo);
  });
});

describe('another tenant of the same organisation', () => {
  // Licenses and scores of its tenants are what an organisation's roles are for.
  const organisations = [
    'tenant',
    'project',
    'contract',
    'license',
    'score/group',
    'instance',
    'instance/meta',
  ];
  beforeAll(() => move(own.world.organisation.id));
  afterAll(() => move(other.organisation.id));

  const visibleTo: VisibleTo = (role) => {
    if (role === 'organisation-manager') return [...organisations, 'user', 'invite'];
    return organisationCallers.includes(role) ? organisations : [];
  };

  it('is seen by the organisation’s roles without its detectors, wallets, destinations and keys', async () => {
    await expectVisible(visibleTo);
  });

  it('cannot be changed by them, save for its users and invites', async () => {
    await expectNoWrite(visibleTo, ['user', 'invite']);
  });

  async function move(organisationId: number) {
    await api.ok('PUT', `tenant/${other.tenant.id}`, { organisationId });
  }
});

/** Reads and searches every kind in every role: what is not expected to be seen is as if it were not there. */
async function expectVisible(visibleTo: VisibleTo): Promise<void> {
  const before = await dump(api);
  await forAll(callers, async (role) => {
    const visible = visibleTo(role);
    const isShown = (kind: string) => visible.includes(kind) || forAllToSee.includes(kind);
    for (const endpoint of endpoints.filter(isReadOfKind)) {
      const { method, path } = endpoint;
      const kind = kindAt(path);
      if (!allowedRoles(accessOf(endpoint)).includes(role)) continue;
      const { id } = recordAt(other, path);
      const isSearch = path === `/${kind}/search`;
      const { body } = isSearch ? { body: { size: 10_000 } } : exampleBody(endpoint);
      const sent = { token: own.tokens[role] };
      const answer = await api.call(method, path.slice(1).replace('{id}', id), body, sent);
      const place = `${role}: ${method} ${path}: ${answer.text}`;
      expect(answer.status, place).toBe(isSearch || isShown(kind) ? 200 : 404);
      const found: Json[] = isSearch ? answer.body.data : [];
      if (isSearch) expect(found.map((record) => record.id).includes(id), place).toBe(isShown(kind));
      const seen = canariesIn(answer.text, other.tenant.id);
      // The chart of a contract tells its plan to whoever sees the contract.
      const told = path.endsWith('/tokenomics') ? ['tokenomics/category', 'tokenomics/schedule'] : [];
      const leaked = seen.filter((found) => ![...visible, ...told].includes(found));
      expect(leaked, place).toEqual([]);
    }
  });
  expect(await dump(api)).toEqual(before);
}

/** Reading one, searching, and what is found below one: the alerts of a contract. */
function isReadOfKind(endpoint: Endpoint): boolean {
  return endpoint.effect === 'read' && (endpoint.path.includes('{id}') || recordEndpoints.includes(endpoint));
}

/** Tries to change, delete and create below the other tenant's records in every role. */
async function expectNoWrite(visibleTo: VisibleTo, except: readonly string[] = []): Promise<void> {
  const before = await dump(api);
  const wanted = recordEndpoints.filter(
    ({ effect, path }) =>
      effect !== 'read' &&
      // A license names nothing of another tenant's.
      nameOf({ method: 'POST', path }) !== 'POST /license' &&
      !except.includes(kindAt(path)),
  );
  await forAll(wanted, async (endpoint) => {
    const { method, path } = endpoint;
    const place = path.slice(1).replace('{id}', String(recordAt(other, path).id));
    for (const role of callers) {
      const body = method === 'POST' ? newBody(path, other) : method === 'PUT' ? {} : undefined;
      const answer = await api.call(method, place, body, { token: own.tokens[role] });
      const isAllowed = allowedRoles(accessOf(endpoint)).includes(role);
      const isSeen = visibleTo(role).includes(kindAt(path));
      const expected = !isAllowed ? 403 : method === 'POST' ? 422 : isSeen ? 403 : 404;
      expect(answer.status, `${role}: ${nameOf(endpoint)}: ${answer.text}`).toBe(expected);
    }
  });
  expect(await dump(api)).toEqual(before);
}
