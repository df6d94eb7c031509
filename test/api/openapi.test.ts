import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessOf } from '../../src/api/http/access.ts';
import { pathOf } from '../../src/api/http/route.ts';
import { configSchema } from '../../src/detectors/configSchema.ts';
import { detectors } from '../../src/detectors/detectors.ts';
import { problems } from '../../src/model/errors.ts';
import { triggers } from '../../src/triggers/triggers.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { expandRefs } from './support/expandRefs.ts';
import { endpoints, nameOf, observe } from './support/observe.ts';
import { faultsOf, faultsOfSchema, type Node, typesOf } from './support/schemas.ts';

type Operation = { name: string; path: string; method: string; operation: Json };

let api: TestApi;
/** With names in place of what stands in several places. */
let served: Json;
let document: Json;
let operations: Operation[];

beforeAll(async () => {
  api = await startTestApi();
  const answer = await api.call('GET', '/openapi.json', undefined, { token: null });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  served = answer.body;
  document = expandRefs(served);
  operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  );
});
afterAll(() => api.stop());

it('a checkpoint fits its schema however many tenants there are', async () => {
  const observed = observe(api);
  for (let n = 0; n < 15; n++) {
    const tenant = await api.ok('POST', 'tenant', { name: `Audited ${n}` });
    await api.ok('POST', 'project', { tenantId: tenant.id, name: 'One' });
  }
  const { payload } = await observed.ok('GET', 'audit/checkpoint');
  expect(payload.length).toBeGreaterThan(1000);
  expect(JSON.parse(payload).chains).toHaveLength(15);
});

