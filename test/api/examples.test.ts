import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessOf, allowedRoles } from '../../src/api/http/access.ts';
import type { Endpoint } from '../../src/api/http/endpoint.ts';
import { pathOf } from '../../src/api/http/route.ts';
import type { Role } from '../../src/model/principal.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import type { Answer, Json } from '../../testing/startTestApi.ts';
import { type ScoreWorld, startScoreWorld } from '../scoring/support/scoreWorld.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { expandRefs } from './support/expandRefs.ts';
import { foreignId, idPlaces, valueAt, withValue } from './support/idPlaces.ts';
import { kindAt, recordAt } from './support/newBody.ts';
import { endpoints, nameOf, observe } from './support/observe.ts';

/**
 * Requests that a node of the chain has a part in, and none is configured here: the problem that is expected once the
 * request itself is found valid. Nothing else needs another party or a code that only a mail carries.
 */
const noNode = { code: 'conflict', detail: expect.stringContaining('No endpoint is configured for anvil') };
const expectedProblems: Record<string, object> = {
  'POST /detector/backtest': noNode,
  'POST /detector/{id}/backtest': noNode,
  'POST /detector/{id}/explain': noNode,
  'POST /action/{id}/simulate': noNode,
  'POST /action/{id}/rehearse': noNode,
  'POST /action/{id}/execute': noNode,
  // It was pushed without one.
  'GET /alert/{uid}/trace': { code: 'conflict', detail: expect.stringContaining('not about a transaction') },
  // An example before it resolves the incident.
  'POST /incident/{uid}/escalate': { code: 'illegal-transition' },
  // The link was printed by a first start.
  'POST /auth/setup': { code: 'not-found' },
  // No node is at the address, and no endpoint is stored.
  'POST /chain/{uid}/endpoint': { code: 'unprocessable' },
  'PUT /chain/{uid}/endpoint/{endpointUid}': { code: 'not-found' },
  // Their examples are on Ethereum.
  'POST /contract/inspect': { code: 'conflict' },
  'POST /contract/{id}/recommend': { code: 'conflict' },
};

let scores: ScoreWorld;
let api: ReturnType<typeof observe>;
let document: Json;
let own: TenantWorld;
/** Another tenant, which shares its project with the own one. */
let other: World;
let newTenant: Json;
/** The schema that the example of a detector's configuration is for. */
let ownershipSchema: Json;
let alertUid: string;
let incidentUid: string;
let externalId: number;
let scoreChange: Json;
/** What the examples that create a record made, by kind. Other examples of the kind are sent to it. */
const made = new Map<string, Json>();

beforeAll(async () => {
  scores = await startScoreWorld();
  api = observe(scores);
  document = expandRefs(await api.ok('GET', '/openapi.json'));
  own = await createTenantWorld(api);
  other = await createWorld(api);
  await api.ok('PUT', `project/${other.project.id}`, { viewTenantIds: [own.world.tenant.id] });
  await publishDetectors(api.store, Date.now());
  newTenant = await api.ok('POST', 'tenant', { name: 'New' });
  const schemas = await api.ok('POST', 'detector/schema/search', { where: "name = 'ownership_change'" });
  ownershipSchema = schemas.data[0];
  const external = { contractId: own.world.contract.id, schemaId: own.world.detectorSchema.id };
  externalId = (await api.ok('POST', 'detector', { ...external, name: 'Engine', source: 'EXTERNAL' })).id;
  const found = { eid: 'f-1', message: 'Found.', meta: { newOwner: '0x01' } };
  const { results } = await api.ok('POST', `detector/${externalId}/alert`, { alerts: [found] });
  alertUid = results[0].uid;
  ({ incidentUid } = await api.ok('GET', `alert/${alertUid}`));
  scores.work();
  const { instanceId } = await scores.license({ groupScript: "['a']", scoreScript: '-1' }, ['a']);
  await scores.push({});
  [scoreChange] = (await scores.changes(instanceId)) as [Json];
});
afterAll(() => scores.stop());

