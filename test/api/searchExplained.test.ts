import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertUid } from '../../src/alerts/alertUid.ts';
import type { Finding } from '../../src/model/alert.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

let api: TestApi;
let world: World;
let viewer: string;
let path: string;
const end = Date.UTC(2026, 10, 15);

const finding = (n: number, timestamp: number, more: Partial<Finding> = {}): Finding => ({
  tenantId: world.tenant.id,
  projectId: world.project.id,
  contractId: world.contract.id,
  kind: 'detector',
  group: 'SECURITY',
  severity: n % 2 === 0 ? 'HIGH' : 'LOW',
  timestamp,
  key: String(n),
  eid: `e${n}`,
  name: 'Large transfer',
  message: `Transfer ${n} of the Treasury`,
  meta: { amount: '50000', parties: [{ to: '0xAbc', note: 'the Treasury' }] },
  tags: [],
  ...more,
});
const search = (body: unknown, at = path) => api.ok('POST', at, body, { token: viewer });
const refuse = async (body: unknown) => {
  const { status, body: problem } = await api.call('POST', path, body, { token: viewer });
  expect(status).toBe(400);
  return (problem as { errors: { pointer: string }[] }).errors[0]?.pointer;
};

beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
  path = 'alert/search';
  // Seven alerts of each moment, so that pages end within a moment.
  await raiseAll(
    api.store,
    Array.from({ length: 100 }, (_, n) => finding(n, end - Math.floor(n / 7) * 1000)),
  );
});
afterAll(() => api.stop());

it('names the clauses, members and words of each hit when asked, and nothing when not', async () => {
  const query = 'severity:HIGH AND (treasury OR meta.amount:50000) AND NOT name:small';
  const plain = await search({ query, size: 3 });
  expect(Object.keys(plain).sort()).toEqual(['data', 'total']);
  const { data, total, matched } = await search({ query, size: 3, matched: true });
  expect({ data, total }).toEqual(plain);
  expect(matched).toHaveLength(3);
  expect(matched[0]).toEqual([
    { clause: 'severity:HIGH', position: 1, members: ['severity'], words: [] },
    { clause: 'treasury', position: 20, members: ['message', 'meta.parties.note'], words: ['treasury'] },
    { clause: 'meta.amount:50000', position: 32, members: ['meta.amount'], words: [] },
  ]);
});

it('names the words that patterns and phrases fit', async () => {
  const { matched } = await search({
    query: 'message:tra* "the Treasury" name:/lar.e/',
    size: 1,
    matched: true,
  });
  expect(matched[0]).toEqual([
    { clause: 'message:tra*', position: 1, members: ['message'], words: ['transfer'] },
    {
      clause: '"the Treasury"',
      position: 14,
      members: ['message', 'meta.parties.note'],
      words: ['the', 'treasury'],
    },
    { clause: 'name:/lar.e/', position: 29, members: ['name'], words: ['large'] },
  ]);
});

it('explains a page of hits also where a cursor, a contract or an empty query leads to it', async () => {
  const first = await search({ query: 'transfer', size: 5 });
  const next = await search({ query: 'transfer', size: 5, cursor: first.data[4].uid, matched: true });
  expect(next.matched.map((clauses: { words: string[] }[]) => clauses[0]?.words)).toEqual(
    Array.from({ length: 5 }, () => ['transfer']),
  );
  const ofContract = `contract/${world.contract.id}/detector/alert/search`;
  expect((await search({ query: 'kind:detector', size: 1, matched: true }, ofContract)).matched).toEqual([
    [{ clause: 'kind:detector', position: 1, members: ['kind'], words: [] }],
  ]);
  expect((await search({ size: 2, matched: true })).matched).toEqual([[], []]);
  expect((await search({ query: 'NOT severity:LOW', size: 1, matched: true })).matched).toEqual([[]]);
});

it('bounds what it explains', async () => {
  const words = Array.from({ length: 50 }, (_, n) => `message:${n === 40 ? 'transfer' : `w${n}`}`).join(
    ' OR ',
  );
  expect((await search({ query: `${words} OR name:large`, size: 1, matched: true })).matched).toEqual([[]]);
  const wide = { wide: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`m${n}`, 'needle'])) };
  await raiseAll(api.store, [finding(1000, end - 3_600_000, { meta: wide })]);
  const { matched } = await search({ query: 'needle', size: 1, matched: true });
  expect(matched[0][0].members).toHaveLength(16);
  expect(await refuse({ matched: true, size: 201 })).toBe('/size');
});

it('reads every alert once by cursor while others are raised before and between', async () => {
  for (const [order, sort] of [
    ['newest', undefined],
    ['oldest', [{ field: 'timestamp', order: 'asc' }]],
  ] as const)
    for (const query of ['', 'severity:HIGH', 'message:transfer']) {
      const body = { query, size: 9, ...(sort ? { sort } : {}) };
      const before = (await search({ ...body, size: 1000 })).data.map(({ uid }: { uid: string }) => uid);
      const read: string[] = [];
      let total = 0;
      for (let page = 0; ; page++) {
        const cursor = read.length > 0 ? { cursor: read.at(-1) } : {};
        const answer = await search({ ...body, ...cursor });
        read.push(...answer.data.map(({ uid }: { uid: string }) => uid));
        total = answer.total;
        if (answer.data.length < 9) break;
        const key = 2000 + page + 100 * query.length + (order === 'oldest' ? 10_000 : 0);
        // One at the end that was read already, and one in the middle of the moments.
        const added = [finding(2 * key, order === 'newest' ? end + 1000 + key : end - 7_200_000 - key)];
        await raiseAll(api.store, added);
      }
      expect(new Set(read).size, `${order} ${query}`).toBe(read.length);
      expect(read, `${order} ${query}`).toEqual(before);
      expect(total, `${order} ${query}`).toBe((await search({ ...body, size: 0 })).total);
    }
});

it('goes on after an alert that is gone, and refuses a cursor that leads nowhere', async () => {
  const gone = alertUid(finding(5000, end - 2500));
  const { data } = await search({ query: 'transfer', size: 1, cursor: gone });
  expect(data[0].timestamp).toBeLessThan(end - 2500);
  expect(await refuse({ cursor: 'next' })).toBe('/cursor');
  expect(await refuse({ cursor: gone, from: 10 })).toBe('/cursor');
  expect(await refuse({ cursor: gone, sort: [{ field: 'severity', order: 'asc' }] })).toBe('/cursor');
});

it('shows no clause for what another tenant sees of a shared alert only', async () => {
  const other = await createWorld(api);
  const stranger = await api.token(other.tenant.id, 'tenant-viewer');
  const { data, matched } = await api.ok(
    'POST',
    path,
    { query: 'treasury', matched: true },
    { token: stranger },
  );
  expect({ data, matched }).toEqual({ data: [], matched: [] });
});

it('exports from a cursor on, but explains no export', async () => {
  const first = await search({ query: 'transfer', size: 5 });
  const lines = await api.call(
    'POST',
    path,
    { query: 'transfer', size: 3, cursor: first.data[1].uid },
    { token: viewer, headers: { accept: 'application/x-ndjson' } },
  );
  expect(lines.status).toBe(200);
  const refused = await api.call(
    'POST',
    path,
    { matched: true },
    { token: viewer, headers: { accept: 'text/csv' } },
  );
  expect(refused.status).toBe(400);
});
