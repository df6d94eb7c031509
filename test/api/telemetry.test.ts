import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MetricName, Sample } from '../../src/model/metrics.ts';
import { addSamples } from '../../src/store/telemetry/addSamples.ts';
import { dropOldSamples } from '../../src/store/telemetry/dropOldSamples.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { observe } from './support/observe.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const first = Date.UTC(2026, 0, 28);
const last = Date.UTC(2026, 1, 4);
const chains = ['anvil', 'ethereum', 'base'];
const types = ['a', 'b'];

let api: TestApi;
let world: World;
let foreign: World;
let viewer: string;
let random: Random;
/** In the order in which they were added. */
let samples: Sample[];

beforeAll(async () => {
  api = observe(await startTestApi());
  [world, foreign] = [await createWorld(api), await createWorld(api)];
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
  random = createRandom('telemetry');
  samples = Array.from({ length: 1500 }, () => {
    const value = random.integer(1, 9);
    const metric = random.pick(['transactions', 'evaluations', 'head_lag'] as const);
    const chain = random.pick(chains);
    return {
      tenantId: random.pick([world.tenant.id, foreign.tenant.id, 0]),
      metric,
      labels: metric === 'head_lag' ? { chain } : { chain, type: random.pick(types) },
      minute: first + random.integer(0, 1440) * 7 * minute,
      value,
      count: 1,
      min: value,
      max: value,
      last: value,
    };
  });
  // In pieces, as several processes would add them.
  for (let at = 0; at < samples.length; at += 100) await addSamples(api.store, samples.slice(at, at + 100));
});
afterAll(() => api.stop());

async function ask(request: Json, token = viewer): Promise<Json[]> {
  return (await api.ok('POST', 'tenant/telemetry', request, { token })).data;
}

const both = { start: String(first), end: String(last) };
const increase = ({ bucket }: Json): number => bucket.value;
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

function chosen(
  metric: MetricName,
  tags: Record<string, string[]> = {},
  tenantId = world.tenant.id,
): Sample[] {
  return samples.filter(
    (sample) =>
      sample.metric === metric &&
      sample.tenantId === tenantId &&
      Object.entries(tags).every(([label, values]) => values.includes(sample.labels[label]!)),
  );
}

