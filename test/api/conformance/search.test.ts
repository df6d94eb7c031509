import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem } from '../../support/expectProblem.ts';
import { filled, integer, record } from '../../support/memberRules.ts';
import {
  destinationWithoutType,
  detectorMembers,
  instanceMetaMembers,
  projectMembers,
  scoreGroupMembers,
} from '../../support/recordMembers.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  await createWorld(api);
  const { tenant, project, instance, license } = world;
  for (let n = 2; n <= 4; n++) {
    const named = await api.ok('POST', 'project', { tenantId: tenant.id, ...projects[n - 2] });
    expect(named.tenantId).toBe(project.tenantId);
    await api.ok('POST', 'score/group', { licenseId: license.id, name: `group ${n}` });
    const startedAt = `202${n}-01-01T00:00:00.000Z`;
    await api.ok('POST', 'instance/meta', { licenseInstanceId: instance.id, startedAt });
    const uri = `https://example.com/${n}`;
    await api.ok('POST', 'destination', { tenantId: tenant.id, type: 'HTTP', uri, tags: ['WALLET'] });
    await api.ok('POST', 'detector', {
      contractId: world.contract.id,
      schemaId: world.detectorSchema.id,
      name: `Detector ${n}`,
      source: 'ATTACK_DETECTOR',
      status: n === 4 ? 'DISABLED' : 'ACTIVE',
    });
  }
});
afterAll(() => api.stop());

const projects: Json[] = [
  { name: 'Beta', networkStatus: 'TESTNET', tags: ['a', 'b'] },
  {
    name: 'alpha',
    legalName: 'Alpha Ltd',
    description: 'The first.',
    icon: 'https://example.com/a.png',
    website: 'https://example.com',
    networkStatus: 'MAINNET',
    marketDataId: 'alpha-token',
    params: { source: { kind: 'oracle' } },
    tags: ['b'],
    viewTenantIds: [],
    type: 'vault',
    meta: { team: 'blue' },
  },
  { name: "Gamma's", networkStatus: 'DEVNET' },
];

const searches = [
  { path: 'detector/search', rule: record(detectorMembers), own: 4, all: 5 },
  { path: 'project/search', rule: record(projectMembers), own: 4, all: 5 },
  { path: 'destination/search', rule: destinationWithoutType, own: 4, all: 5 },
  { path: 'instance/meta/search', rule: record(instanceMetaMembers), own: 4, all: 5 },
  { path: 'score/group/search', rule: record(scoreGroupMembers), own: 5, all: 5 },
];