describe('the OpenAPI document', () => {
  it('has the structure of OpenAPI 3.1 and no member that this does not know', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expectMembers(
      document,
      '/',
      ['openapi', 'info', 'servers', 'tags', 'paths', 'webhooks', 'components'],
      ['security'],
    );
    expectMembers(document.info, '/info', ['title', 'version'], ['summary', 'description', 'license']);
    for (const server of document.servers) expectMembers(server, '/servers', ['url'], ['description']);
    for (const tag of document.tags) expectMembers(tag, '/tags', ['name', 'description'], []);
    expect(document.tags.filter(({ description }: Json) => !description)).toEqual([]);
    const shared = ['schemas', 'securitySchemes', 'parameters', 'headers', 'responses'];
    expectMembers(document.components, '/components', shared, []);
    expect(document.components.securitySchemes).toEqual({
      token: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
    for (const { name, operation } of operations) {
      expectMembers(
        operation,
        name,
        ['tags', 'operationId', 'summary', 'description', 'security', 'parameters', 'responses'],
        ['requestBody', 'deprecated'],
      );
      for (const parameter of operation.parameters) {
        expectMembers(parameter, name, ['name', 'in', 'required', 'schema', 'description'], []);
        expect(['path', 'query', 'header'], name).toContain(parameter.in);
      }
      if (operation.requestBody) {
        expectMembers(operation.requestBody, name, ['required', 'content'], ['description']);
        const isFile = /\/(import\/sanctions|callback)$/.test(name);
        const type = isFile ? 'application/octet-stream' : 'application/json';
        expectContent(operation.requestBody.content, name, type);
      }
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        if (status === '304') {
          expectMembers(response, `${name} ${status}`, ['description'], []);
          continue;
        }
        expectMembers(response, `${name} ${status}`, ['description', 'content'], ['headers', 'x-exports']);
        const isLines = name.endsWith('/audit/export');
        const isStream = name.endsWith('/alert/stream');
        const success = isStream
          ? 'text/event-stream'
          : isLines
            ? 'application/x-ndjson'
            : 'application/json';
        const type = Number(status) < 300 ? success : 'application/problem+json';
        const isExported = status === '200' && name.endsWith('/search');
        const exports = isExported ? ['text/csv', 'application/x-ndjson'] : [];
        expect(Object.keys(response['x-exports'] ?? {}), name).toEqual(exports);
        expectContent(response.content, `${name} ${status}`, type);
        for (const header of Object.values(response.headers ?? {})) {
          expectMembers(header, `${name} ${status}`, ['description', 'schema'], []);
        }
      }
    }
  });

  it('says of every operation that its headers may be too large', () => {
    for (const { name, operation } of operations) expect(operation.responses, name).toHaveProperty('431');
  });

  it('lists every endpoint once, and no other', () => {
    const listed = endpoints.map((endpoint) => `${endpoint.method} ${pathOf(endpoint)}`);
    expect(operations.map(({ name }) => name).sort()).toEqual(listed.sort());
  });

  it('gives every operation a summary, a known tag, an id of its own and its security', () => {
    const tags = new Set(document.tags.map(({ name }: Json) => name));
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const endpoint of endpoints) {
      const operation = document.paths[pathOf(endpoint)][endpoint.method.toLowerCase()];
      const name = `${endpoint.method} ${endpoint.path}`;
      expect(operation.summary, name).toMatch(/^[A-Z].{3,}/);
      expect(operation.operationId, name).toMatch(/^[a-z]\w+$/);
      expect(operation.tags.filter((tag: string) => tags.has(tag)).length, name).toBe(1);
      expect(operation.security, name).toEqual(accessOf(endpoint) === 'public' ? [] : [{ token: [] }]);
    }
  });

  it('declares exactly the parameters that stand in the path, all of them required', () => {
    for (const { name, path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = operation.parameters.filter((parameter: Json) => parameter.in === 'path');
      expect(
        declared.map((parameter: Json) => parameter.name),
        name,
      ).toEqual(named);
      expect(
        declared.every((parameter: Json) => parameter.required),
        name,
      ).toBe(true);
      const keys = operation.parameters.map((parameter: Json) => `${parameter.in} ${parameter.name}`);
      expect(new Set(keys).size, name).toBe(keys.length);
    }
  });

  it('lists for every operation the failures that any of them can have, by the codes of the server', () => {
    for (const { name, method, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses, name).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
      if (operation.security.length > 0)
        expect(statuses, name).toEqual(expect.arrayContaining(['401', '403']));
      if (method !== 'get') expect(statuses, name).toEqual(expect.arrayContaining(['413', '415']));
      for (const [status, { description }] of Object.entries<Json>(operation.responses)) {
        if (Number(status) < 400) continue;
        const codes = [...description.matchAll(/`([a-z-]+)`:/g)].map((match) => match[1]!);
        expect(codes.length, `${name} ${status}`).toBeGreaterThan(0);
        for (const code of codes) expect(problems).toHaveProperty([code, 'status'], Number(status));
      }
    }
    expect(document.components.schemas.Problem.properties.code.enum).toEqual(Object.keys(problems));
  });

  it('describes every parameter, every member and the type of each, however deep', () => {
    const missing: string[] = [];
    for (const [place, schema] of schemas()) {
      eachMember(schema, place, (member, pointer) => {
        if (!member.description?.trim()) missing.push(`${pointer}: no description`);
        if (typesOf(member).length === 0) missing.push(`${pointer}: no type`);
        if (typesOf(member).includes('array') && !member.items) missing.push(`${pointer}: no items`);
      });
    }
    for (const { name, operation } of operations) {
      for (const parameter of operation.parameters) {
        if (!parameter.description?.trim()) missing.push(`${name} ${parameter.name}: no description`);
      }
    }
    expect([...new Set(missing)]).toEqual([]);
  });

  it('every detector and trigger has schemas that are JSON Schema', () => {
    const configs = [
      ...Array.from(detectors.values(), (detector) => ({
        name: detector.name,
        schemas: [configSchema(detector)],
      })),
      ...Array.from(triggers.values(), ({ type, params }) => ({ name: type, schemas: [params] })),
    ];
    const requests = endpoints.map((endpoint) => ({
      name: nameOf(endpoint),
      schemas: [endpoint.params, endpoint.query, endpoint.body, endpoint.reply].flatMap(
        (schema) => schema ?? [],
      ),
    }));
    const wrong = [...configs, ...requests].flatMap(({ name, schemas }) =>
      schemas.flatMap(faultsOfSchema).map((fault) => `${name}: ${fault}`),
    );
    expect(wrong).toEqual([]);
    expect(faultsOfSchema({ type: 'text' })).not.toEqual([]);
  });

  it('has examples and defaults that fit their schemas', () => {
    // The same member stands in many places.
    const seen = new Set<string>();
    const wrong: string[] = [];
    const check = (schema: Node, value: unknown, place: string) => {
      const key = JSON.stringify([schema, value]);
      if (seen.has(key)) return;
      seen.add(key);
      wrong.push(...faultsOf(schema, value).map((fault) => `${place}: ${fault}`));
    };
    for (const [place, schema, example] of schemas()) {
      if (example !== undefined) check(schema, example, place);
      eachMember({ properties: { '': schema } }, place, (member, pointer) => {
        for (const value of member.examples ?? []) check(member, value, pointer);
        if (member.default !== undefined) check(member, member.default, pointer);
      });
    }
    expect([...new Set(wrong)]).toEqual([]);
    expect(seen.size).toBeGreaterThan(400);
  });

  it('names every record and body, and refers to nothing that is not there', () => {
    const { schemas } = served.components;
    for (const name of [
      'Contract',
      'Alert',
      'Detector',
      'WhereSearch',
      'QuerySearch',
      'ContractPage',
      'CreateContractBody',
    ])
      expect(schemas, name).toHaveProperty(name);
    const isInline = ({ schema }: Json) =>
      schema.$ref === undefined && Object.keys(schema.properties ?? {}).length > 0;
    for (const [path, methods] of Object.entries<Json>(served.paths))
      for (const { requestBody, responses } of Object.values<Json>(methods))
        for (const { content = {} } of [requestBody ?? {}, ...Object.values<Json>(responses)])
          expect(Object.values<Json>(content).filter(isInline), path).toEqual([]);
    expect(
      served.paths['/api/v1/contract/{id}'].get.responses[200].content['application/json'].schema,
    ).toEqual({
      $ref: '#/components/schemas/Contract',
    });
    expect(schemas.ContractPage.properties.data.items).toEqual({ $ref: '#/components/schemas/Contract' });
  });

  it('has names of operations that a person would choose', () => {
    const idOf = (method: string, path: string) => document.paths[`/api/v1${path}`][method].operationId;
    expect(idOf('post', '/contract')).toBe('createContract');
    expect(idOf('post', '/contract/search')).toBe('searchContracts');
    expect(idOf('post', '/contract/{id}/histogram')).toBe('contractHistogram');
    expect(idOf('get', '/alert/{uid}/comment')).toBe('listAlertComments');
    for (const { operation } of operations) expect(operation.operationId).not.toMatch(/(Id|Uid)(?=[A-Z]|$)/);
  });

  it('gives every request body an example', () => {
    for (const { name, operation } of operations) {
      const [content] = Object.values<Json>(operation.requestBody?.content ?? {});
      if (content) expect(content.example, name).toBeDefined();
    }
  });
});