describe('telemetry', () => {
  it('gives of a counter exactly what was added, bucket by bucket, whatever the step', async () => {
    const steps: Record<string, number> = {
      '10m': 10 * minute,
      '1h': hour,
      '5h': 5 * hour,
      '1d': day,
      '90m': 90 * minute,
    };
    for (const [step, width] of Object.entries(steps)) {
      const points = await ask({ metric: 'transactions', ...both, step });
      const expected = new Map<number, Sample[]>();
      for (let ts = Math.floor(first / width) * width; ts <= last; ts += width) expected.set(ts, []);
      for (const sample of chosen('transactions'))
        expected.get(Math.floor(sample.minute / width) * width)!.push(sample);
      const found = Array.from(expected, ([ts, own]) => ({
        ts,
        value: sum(own.map(({ value }) => value)),
        count: own.length,
        min: own.length === 0 ? null : Math.min(...own.map(({ value }) => value)),
        max: own.length === 0 ? null : Math.max(...own.map(({ value }) => value)),
      }));
      const seen = points.map(({ ts, bucket: { value, count, min, max } }) => ({
        ts,
        value,
        count,
        min,
        max,
      }));
      expect(seen, step).toEqual(found);
    }
  });

  it('adds up: minutes to hours, hours to days, and any step to the total increase', async () => {
    const total = sum(chosen('evaluations').map(({ value }) => value));
    const byStep = new Map<string, Json[]>();
    for (const step of ['1m', '7m', '1h', '3h', '1d', '1w', '1M', '1y']) {
      const points = await ask({ metric: 'evaluations', ...both, step });
      byStep.set(step, points);
      expect(sum(points.map(increase)), step).toBe(total);
    }
    for (const { ts, bucket } of byStep.get('1d')!) {
      const hours = byStep.get('1h')!.filter((point) => point.ts >= ts && point.ts < ts + day);
      expect(sum(hours.map(increase))).toBe(bucket.value);
    }
    const middle = first + random.integer(1, 6 * day);
    const before = await ask({
      metric: 'evaluations',
      start: String(first),
      end: String(middle - 1),
      step: '1d',
    });
    const after = await ask({ metric: 'evaluations', start: String(middle), end: String(last), step: '1d' });
    expect(sum([...before, ...after].map(increase))).toBe(total);
  });

  it('gives of a gauge its last value, and null where it was not read', async () => {
    const points = await ask({
      metric: 'head_lag',
      ...both,
      step: '1h',
      tags: { chain: ['anvil'] },
    });
    for (const { ts, bucket } of points) {
      const own = chosen('head_lag', { chain: ['anvil'] }).filter(
        (sample) => sample.minute >= ts && sample.minute < ts + hour,
      );
      const newest = Math.max(...own.map((sample) => sample.minute));
      const value = own.findLast((sample) => sample.minute === newest)?.value ?? null;
      expect([bucket.value, bucket.last, bucket.count]).toEqual([value, value, own.length]);
    }
    expect(points.filter(({ bucket }) => bucket.count === 0).length).toBeGreaterThan(0);
  });

  it('lists every bucket between two timestamps, and otherwise only from the first to the last that has data', async () => {
    const now = api.services.now();
    const wide = { metric: 'transactions', step: '1d' };
    const early = String(first - 10 * day);
    const dense = await ask({ ...wide, start: early, end: String(last + 5 * day) });
    expect(dense.length).toBe(Math.floor((last + 5 * day) / day) - Math.floor((first - 10 * day) / day) + 1);
    const numbers = await ask({ ...wide, start: first - 10 * day, end: last + 5 * day });
    expect(numbers).toEqual(dense);
    for (const request of [
      { ...wide, start: early },
      { ...wide, start: early, end: 'now' },
      { ...wide, start: `-${Math.ceil((now - first) / day) + 10}d`, end: String(last + day) },
    ]) {
      const filled = dense.filter(({ bucket }) => bucket.count > 0);
      const cut = dense.filter(({ ts }) => ts >= filled[0]!.ts && ts <= filled.at(-1)!.ts);
      expect(await ask(request)).toEqual(cut);
    }
    expect(await ask({ ...wide, start: '-1h' })).toEqual([]);
    expect(await ask({ metric: 'transactions' })).toEqual([]);
  });

  it('rounds the start down and the end up', async () => {
    const now = api.services.now();
    const value = { value: 1, count: 1, min: 1, max: 1, last: 1 };
    const today = Math.floor(now / day) * day;
    const tenantId = world.tenant.id;
    const times = [today - day, today - minute, today, today + day - minute];
    await addSamples(
      api.store,
      times.map((minute) => ({ tenantId, metric: 'deliveries' as const, labels: {}, minute, ...value })),
    );
    const count = async (start: string, end: string) =>
      sum((await ask({ metric: 'deliveries', start, end, step: '1d' })).map(increase));
    expect(await count('now/d', 'now/d')).toBe(2);
    expect(await count('-1d/d', 'now/d')).toBe(4);
    expect(await count('-1d/d', 'now-1d/d')).toBe(2);
    expect(await count('now/d', '+0s')).toBe(now >= today + day - minute ? 2 : 1);
  });

  it('takes one of the values of every label named, and distinguishes several values of one', async () => {
    for (let round = 0; round < 20; round++) {
      const tags: Record<string, string[]> = {};
      const some = (values: string[]) => values.filter(() => random.chance(0.5)).concat(random.pick(values));
      if (random.chance(0.8)) tags.chain = [...new Set(some(chains))];
      if (random.chance(0.8)) tags.type = [...new Set(some(types))];
      const points = await ask({ metric: 'evaluations', ...both, step: '1d', tags });
      for (const { ts, bucket } of points) {
        const own = chosen('evaluations', tags).filter(
          (sample) => sample.minute >= ts && sample.minute < ts + day,
        );
        expect(bucket.value).toBe(sum(own.map(({ value }) => value)));
        const by: Json = {};
        for (const [label, values] of Object.entries(tags)) {
          if (values.length < 2) continue;
          by[label] = {};
          for (const name of values)
            by[label][name] = sum(
              own.filter(({ labels }) => labels[label] === name).map(({ value }) => value),
            );
        }
        expect(bucket.by).toEqual(Object.keys(by).length === 0 ? undefined : by);
      }
    }
  });

  it('has no data where no value is allowed, and zeros for values that do not exist', async () => {
    const request = { metric: 'transactions', ...both, step: '1d' };
    expect(await ask({ ...request, tags: { chain: [] } })).toEqual([]);
    for (const tags of [{ chain: ['mars'] }, { chain: ["' or true --"] }]) {
      const points = await ask({ ...request, tags });
      expect(points.length).toBe(8);
      expect(sum(points.map(increase))).toBe(0);
      expect(await ask({ ...request, end: 'now', tags })).toEqual([]);
    }
  });

  it.each([
    [{ metric: 'api_request' }, '/metric', 'did you mean api_requests?'],
    [{ metric: 'Api_requests' }, '/metric', 'did you mean api_requests?'],
    [{ metric: 'nosuch' }, '/metric', 'GET /telemetry/metric lists them.'],
    [{ metric: 'constructor' }, '/metric', 'GET /telemetry/metric lists them.'],
    [{ metric: 'transactions', tags: { chian: ['anvil'] } }, '/tags/chian', 'did you mean chain?'],
    [{ metric: 'transactions', tags: { planet: [] } }, '/tags/planet', 'it has chain.'],
    [{ metric: 'alerts', tags: { __proto__x: ['a'] } }, '/tags/__proto__x', 'it has chain and type.'],
  ])('refuses %j and names the nearest', async (named, pointer, advice) => {
    const answer = await api.call(
      'POST',
      'tenant/telemetry',
      { ...both, step: '1d', ...named },
      { token: viewer },
    );
    const [fault] = expectProblem(answer, 400, pointer).errors;
    expect(fault.message).toContain(advice);
  });

  it('shows a tenant its own samples and nothing of any other', async () => {
    const request = { metric: 'transactions', ...both, step: '1d' };
    const total = async (token: string) => sum((await ask(request, token)).map(increase));
    const own = await api.token(foreign.tenant.id, 'organisation-viewer');
    expect(await total(viewer)).toBe(sum(chosen('transactions').map(({ value }) => value)));
    expect(await total(own)).toBe(
      sum(chosen('transactions', {}, foreign.tenant.id).map(({ value }) => value)),
    );
    for (const tenant of [[String(world.tenant.id)], [String(foreign.tenant.id)], []]) {
      const answer = await api.call(
        'POST',
        'tenant/telemetry',
        { ...request, tags: { tenant } },
        { token: viewer },
      );
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/tags/tenant']);
    }
  });

  it('shows an administrator the platform’s own, or the tenants named', async () => {
    const request = { metric: 'transactions', ...both, step: '1w' };
    const total = async (tags?: Json) =>
      sum((await ask({ ...request, ...(tags ? { tags } : {}) }, api.adminToken)).map(increase));
    const of = (tenantId: number) => sum(chosen('transactions', {}, tenantId).map(({ value }) => value));
    const [a, b] = [world.tenant.id, foreign.tenant.id];
    expect(await total()).toBe(of(0));
    expect(await total({ tenant: [String(a)] })).toBe(of(a));
    expect(await total({ tenant: [String(a), String(b)] })).toBe(of(a) + of(b));
    expect(await total({ tenant: ['0', `0${a}`, `${a}.0`, 'x', '987654321', '9'.repeat(40)] })).toBe(0);
    const points = await ask({ ...request, tags: { tenant: [String(a), String(b)] } }, api.adminToken);
    expect(sum(points.map(({ bucket }) => bucket.by.tenant[b]))).toBe(of(b));
  });
});

describe('old samples', () => {
  it('are dropped in every series of every tenant, and the others stay', async () => {
    const middle = first + 3 * day;
    const kept = samples.filter((sample) => sample.minute >= middle);
    await dropOldSamples(api.store, middle);
    for (const metric of ['transactions', 'evaluations', 'head_lag'] as const) {
      for (const tenantId of [world.tenant.id, foreign.tenant.id]) {
        const own = kept.filter((sample) => sample.metric === metric && sample.tenantId === tenantId);
        const token = await api.token(tenantId, 'tenant-viewer');
        const points = await ask({ metric, ...both, step: '1d' }, token);
        expect(sum(points.map(({ bucket }) => bucket.count))).toBe(own.length);
      }
    }
  });
});
