import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { observe } from './support/observe.ts';

let api: TestApi;
let own: TenantWorld;
let other: TenantWorld;
beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  other = await createTenantWorld(api);
});
afterAll(() => api.stop());

const as = (role: keyof TenantWorld['tokens'], who = own) => ({ token: who.tokens[role] });
const nights = { name: 'Night watch', zone: 'Europe/Berlin', ranges: [{ from: '22:00', to: '06:00' }] };

describe('a time set', () => {
  it('is kept, and says whether it holds at an instant and when that changes', async () => {
    const { id } = await api.ok('POST', 'timeset', nights, as('tenant-user'));
    // The clocks of Berlin go back on 25 October at 3:00.
    const at = Date.parse('2026-10-24T19:00:00Z');
    const state = await api.ok('GET', `timeset/${id}/state?at=${at}`, undefined, as('tenant-viewer'));
    expect(state).toMatchObject({ at, isWithin: false });
    expect(state.changes).toHaveLength(10);
    expect(state.changes.slice(0, 3)).toEqual([
      { at: Date.parse('2026-10-24T20:00:00Z'), isWithin: true },
      { at: Date.parse('2026-10-25T05:00:00Z'), isWithin: false },
      { at: Date.parse('2026-10-25T21:00:00Z'), isWithin: true },
    ]);
    await api.ok('PUT', `timeset/${id}`, { ranges: [{ years: [2001] }] }, as('tenant-user'));
    expect(await api.ok('GET', `timeset/${id}/state`, undefined, as('tenant-user'))).toMatchObject({
      isWithin: false,
      changes: [],
    });
  });

  it('answers alike for a time set of another tenant and a missing one', async () => {
    const { id } = await api.ok('POST', 'timeset', { ...nights, name: 'Hidden' }, as('tenant-user'));
    for (const path of [`timeset/${id}/state`, 'timeset/987654321/state'])
      expectProblem(await api.call('GET', path, undefined, as('tenant-manager', other)), 404);
  });

  it.each([
    ['a zone that no database has', { zone: 'Europe/Berln' }, '/zone', 'Did you mean Europe/Berlin?'],
    ['a range of no length', { ranges: [{ from: '09:00', to: '09:00' }] }, '/ranges/0/to', 'whole day'],
    ['a time beyond the day', { ranges: [{ to: '24:30' }] }, '/ranges/0/to', '24:00'],
    ['a time of no clock', { ranges: [{ from: '9 am' }] }, '/ranges/0/from', ''],
    ['day 0', { ranges: [{ daysOfMonth: [0] }] }, '/ranges/0/daysOfMonth', 'from 1'],
    [
      'a day that never comes',
      { ranges: [{}, { daysOfMonth: [-31], months: [2, 4] }] },
      '/ranges/1/daysOfMonth',
      '',
    ],
    ['no range', { ranges: [] }, '/ranges', ''],
  ])('refuses a time set with %s and says why', async (_, members, pointer, words) => {
    const answer = await api.call('POST', 'timeset', { ...nights, ...members }, as('tenant-user'));
    const problem = expectProblem(answer, 400);
    expect(problem.errors[0].pointer).toBe(pointer);
    expect(problem.errors[0].message).toContain(words);
  });
});
