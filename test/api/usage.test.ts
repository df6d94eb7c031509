import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import type { Finding } from '../../src/model/alert.ts';
import { type MetricName, metrics, type Sample } from '../../src/model/metrics.ts';
import { createBuckets, parseInterval } from '../../src/query/interval.ts';
import { parseTimeZone } from '../../src/query/timeZone.ts';
import { addSamples } from '../../src/store/telemetry/addSamples.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';
import { observe } from './support/observe.ts';

const minute = 60_000;
const day = 1440 * minute;
const first = Date.UTC(2025, 9, 1);
const last = Date.UTC(2026, 0, 10);

let api: TestApi;
let world: World;
let foreign: World;
let random: Random;
let findings: Finding[];
let samples: Sample[];

beforeAll(async () => {
  api = observe(await startTestApi());
  [world, foreign] = [await createWorld(api), await createWorld(api)];
  random = createRandom('usage');
  findings = [world, foreign].flatMap((home, index) =>
    Array.from({ length: 500 }, (_, n) => ({
      ...randomFinding(random, placeOf(home), n + 1000 * index, first, last),
      chainUid: 'anvil',
      blockNumber: n % 40,
      blockHash: '0x01',
    })),
  );
  await raiseAll(api.store, findings);
  const gone = { chainUid: 'anvil', blocks: [{ number: 7, hash: '0x01' }], now: last };
  await api.store.transaction((tx) => retractBlocks(tx, gone));
  findings = findings.filter(({ blockNumber }) => blockNumber !== 7);
  samples = Array.from({ length: 600 }, () => randomSample(random.pick([world, foreign]).tenant.id));
  await addSamples(api.store, samples);
});
afterAll(() => api.stop());

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

function placeOf({ tenant, project, contract }: World) {
  return { tenantId: tenant.id, projectId: project.id, contractId: contract.id };
}

function randomSample(tenantId: number): Sample {
  const value = random.integer(1, 50);
  const metric = random.pick(Object.keys(metrics) as MetricName[]);
  const outcome = { type: random.pick(['submitted', 'confirmed', 'failed', 'replaced']) };
  return {
    tenantId,
    metric,
    labels: { chain: random.pick(['anvil', 'ethereum']), ...(metric === 'actions' ? outcome : {}) },
    minute: Math.floor(random.integer(first, last) / minute) * minute,
    value,
    count: 1,
    min: value,
    max: value,
    last: value,
  };
}

/** Counted one by one. */
function expected(request: Json, counts: (finding: Finding) => boolean = () => true): Json[] {
  const { from, to, interval, timezone = 'UTC' } = request;
  const buckets = createBuckets(parseInterval(interval, ''), parseTimeZone(timezone, ''));
  const data = new Map<number, Json>();
  for (let ts = buckets.start(from); ts <= to; ts = buckets.next(ts)) {
    const byKind = { detector: 0, trigger: 0, action: 0 };
    const bySeverity = { INFO: 0, LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 };
    const counted = {
      notifications: 0,
      actions: 0,
      apiRequests: 0,
      blocks: 0,
      transactions: 0,
      evaluations: 0,
    };
    data.set(ts, { alerts: { total: 0, byKind, bySeverity }, ...counted });
  }
  for (const finding of findings) {
    const { timestamp, tenantId, kind, severity } = finding;
    if (tenantId !== world.tenant.id || timestamp < from || timestamp > to || !counts(finding)) continue;
    const { alerts } = data.get(buckets.start(timestamp))!;
    alerts.total++;
    alerts.byKind[kind]++;
    alerts.bySeverity[severity]++;
  }
  const members: Partial<Record<MetricName, string>> = {
    deliveries: 'notifications',
    actions: 'actions',
    api_requests: 'apiRequests',
    blocks: 'blocks',
    transactions: 'transactions',
    evaluations: 'evaluations',
  };
  for (const { tenantId, metric, minute, value, labels } of samples) {
    const member = members[metric];
    // An execution is counted once, whatever became of it.
    if (metric === 'actions' && labels.type !== 'submitted') continue;
    if (tenantId !== world.tenant.id || minute < from || minute > to || member === undefined) continue;
    data.get(buckets.start(minute))![member] += value;
  }
  return Array.from(data, ([ts, bucket]) => ({ ts, bucket }));
}

async function ask(request: Json): Promise<Json[]> {
  const { data } = await api.ok('POST', `tenant/${world.tenant.id}/dashboard/usage`, request);
  for (const { bucket } of data.slice(0, -1)) expect(bucket.plan).toBeUndefined();
  expect(data.at(-1).bucket.plan).toBeDefined();
  delete data.at(-1).bucket.plan;
  return data;
}

function randomRequest(): Json {
  const [from, other] = [random.integer(first, last), random.integer(first, last)];
  const interval = random.pick(['20m', '1h', '3h', '1d', '36h', '1w', '1M', '1q']);
  const longest = ['20m', '1h', '3h'].includes(interval) ? 10 * day : last - first;
  const to = Math.min(last, from + (Math.abs(other - from) % longest));
  const timezone = random.pick(['UTC', '+05:45', 'America/New_York', 'Asia/Kolkata', '+00:10']);
  return { from, to, interval, timezone };
}

