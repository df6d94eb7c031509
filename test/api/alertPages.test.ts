import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertUid } from '../../src/alerts/alertUid.ts';
import { hashToken } from '../../src/lib/token.ts';
import type { Finding } from '../../src/model/alert.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

/** More than a search looks at among the newest, and more than it reads of what the index of terms names. */
const count = 7000;
const end = Date.UTC(2026, 10, 15);
const places = ['contract', 'project', 'everything'] as const;

let api: TestApi;
let viewer: string;
let paths: Record<(typeof places)[number], string>;
/** Newest first, three of each millisecond. */
let findings: (Finding & { uid: string })[];

beforeAll(async () => {
  api = await startTestApi();
  const world = await createWorld(api);
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
  paths = {
    contract: `contract/${world.contract.id}/detector/alert/search`,
    project: `project/${world.project.id}/alert/search`,
    everything: 'alert/search',
  };
  const made = Array.from({ length: count }, (_, n) => ({
    tenantId: world.tenant.id,
    projectId: world.project.id,
    contractId: world.contract.id,
    kind: 'detector' as const,
    group: 'SECURITY' as const,
    severity: n % 3 === 0 ? ('HIGH' as const) : ('LOW' as const),
    timestamp: end - Math.floor(n / 3) * 60_000,
    key: String(n),
    eid: `e${n}`,
    name: 'Alert',
    message: wordsOf(n).join(' '),
    meta: {
      say: 'a "quoted" \\ text\nof two lines, 日本',
      big: 1e21,
      n,
      ...(isLong(n) && { long: longText(n) }),
    },
    tags: n % 2 === 0 ? ['even'] : [],
  }));
  findings = made
    .map((finding) => ({ ...finding, uid: alertUid(finding) }))
    .sort((a, b) => b.timestamp - a.timestamp || (a.uid < b.uid ? -1 : 1));
  await raiseAll(api.store, findings);
});
afterAll(() => api.stop());

/** How a word is spread decides which way it is looked for. */
function wordsOf(n: number): string[] {
  return [
    'always',
    ...(n % 10 === 0 ? ['often'] : []),
    ...(n % 500 === 0 ? ['seldom'] : []),
    ...(n >= 1500 ? ['formerly'] : []),
    ...(n >= 300 && n < 400 ? ['recently'] : []),
    ...(n === count - 1 ? ['first'] : []),
    ...(isLong(n) ? ['lengthy'] : []),
  ];
}

/** Some hits of rare words have values that PostgreSQL stores beside the row. */
function isLong(n: number): boolean {
  return n % 1000 === 0;
}

/** Cannot be compressed. */
function longText(n: number): string {
  return Array.from({ length: 60 }, (_, part) => hashToken(`${n} ${part}`).toString('hex')).join(' ');
}

const search = (path: string, body: unknown) => api.ok('POST', path, body, { token: viewer });

const uidsOf = (data: readonly { uid: string }[]) => data.map(({ uid }) => uid);