/** Values that the documents cannot know, beside ids: those that are taken in this world, and uids. */
const filled: Record<string, () => Json> = {
  // The name and version belong to a schema that comes with Vigil.
  'POST /detector/schema': () => ({ name: 'my_schema' }),
  'PUT /detector/schema/{id}': () => ({ name: 'my_schema' }),
  // A tenant has one subscription at a time, and a project each license once.
  'POST /subscription': () => ({ tenantId: newTenant.id }),
  'POST /instance': () => ({ licenseId: made.get('license')!.id }),
  'PUT /instance/{id}': () => ({ licenseId: made.get('license')!.id }),
  'POST /timeset': () => ({ name: 'Office hours of the desk' }),
  'PUT /timeset/{id}': () => ({ name: 'Office hours of the desk' }),
  'POST /alert/{uid}/acknowledge': () => ({ until: Date.now() + 3_600_000 }),
  'POST /incident/{uid}/acknowledge': () => ({ until: Date.now() + 3_600_000 }),
  'POST /contract/batch': () => ({
    records: [{ projectId: own.world.project.id, name: 'Vault', chainUid: 'ethereum', address: elsewhere }],
  }),
  'POST /label/batch': () => ({
    records: [{ tenantId: own.world.tenant.id, chainUid: 'ethereum', name: 'Router', address: elsewhere }],
  }),
  'POST /silence': () => soon(),
  'POST /schedule': () => ({ name: 'Desk', ...staffed() }),
  'PUT /schedule/{id}': () => ({ name: 'Desk', ...staffed() }),
  'POST /escalationchain': () => ({ name: 'Desk' }),
  'PUT /escalationchain/{id}': () => ({ name: 'Desk' }),
  'PUT /contact': () => ({ destinationIds: [own.world.destination.id] }),
  'PUT /user/{id}/contact': () => ({ destinationIds: [own.world.destination.id] }),
  'POST /plannedchange': () => soon(),
  'POST /destination/{id}/preview': () => ({ alertUid }),
  'POST /action/{id}/simulate': () => ({ alertUid }),
  // Nothing leaves the machine.
  'POST /chain/{uid}/endpoint': () => ({ url: nowhere }),
  'POST /chain/{uid}/endpoint/try': () => ({ url: nowhere }),
};

/** Members of a schedule whose users are not those of the documents. */
const staffed = () => ({
  layers: [{ userIds: [own.world.duty.id], unit: 'WEEKS', every: 1, start: Date.now() }],
});
/** A window that lies ahead, whenever the test runs. */
const soon = () => ({ from: Date.now() + 60_000, to: Date.now() + 3_600_000 });
/** The example of a single record has the other address. */
const elsewhere = '0x00000000000000000000000000000000000000e5';
const nowhere = 'http://127.0.0.1:1';
const unknownEndpoint = { uid: 'anvil', endpointUid: '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e' };

const pathValues: Record<string, () => Record<string, string | number>> = {
  // Findings are pushed only into detectors with this source.
  'POST /detector/{id}/alert': () => ({ id: externalId }),
  'PUT /alert/{uid}': () => ({ uid: alertUid }),
  'GET /alert/{uid}/trace': () => ({ uid: alertUid }),
  'POST /alert/{uid}/preview': () => ({ uid: alertUid }),
  'PUT /incident/{uid}': () => ({ uid: incidentUid }),
  'GET /incident/{uid}/story': () => ({ uid: incidentUid }),
  'GET /incident/{uid}/report': () => ({ uid: incidentUid }),
  'POST /alert/{uid}/acknowledge': () => ({ uid: alertUid }),
  'POST /incident/{uid}/acknowledge': () => ({ uid: incidentUid }),
  'POST /alert/{uid}/comment': () => ({ uid: alertUid }),
  'POST /incident/{uid}/escalate': () => ({ uid: incidentUid }),
  'PUT /chain/{uid}': () => ({ uid: 'my_chain' }),
  'POST /chain/{uid}/endpoint': () => unknownEndpoint,
  'POST /chain/{uid}/endpoint/try': () => unknownEndpoint,
  'PUT /chain/{uid}/endpoint/{endpointUid}': () => unknownEndpoint,
  'PUT /score/{index}/{uid}': () => ({ index: scoreChange.index, uid: scoreChange.uid }),
  'POST /invite/{uid}/accept': () => ({ uid: made.get('link')!.uid }),
  // Tenants read the usage of their own tenant only.
  'POST /tenant/{id}/dashboard/usage': () => ({ id: own.world.tenant.id }),
  'POST /share/{projectId}/accept': () => ({ projectId: other.project.id }),
  'DELETE /share/{projectId}': () => ({ projectId: other.project.id }),
};

/** Records in these requests belong to an organisation or to another tenant. */
const senders: Record<string, Role> = {
  'POST /license/{id}/try': 'organisation-manager',
  'PUT /score/{index}/{uid}': 'admin',
};
const managers: readonly Role[] = ['tenant-manager', 'organisation-manager', 'admin'];