describe('the usage of a tenant', () => {
  it('is what a recount of its alerts and samples gives, for every interval, zone and range tried', async () => {
    for (let round = 0; round < 50; round++) {
      const request = randomRequest();
      expect(await ask(request), JSON.stringify(request)).toEqual(expected(request));
    }
  });

  it('counts only the alerts that a query finds, and everything else as before', async () => {
    for (let round = 0; round < 15; round++) {
      const request = randomRequest();
      expect(
        await ask({ ...request, query: 'severity:LOW OR kind:action' }),
        JSON.stringify(request),
      ).toEqual(expected(request, ({ severity, kind }) => severity === 'LOW' || kind === 'action'));
    }
  });

  it('has the limits of the plan and what is in use of it in the last bucket', async () => {
    const path = `tenant/${world.tenant.id}/dashboard/usage`;
    const token = await api.token(world.tenant.id, 'tenant-viewer');
    const request = { from: first, to: first + day, interval: '1h' };
    const { plan } = (await api.ok('POST', path, request, { token })).data.at(-1).bucket;
    expect(plan).toEqual((await api.ok('GET', 'auth/me', undefined, { token })).plan);
    expect(plan).toMatchObject({
      name: world.plan.name,
      limits: { maxContracts: 1000 },
      use: { maxContracts: 1 },
    });
  });

  it('counts the API requests of the tenant itself', async () => {
    const token = await api.token(foreign.tenant.id, 'tenant-viewer');
    for (let n = 0; n < 7; n++) await api.ok('GET', 'auth/me', undefined, { token });
    await api.flush();
    const now = api.services.now();
    const request = { from: now - 5 * minute, to: now, interval: '1d' };
    const { data } = await api.ok('POST', `tenant/${foreign.tenant.id}/dashboard/usage`, request);
    expect(data.map(({ bucket }: Json) => bucket.apiRequests).reduce((a: number, b: number) => a + b)).toBe(
      7,
    );
  });

  it('is shown to its own people and to its organisation, and to no one else', async () => {
    const sibling = await createWorld(api);
    await api.ok('PUT', `tenant/${sibling.tenant.id}`, { organisationId: world.organisation.id });
    const tokens = [
      await api.token(world.tenant.id, 'tenant-viewer'),
      await api.token(world.tenant.id, 'organisation-viewer'),
      await api.token(sibling.tenant.id, 'organisation-viewer'),
    ];
    const request = { from: first, to: last, interval: '1M' };
    const path = `tenant/${world.tenant.id}/dashboard/usage`;
    const whole = await api.ok('POST', path, request);
    for (const token of tokens) expect(await api.ok('POST', path, request, { token })).toEqual(whole);
    for (const token of [
      await api.token(sibling.tenant.id, 'tenant-manager'),
      await api.token(foreign.tenant.id, 'tenant-manager', 'organisation-manager'),
    ]) {
      const sent = { token, headers: { 'x-request-id': 'twin' } };
      const hidden = await api.call('POST', path, request, sent);
      const unknown = await api.call('POST', 'tenant/987654321/dashboard/usage', request, sent);
      expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
    }
  });
});

describe('what the platform records', () => {
  it('is listed with names, kinds, labels and help', async () => {
    const { data } = await api.ok('GET', 'telemetry/metric', undefined, {
      token: await api.token(world.tenant.id, 'tenant-viewer'),
    });
    expect(data.map(({ name }: Json) => name)).toEqual(Object.keys(metrics));
    expect(data[0]).toEqual({ name: 'api_requests', ...metrics.api_requests });
  });

  it('are the API requests, each counted once, by method and tenant and for the platform as a whole', async () => {
    const token = await api.token(world.tenant.id, 'tenant-user');
    await api.flush();
    const counts = async () => {
      const start = String(api.services.now() - 60 * minute);
      const end = String(api.services.now() + 60 * minute);
      const tags = { type: ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] };
      const request = { metric: 'api_requests', start, end, step: '1d', tags };
      const points = await Promise.all(
        [token, api.adminToken].map(
          async (asking): Promise<Json[]> =>
            (await api.ok('POST', 'tenant/telemetry', request, { token: asking })).data,
        ),
      );
      return points.map((own) => tags.type.map((type) => sum(own.map(({ bucket }) => bucket.by.type[type]))));
    };
    const [ownBefore, allBefore] = await counts();
    await api.flush();
    const [ownAsked, allAsked] = await counts();
    // One of the two questions came from the tenant, both of them to the platform.
    expect(ownAsked).toEqual(ownBefore!.map((count, index) => count + (index === 1 ? 1 : 0)));
    expect(allAsked).toEqual(allBefore!.map((count, index) => count + (index === 1 ? 2 : 0)));
    const sent = { token };
    await Promise.all([
      ...Array.from({ length: 20 }, () => api.ok('GET', 'auth/me', undefined, sent)),
      ...Array.from({ length: 3 }, () => api.call('HEAD', 'auth/me', undefined, sent)),
      api.call('GET', 'contract/987654321', undefined, sent),
      api.call('PUT', `contract/${world.contract.id}`, { name: ' ' }, sent),
      // Not let in, and nobody's.
      api.call('GET', 'auth/me', undefined, { token: 'unknown' }),
      api.call('POST', 'auth/login', { email: 'a@example.com', password: 'x' }, { token: null }),
      api.call('GET', '/healthz', undefined, { token: null }),
      api.call('OPTIONS', '/api/v1/auth/me', undefined, { token: null }),
    ]);
    await api.flush();
    const [own, all] = await counts();
    const added = [21, 1, 1, 0, 3];
    expect(own).toEqual(ownAsked!.map((count, index) => count + added[index]!));
    expect(all).toEqual(allAsked!.map((count, index) => count + added[index]! + (index === 1 ? 1 : 0)));
  });
});