/** Every schema of the document with its place, and the example that stands beside it. */
function schemas(): [place: string, schema: Node, example: unknown][] {
  return [
    ['Problem', document.components.schemas.Problem, undefined],
    ...operations.flatMap(({ name, operation }) => [
      ...operation.parameters.map(({ name: parameter, schema }: Json) => [
        `${name} ${parameter}`,
        schema,
        undefined,
      ]),
      ...contents(name, operation.requestBody?.content),
      ...Object.entries<Json>(operation.responses).flatMap(([status, { content }]) =>
        contents(`${name} ${status}`, content),
      ),
    ]),
  ];
}

function contents(place: string, content: Json | undefined): [string, Node, unknown][] {
  return Object.values<Json>(content ?? {}).map(({ schema, example }) => [place, resolved(schema), example]);
}

function resolved(schema: Node): Node {
  if (schema.$ref === undefined) return schema;
  expect(schema.$ref).toBe('#/components/schemas/Problem');
  return document.components.schemas.Problem;
}

function eachMember(node: Node, pointer: string, visit: (member: Node, pointer: string) => void): void {
  for (const [name, member] of Object.entries(node.properties ?? {})) {
    visit(member, `${pointer}/${name}`);
    eachMember(member, `${pointer}/${name}`, visit);
  }
  if (node.items) eachMember(node.items, `${pointer}[]`, visit);
  if (typeof node.additionalProperties === 'object')
    eachMember(node.additionalProperties, `${pointer}{}`, visit);
}

function expectContent(content: Json, place: string, ...types: string[]): void {
  expect(Object.keys(content), place).toEqual(types);
  for (const type of types) expectMembers(content[type], place, ['schema'], ['example']);
}

function expectMembers(value: unknown, place: string, required: string[], optional: string[]): void {
  const names = Object.keys(value ?? {});
  expect(
    required.filter((name) => !names.includes(name)),
    place,
  ).toEqual([]);
  expect(
    names.filter((name) => ![...required, ...optional].includes(name)),
    place,
  ).toEqual([]);
}
