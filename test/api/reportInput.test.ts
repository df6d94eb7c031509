import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { observe } from './support/observe.ts';

const hour = 3_600_000;
const day = 24 * hour;

let api: TestApi;
let world: World;
let viewer: string;
beforeAll(async () => {
  api = observe(await startTestApi());
  world = await createWorld(api);
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
});
afterAll(() => api.stop());

describe('a bad histogram request', () => {
  const good = { from: 0, to: day, interval: '1h' };
  it.each<[string, Json, string]>([
    ['no from', { to: day, interval: '1h' }, '/from'],
    ['no to', { from: 0, interval: '1h' }, '/to'],
    ['no interval', { from: 0, to: day }, '/interval'],
    ['a negative from', { ...good, from: -1 }, '/from'],
    ['a negative to', { ...good, to: -1 }, '/to'],
    ['a fraction', { ...good, from: 0.5 }, '/from'],
    ['a text for a time', { ...good, to: '5' }, '/to'],
    ['a time beyond all years', { ...good, to: 8.64e15 }, '/to'],
    ['an end before the start', { ...good, from: 2, to: 1 }, '/from'],
    ['too many buckets', { ...good, to: 11_000 * hour }, '/interval'],
    ['far too many buckets', { from: 0, to: 253_402_300_799_999, interval: '1ms' }, '/interval'],
    ['a unit that does not exist', { ...good, interval: '1f' }, '/interval'],
    ['an offset without a sign', { ...good, timezone: '02:00' }, '/timezone'],
    ['an offset beyond 18 hours', { ...good, timezone: '+18:01' }, '/timezone'],
    ['an offset of 60 minutes', { ...good, timezone: '+02:60' }, '/timezone'],
    ['a zone that does not exist', { ...good, timezone: 'Mars/Olympus' }, '/timezone'],
    ['an empty zone', { ...good, timezone: '' }, '/timezone'],
    ['an unknown member', { ...good, timeZone: 'UTC' }, '/timeZone'],
    ['a query that is no text', { ...good, query: 5 }, '/query'],
  ])('with %s gets 400 that names the member', async (_name, request, pointer) => {
    for (const path of [
      `contract/${world.contract.id}/histogram`,
      `tenant/${world.tenant.id}/dashboard/usage`,
    ]) {
      const answer = await api.call('POST', path, request);
      expect([answer.status, answer.body.errors?.[0].pointer], answer.text).toEqual([400, pointer]);
    }
  });

  it('a bad histogram request with a query that cannot be read gets 400 with the position', async () => {
    for (const path of [
      `contract/${world.contract.id}/histogram`,
      `tenant/${world.tenant.id}/dashboard/usage`,
    ]) {
      const answer = await api.call('POST', path, { ...good, query: 'message:(a' });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid-query']);
      expect(answer.body.position).toBeGreaterThan(0);
    }
  });

  it('has exactly as many buckets as are allowed before it is refused', async () => {
    const request = { ...good, to: 11_000 * hour - 1 };
    const { data } = await api.ok('POST', `contract/${world.contract.id}/histogram`, request);
    expect(data).toHaveLength(11_000);
  });
});

describe('a bad telemetry request', () => {
  const good = { metric: 'transactions', start: '0', end: String(7 * day), step: '1h' };
  it.each<[string, Json, string]>([
    ['no metric', { step: '1h' }, '/metric'],
    ['an empty metric', { ...good, metric: '' }, '/metric'],
    ['a metric that is no name', { ...good, metric: 'sum(x)' }, '/metric'],
    ['a metric that begins with a digit', { ...good, metric: '1x' }, '/metric'],
    ['a metric with a line break', { ...good, metric: 'blocks\n' }, '/metric'],
    ['a start that is no time', { ...good, start: 'yesterday' }, '/start'],
    ['a unit that does not exist', { ...good, start: '-1f' }, '/start'],
    ['an offset without a number', { ...good, start: '-d' }, '/start'],
    ['an empty start', { ...good, start: '' }, '/start'],
    ['a start beyond all time', { ...good, start: '99999999999999999999' }, '/start'],
    ['an end that is no time', { ...good, end: '2026-01-01' }, '/end'],
    ['a start after the end', { ...good, start: String(7 * day + 1) }, '/start'],
    ['a start in the future', { ...good, start: '+1d', end: 'now' }, '/start'],
    ['a fraction', { ...good, start: 1.5 }, '/start'],
    ['a step that is none', { ...good, step: '2w' }, '/step'],
    ['an empty step', { ...good, step: '' }, '/step'],
    ['too many steps', { ...good, step: '10s' }, '/step'],
    [
      'too many values in too many steps',
      { ...good, step: '1m', tags: { chain: [...'abcdefghijklmnopqrstuvwxyz'] } },
      '/tags',
    ],
    ['tags that are no object', { ...good, tags: ['anvil'] }, '/tags'],
    ['values that are no array', { ...good, tags: { chain: 'anvil' } }, '/tags/chain'],
    ['a value that is no text', { ...good, tags: { chain: [1] } }, '/tags/chain/0'],
    ['a label that is no name', { ...good, tags: { 'a-b': ['x'] } }, '/tags'],
    ['an unknown member', { ...good, tag: {} }, '/tag'],
  ])('with %s gets 400 that names the member', async (_name, request, pointer) => {
    const answer = await api.call('POST', 'tenant/telemetry', request, { token: viewer });
    expect([answer.status, answer.body.errors?.[0].pointer], answer.text).toEqual([400, pointer]);
  });
});