describe.each(searches)('POST /$path', ({ path, rule, own, all }) => {
  const search = (body?: Json) => api.ok('POST', path, body);

  it('answers with records of exactly the members of docs/api-spec.md, and total only when trackTotal is true', async () => {
    const counted = await search({ size: 100, trackTotal: true });
    expect(record({ data: filled(rule), total: integer })(counted)).toEqual([]);
    expect([counted.data.length, counted.total]).toEqual([all, all]);
    for (const body of [undefined, {}, { where: '' }, { trackTotal: false }])
      expect(record({ data: filled(rule) })(await search(body))).toEqual([]);
  });

  it('shows a tenant its own records only', async () => {
    const token = await api.token(world.tenant.id, 'tenant-viewer');
    const found = await api.ok('POST', path, { trackTotal: true }, { token });
    expect([found.data.length, found.total]).toEqual([own, own]);
  });

  it('takes from 0 up and size from 0 to 10000, counting all whatever the page', async () => {
    const everything = await search({ from: 0, size: 10_000, trackTotal: true });
    expect(everything.data).toHaveLength(all);
    expect(await search({ size: 0, trackTotal: true })).toEqual({ data: [], total: all });
    expect((await search({ from: 1, size: 2 })).data).toEqual(everything.data.slice(1, 3));
    expect(await search({ from: 9_999, size: 10_000 })).toEqual({ data: [] });
  });

  it.each([
    [{ size: -1 }, '/size'],
    [{ size: 10_001 }, '/size'],
    [{ size: 1.5 }, '/size'],
    [{ size: '10' }, '/size'],
    [{ size: null }, '/size'],
    [{ from: -1 }, '/from'],
    [{ from: 0.5 }, '/from'],
    [{ sort: [] }, '/sort'],
    [{ sort: { field: 'id' } }, '/sort'],
    [{ sort: ['id'] }, '/sort/0'],
    [{ sort: [{ order: 'asc' }] }, '/sort/0/field'],
    [{ sort: [{ field: 'id', order: 'up' }] }, '/sort/0/order'],
    [{ sort: [{ field: 'nothing' }] }, '/sort/0/field'],
    [{ where: 5 }, '/where'],
    [{ trackTotal: 1 }, '/trackTotal'],
    [{ trackTotalCount: 10 }, '/trackTotalCount'],
    [{ query: '*' }, '/query'],
  ])('refuses %j at %s', async (body, pointer) => {
    expectProblem(await api.call('POST', path, body), 400, pointer);
  });

  it('sorts ascending by default and descending by order or direction', async () => {
    const ids = async (...sort: Json[]) => {
      const { data } = await search({ sort, size: 100 });
      return data.map((each: Json) => each.id);
    };
    const rising = await ids({ field: 'id' });
    expect(rising).toEqual([...rising].sort((a: number, b: number) => a - b));
    expect(await ids({ field: 'id', order: 'asc' })).toEqual(rising);
    expect(await ids({ field: 'createdAt' }, { field: 'id', order: 'desc' })).toHaveLength(all);
    for (const word of ['order', 'direction'])
      expect(await ids({ field: 'id', [word]: 'desc' })).toEqual([...rising].reverse());
  });

  it('points at where a clause stops being one', async () => {
    expect(expectProblem(await api.call('POST', path, { where: 'id = 1 and' }), 400).position).toBe(11);
    expect(expectProblem(await api.call('POST', path, { where: 'nothing = 1' }), 400).position).toBe(1);
  });
});

describe('where', () => {
  it.each([
    ['project', "name = 'Beta'", ['Beta']],
    ['project', "networkStatus <> 'TESTNET'", ['alpha', "Gamma's"]],
    ['project', "networkStatus = 'TESTNET' and name <> 'Beta'", []],
    ['project', "name = 'Gamma''s'", ["Gamma's"]],
    ['project', "tags = 'b' AND type = 'vault'", ['alpha']],
    ['project', "params.source.kind = 'oracle'", ['alpha']],
    ['project', "licenses.licenseStatus = 'PENDING'", ['Project']],
    ['project', "licenses.license.scoreGroups.name = 'security'", ['Project']],
    ['detector', "source = 'ATTACK_DETECTOR' and status = 'ACTIVE'", ['Detector 2', 'Detector 3']],
    ['detector', "schema.version = '1.0.0' and status <> 'ACTIVE'", ['Detector 4']],
    ['detector', "destinations.tenantDestination.type = 'HTTP'", ['Detector']],
    ['score/group', "name <> 'security'", ['group 2', 'group 3', 'group 4']],
  ])('finds %s records by %s', async (path, where, names) => {
    const token = await api.token(world.tenant.id, 'tenant-viewer');
    const found = await api.ok('POST', `${path}/search`, { where }, { token });
    expect(found.data.map((each: Json) => each.name)).toEqual(names);
  });

  it('finds periods by their ISO text and destinations by type, although no record shows the type', async () => {
    const late = "startedAt >= '2023-01-01T00:00:00.000Z' and licenseInstanceId = ";
    const { data } = await api.ok('POST', 'instance/meta/search', { where: `${late}${world.instance.id}` });
    expect(data.map((each: Json) => each.startedAt.slice(0, 4))).toEqual(['2026', '2023', '2024']);
    const typed = { where: "type = 'HTTP' and tags = 'WALLET'", trackTotal: true };
    expect((await api.ok('POST', 'destination/search', typed)).total).toBe(3);
  });

  it('leaves out deleted records', async () => {
    const gone = await api.ok('POST', 'project', { tenantId: world.tenant.id, name: 'Gone' });
    await api.ok('DELETE', `project/${gone.id}`);
    expect(await api.ok('POST', 'project/search', { where: "name = 'Gone'" })).toEqual({ data: [] });
  });
});