describe('a page of a search', () => {
  it('has the hits in order and their number, however its words are spread over time', async () => {
    for (const word of ['always', 'often', 'seldom', 'formerly', 'recently', 'first', 'lengthy', 'never'])
      for (const query of [`message:${word}`, word, `message:${word} AND severity:HIGH`]) {
        const hits = uidsOf(
          findings.filter(
            ({ message, severity }) =>
              message.split(' ').includes(word) && (!query.includes('HIGH') || severity === 'HIGH'),
          ),
        );
        for (const [from, size] of [
          [0, 10],
          [0, 0],
          [5, 7],
          [95, 10],
          [590, 20],
          [995, 10],
          [0, 3000],
          [6995, 10],
        ] as const) {
          const place = places[(from + size) % places.length]!;
          const answer = await search(paths[place], { query, from, size });
          const name = `${query} from ${from} of ${place}`;
          expect(uidsOf(answer.data), name).toEqual(hits.slice(from, from + size));
          expect(answer.total, name).toBe(hits.length);
        }
      }
  });

  it('is the same where the order of time is asked for, and keeps to another order', async () => {
    const query = 'message:(often OR first)';
    const sorted = await search(paths.contract, { query, sort: [{ field: 'timestamp', order: 'desc' }] });
    expect(sorted).toEqual(await search(paths.contract, { query }));
    const isHigh = ({ severity }: Finding) => (severity === 'HIGH' ? 1 : 0);
    for (const word of ['', 'often', 'formerly'])
      for (const from of [0, 5, 95, 400]) {
        const hits = findings
          .filter(({ message }) => message.includes(word))
          .sort((a, b) => isHigh(b) - isHigh(a));
        const sort = [{ field: 'numericSeverity', order: 'desc' }];
        const { data } = await search(paths.contract, { query: word, sort, from });
        expect(uidsOf(data), `${word} from ${from}`).toEqual(uidsOf(hits.slice(from, from + 10)));
      }
  });

  it('begins where the one before ends, also among alerts of one time', async () => {
    const timeseries = [{ from: end - 1500 * 60_000, to: end - 100 * 60_000 }];
    const within = findings.filter(
      ({ timestamp }) => timestamp >= timeseries[0]!.from && timestamp <= timeseries[0]!.to,
    );
    for (const from of [1, 2, 3, 4, 998, 999, 1000, count - 4, count - 1, count])
      for (const size of [1, 4])
        for (const place of places) {
          const name = `${size} from ${from} of ${place}`;
          const { data } = await search(paths[place], { from, size });
          expect(uidsOf(data), name).toEqual(uidsOf(findings.slice(from, from + size)));
          const timed = await search(paths[place], { from, size, timeseries });
          expect(uidsOf(timed.data), `${name} in time`).toEqual(uidsOf(within.slice(from, from + size)));
          expect(timed.total, `${name} in time`).toBe(within.length);
        }
  });

  it('keeps to the times asked for', async () => {
    const [from, to] = [end - 1000 * 60_000, end - 900 * 60_000];
    for (const query of ['message:always', 'message:formerly', 'message:seldom']) {
      const hits = findings.filter(
        ({ timestamp, message }) => timestamp >= from && timestamp <= to && message.includes(query.slice(8)),
      );
      const answer = await search(paths.contract, { query, timeseries: [{ from, to }], size: 1000 });
      expect(uidsOf(answer.data), query).toEqual(uidsOf(hits));
      expect(answer.total, query).toBe(hits.length);
    }
  });

  it('has long values as they are', async () => {
    for (const size of [10, 200]) {
      const { data } = await search(paths.contract, { query: 'message:seldom', size });
      const long = data.map(({ meta }: { meta: { n: number; long?: string } }) => [meta.long, meta.n]);
      expect(long).toHaveLength(Math.min(size, count / 500));
      expect(long).toEqual(long.map(([, n]: [string, number]) => [isLong(n) ? longText(n) : undefined, n]));
    }
  });

  it('is JSON whatever the texts are', async () => {
    const { data } = await search(paths.contract, { query: 'message:recently', size: 1 });
    expect(data[0].meta).toEqual({
      say: 'a "quoted" \\ text\nof two lines, 日本',
      big: 1e21,
      n: data[0].meta.n,
    });
    expect(data[0]).toMatchObject({
      txHash: null,
      suppressed: false,
      status: 'UNRESOLVED',
      finality: 'FINAL',
    });
  });

  it('is the same in many pieces, with its length or compressed', async () => {
    const body = { size: count, trackTotalCount: 100_000 };
    const read = (encoding: string) =>
      request(`${api.url}/api/v1/${paths.contract}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${viewer}`,
          'content-type': 'application/json',
          'accept-encoding': encoding,
        },
        body: JSON.stringify(body),
      });
    const [plain, zipped] = await Promise.all([read('identity'), read('gzip')]);
    const bytes = Buffer.from(await plain.body.arrayBuffer());
    expect(Number(plain.headers['content-length'])).toBe(bytes.length);
    expect(bytes.length).toBeGreaterThan(1_000_000);
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip' });
    expect(zipped.headers).not.toHaveProperty('content-length');
    expect(gunzipSync(await zipped.body.arrayBuffer()).equals(bytes)).toBe(true);
    const { data, total } = JSON.parse(bytes.toString());
    expect(total).toBe(count);
    expect(data.map(({ uid }: { uid: string }) => uid)).toEqual(findings.map(({ uid }) => uid));
  });
});
