import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/alert.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

let api: TestApi;
let token: string;
const now = Date.now();

/** Each with a number of its own to tell it by, newest first. */
const values: unknown[] = [
  'weth',
  'USDC',
  'usdc',
  '😀',
  '\uffee',
  '',
  10,
  9,
  -2.5,
  true,
  false,
  null,
  undefined,
  [],
  {},
  [7, 30],
  ['b', 'z'],
  [true, 'm', 11],
  [[8]],
  [{ inner: 1 }],
];

beforeAll(async () => {
  api = await startTestApi();
  const world = await createWorld(api);
  token = await api.token(world.tenant.id, 'tenant-viewer');
  await raiseAll(
    api.store,
    values.map(
      (value, n): Finding => ({
        tenantId: world.tenant.id,
        projectId: world.project.id,
        contractId: world.contract.id,
        kind: 'detector',
        group: 'SECURITY',
        severity: 'LOW',
        timestamp: now - n * 1000,
        key: `finding ${n}`,
        eid: `e:${n}`,
        name: 'sorted',
        message: 'sorted',
        meta: {
          n,
          ...(value === undefined ? {} : { v: value, deep: { v: value }, list: [{ v: value }] }),
          object: { name: 'a' },
        },
        tags: [],
        txHash: null,
        detectorId: world.detector.id,
      }),
    ),
  );
});
afterAll(() => api.stop());

const search = (body: object) => api.call('POST', 'alert/search', body, { token });

async function sortedBy(field: string, order: 'asc' | 'desc', page = {}): Promise<number[]> {
  const { body, text } = await search({ size: 100, sort: [{ field, order }], ...page });
  expect(body.data, text).toBeDefined();
  return body.data.map(({ meta }: { meta: { n: number } }) => meta.n);
}

type Scalar = string | number | boolean;
const rank = (value: Scalar) => ['number', 'string', 'boolean'].indexOf(typeof value);
const compare = (a: Scalar, b: Scalar) =>
  rank(a) - rank(b) ||
  (typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b));
const scalars = (value: unknown): Scalar[] =>
  Array.isArray(value) ? value.flatMap(scalars) : rank(value as Scalar) === -1 ? [] : [value as Scalar];

/** Numbers, texts, booleans; of an array the least or the greatest; what has none of these last, the newest first. */
function expected(order: 'asc' | 'desc', isText = false): number[] {
  const sign = order === 'asc' ? 1 : -1;
  const keys = values.map((value, n) => {
    const found = scalars(value).filter((item) => !isText || typeof item === 'string');
    return { n, key: found.sort((a, b) => sign * compare(a, b))[0] };
  });
  const known = keys.flatMap(({ n, key }) => (key === undefined ? [] : [{ n, key }]));
  known.sort((a, b) => sign * compare(a.key, b.key) || a.n - b.n);
  return [...known, ...keys.filter(({ key }) => key === undefined)].map(({ n }) => n);
}

describe.each(['asc', 'desc'] as const)('a sort by a member of meta, %s', (order) => {
  it('orders numbers, texts by code point and booleans, by the least or greatest of several, missing last', async () => {
    expect(await sortedBy('meta.v', order)).toEqual(expected(order));
    expect(await sortedBy('meta.deep.v', order)).toEqual(expected(order));
    expect(await sortedBy('meta.list.v', order)).toEqual(expected(order));
  });

  it('orders the texts alone by .keyword', async () => {
    expect(await sortedBy('meta.v.keyword', order)).toEqual(expected(order, true));
  });

  it('pages without overlap', async () => {
    const pages: number[] = [];
    for (let from = 0; from < values.length; from += 3) {
      pages.push(...(await sortedBy('meta.v', order, { from, size: 3 })));
    }
    expect(pages).toEqual(expected(order));
  });

  it('is refused by an object, and by the whole of meta', async () => {
    for (const field of ['meta.object', 'meta', 'meta.']) {
      const { status, body } = await search({ sort: [{ field, order }] });
      expect([status, body.errors?.[0].pointer], field).toEqual([400, '/sort/0/field']);
    }
    expect((await search({ sort: [{ field: 'meta.object', order }] })).body.errors[0].code).toBe(
      'not-sortable',
    );
    expect((await search({ sort: [{ field: 'meta.nosuch', order }] })).status).toBe(200);
  });
});
