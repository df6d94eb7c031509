import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { newBody, readAgain, recordAt } from './support/newBody.ts';
import { endpoints } from './support/observe.ts';

let api: TestApi;
let world: World;

beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

describe('an icon', () => {
  it.each(['project', 'contract', 'license', 'detector/schema'])(
    'an icon of a %s is an http or https address',
    async (path) => {
      for (const icon of ['javascript:alert(1)', 'data:image/png;base64,AA==', 'icon.png', '//a.example/x'])
        expectProblem(await api.call('POST', path, { ...newBody(`/${path}`, world), icon }), 400, '/icon');
      const made = await api.ok('POST', path, { ...newBody(`/${path}`, world), icon: 'http://a.example/i' });
      expect(made.icon).toBe('http://a.example/i');
    },
  );
});

describe('the ABI of a contract', () => {
  it('is refused at the item that is wrong, when the contract is created and when it is changed', async () => {
    const pause = { type: 'function', name: 'pause', inputs: [] };
    const abi = [pause, { ...pause, inputs: [{ name: 'to', type: 'adress' }] }];
    const pointer = '/abi/1/inputs/0/type';
    expectProblem(await api.call('POST', 'contract', { ...newBody('/contract', world), abi }), 400, pointer);
    expectProblem(await api.call('PUT', `contract/${world.contract.id}`, { abi }), 400, pointer);
    await api.ok('PUT', `contract/${world.contract.id}`, { abi: [pause] });
  });
});

describe('headers of a destination', () => {
  it('are refused when two names differ only in case', async () => {
    const headers = { 'X-Team': 'blue', 'x-team': 'red' };
    const body = { ...newBody('/destination', world), headers };
    expectProblem(await api.call('POST', 'destination', body), 400, '/headers/x-team');
  });
});

describe('a PUT that changes nothing', () => {
  const updates = endpoints.filter(({ method, path }) => method === 'PUT' && path.endsWith('/{id}'));
  const entries = async () =>
    (await api.store.query<{ count: number }>(sql`select count(*) as count from audit_entry`))[0]!.count;

  beforeAll(() => readAgain(api, world));

  it.each(updates.map(({ path }) => path))('%s leaves updatedAt and makes no audit entry', async (path) => {
    const record = recordAt(world, path);
    const place = path.replace('{id}', String(record.id)).slice(1);
    const before = await entries();
    api.advance(1000);
    for (const body of [{}, await sendable(place, record)]) {
      const answer = await api.ok('PUT', place, body);
      expect(answer.updatedAt).toBe(record.updatedAt);
    }
    expect(await entries()).toBe(before);
  });

  /** What was read, without what GET alone shows: those members are sent back too, where PUT knows them. */
  async function sendable(place: string, record: Json): Promise<Json> {
    const answer = await api.call('PUT', place, record);
    if (answer.status < 300) return record;
    const unknown = (answer.body.errors as Json[]).map(({ pointer }) => pointer.slice(1));
    return Object.fromEntries(Object.entries(record).filter(([name]) => !unknown.includes(name)));
  }

  it('sees a change inside a binding, and one of headers', async () => {
    const { id, destinations } = await api.ok('GET', `action/${world.action.id}`);
    const [binding] = destinations;
    api.advance(1000);
    const bound = { id: binding.id, minSeverity: 'HIGH' };
    const changed = await api.ok('PUT', `action/${id}`, { destinations: [bound] });
    expect(changed.updatedAt).toBeGreaterThan(world.action.updatedAt);
    const hook = `destination/${world.destination.id}`;
    const first = await api.ok('PUT', hook, { headers: { 'X-Team': 'blue' } });
    api.advance(1000);
    const same = await api.ok('PUT', hook, { headers: { 'X-Team': '[sealed]' } });
    expect(same.updatedAt).toBe(first.updatedAt);
    const other = await api.ok('PUT', hook, { headers: { 'X-Team': 'red' } });
    expect(other.updatedAt).toBeGreaterThan(first.updatedAt);
  });
});

describe('active subscriptions of one tenant', () => {
  const day = 86_400_000;
  let tenantId: number;
  const subscribe = (from: number, to: number, more: Json = {}) =>
    api.call('POST', 'subscription', {
      tenantId,
      planId: world.plan.id,
      startDate: from * day,
      expirationDate: to * day,
      ...more,
    });

  beforeEach(async () => {
    tenantId = (await api.ok('POST', 'tenant', { name: `Subscriber ${Math.random()}` })).id;
  });

  it('may follow each other but not overlap', async () => {
    expect((await subscribe(10, 20)).status).toBe(201);
    expect((await subscribe(20, 30)).status).toBe(201);
    for (const [from, to] of [
      [5, 11],
      [19, 21],
      [12, 13],
      [5, 40],
    ] as const)
      expect(expectProblem(await subscribe(from, to), 409, '/startDate').detail).toContain('is active from');
    const idle = await subscribe(15, 25, { status: 'DISABLED' });
    expect(idle.status).toBe(201);
    const place = `subscription/${idle.body.id}`;
    expectProblem(await api.call('PUT', place, { status: 'ACTIVE' }), 409);
    await api.ok('PUT', place, { status: 'ACTIVE', startDate: 30 * day, expirationDate: 31 * day });
    expectProblem(await api.call('PUT', place, { startDate: 29 * day }), 409);
    await api.ok('PUT', place, { expirationDate: 32 * day });
  });

  it('are one when many are created at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => subscribe(10 + n, 20 + n)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  });
});

describe('texts about records', () => {
  it('name the kind in words', async () => {
    for (const [path, noun] of [
      ['tokenomics/schedule', 'tokenomics schedule'],
      ['tokenomics/category', 'tokenomics category'],
      ['detector/schema', 'detector schema'],
      ['score/group', 'score group'],
      ['instance/meta', 'license instance period'],
      ['apikey', 'API key'],
    ])
      expect((await api.call('GET', `${path}/999999`)).body.detail).toBe(`There is no such ${noun}.`);
  });
});