/** Managers of the tenant send what they may, then those of the organisation, then administrators. */
function tokenFor(endpoint: Endpoint): string | null {
  const name = nameOf(endpoint);
  const allowed = allowedRoles(accessOf(endpoint));
  if (allowed === 'public') return null;
  // The example has the password of the user who was made by example.
  if (name === 'POST /auth/password') return made.get('session')!.token;
  return own.tokens[senders[name] ?? managers.find((role) => allowed.includes(role))!];
}

const exampled = endpoints.filter(({ body, query }) => body ?? query);
const isCreate = ({ effect, method, path }: Endpoint) =>
  method === 'POST' && effect === 'create' && !path.includes('{');
/** Records first, since the other examples are sent to them. */
const inOrder = [...exampled.filter(isCreate), ...exampled.filter((endpoint) => !isCreate(endpoint))];

async function send(endpoint: Endpoint): Promise<Answer> {
  const name = nameOf(endpoint);
  const operation = document.paths[pathOf(endpoint)][endpoint.method.toLowerCase()];
  const values: Record<string, unknown> = pathValues[name]?.() ?? { id: idOf(endpoint.path) };
  const path = endpoint.path.slice(1).replace(/\{(\w+)\}/g, (_, parameter) => String(values[parameter]));
  const content = operation.requestBody?.content['application/json'];
  let body: Json | undefined;
  if (content) {
    body = content.example as Json;
    for (const place of idPlaces(content.schema, body)) {
      if (valueAt(body, place.path) !== undefined) body = withValue(body, place.path, idFor(place.name));
    }
    body = { ...body, ...filled[name]?.() };
  }
  const file = operation.requestBody?.content['application/octet-stream']?.example;
  return api.call(endpoint.method, `${path}${queryOf(endpoint, operation)}`, body, {
    token: tokenFor(endpoint),
    ...(file ? { raw: file, headers: { 'content-type': 'application/octet-stream' } } : {}),
  });
}

function idFor(name: string): number {
  return name === 'schemaId' ? ownershipSchema.id : foreignId(own.world, name);
}

function idOf(path: string): number | undefined {
  return path.includes('{id}') ? (made.get(kindAt(path)) ?? recordAt(own.world, path)).id : undefined;
}

/** The example suggests fields, to which these do not belong. */
const ofOtherSubjects = ['field', 'contractId', 'address', 'chainUid'];

function queryOf(endpoint: Endpoint, operation: Json): string {
  const examples = operation.parameters
    // Columns are for exports alone.
    .filter(({ in: place, name }: Json) => place === 'query' && name !== 'columns')
    .filter(({ name }: Json) => endpoint.path !== '/suggest' || !ofOtherSubjects.includes(name))
    .map(({ name, schema }: Json) => {
      if (name === 'tenantId') return [name, own.world.tenant.id];
      // A live stream does not end.
      if (endpoint.isStream && name === 'live') return [name, 'false'];
      if (name === 'contractId') return [name, own.world.contract.id];
      return [name, schema.examples[0]];
    });
  return examples.length > 0 ? `?${new URLSearchParams(examples).toString()}` : '';
}

it('the examples of the OpenAPI document are valid requests', async () => {
  const failed: string[] = [];
  for (const endpoint of inOrder) {
    const name = nameOf(endpoint);
    const answer = await send(endpoint);
    const problem = expectedProblems[name];
    if (problem) expect(answer.body, name).toMatchObject(problem);
    else if (answer.status >= 300) failed.push(`${name}: ${answer.status} ${answer.text}`);
    keep(endpoint, answer);
  }
  expect(failed).toEqual([]);
  expect(inOrder.length).toBeGreaterThan(100);
});

it('no example of the OpenAPI document is refused for its shape, as it is printed there', async () => {
  const refused: string[] = [];
  for (const endpoint of endpoints.filter(({ body }) => body)) {
    const { requestBody } = document.paths[pathOf(endpoint)][endpoint.method.toLowerCase()];
    const path = endpoint.path.slice(1).replace(/\{\w+\}/g, '987654');
    const { status, text } = await api.call(
      endpoint.method,
      path,
      requestBody.content['application/json'].example,
    );
    if (status === 400) refused.push(`${nameOf(endpoint)}: ${text}`);
  }
  expect(refused).toEqual([]);
});

/** Keeps what later examples need of an answer. */
function keep(endpoint: Endpoint, { body, headers }: Answer): void {
  if (isCreate(endpoint)) made.set(kindAt(endpoint.path), body);
  if (nameOf(endpoint) === 'POST /auth/login') made.set('session', body);
  const link = headers.get('x-invite-accept-link');
  if (link) made.set('link', { uid: new URL(link).searchParams.get('invite') });
}
