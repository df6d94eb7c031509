import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { measureSlowdown } from '../support/measureSlowdown.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { observe } from './support/observe.ts';

let api: TestApi;
/** Without the checks of answers, which know JSON. */
let plain: TestApi;
let own: TenantWorld;
let other: TenantWorld;
let ann: Json;
let ben: Json;
beforeAll(async () => {
  plain = await startTestApi();
  api = observe(plain);
  own = await createTenantWorld(api);
  other = await createTenantWorld(api);
  const user = { tenantId: own.world.tenant.id, roles: ['tenant-viewer'] };
  ann = await api.ok('POST', 'user', { ...user, name: 'Ann', email: 'ann@oncall.example.com' });
  const foreign = { tenantId: other.world.tenant.id, email: 'foreign@elsewhere.example.com' };
  await api.ok('POST', 'user', { ...foreign, roles: ['tenant-viewer'] });
  ben = await api.ok('POST', 'user', { ...user, name: 'Ben; the, second', email: 'ben@oncall.example.com' });
});
afterAll(() => api.stop());

const as = (role: keyof TenantWorld['tokens'], who = own) => ({ token: who.tokens[role] });
const at = (text: string) => Date.parse(text);
const dayMs = 86_400_000;
const monday = at('2026-03-16T08:00:00Z');

let count = 0;
const rotation = (members: Json = {}): Json => ({
  name: `Rotation ${++count}`,
  zone: 'Europe/Berlin',
  layers: [{ name: 'Main', userIds: [ann.id, ben.id], unit: 'WEEKS', every: 1, start: monday }],
  ...members,
});
const make = (members?: Json) => api.ok('POST', 'schedule', rotation(members), as('tenant-user'));
const read = (id: number, path: string) =>
  api.ok('GET', `schedule/${id}/${path}`, undefined, as('tenant-viewer'));

describe('a schedule', () => {
  it('says who is on call, until when, by which layer, and who comes next', async () => {
    const { id } = await make();
    expect(await read(id, `on-call?at=${at('2026-03-29T12:00:00Z')}`)).toEqual({
      at: at('2026-03-29T12:00:00Z'),
      user: { id: ben.id, name: 'Ben; the, second', email: 'ben@oncall.example.com' },
      layer: 0,
      layerName: 'Main',
      isOverride: false,
      // The clocks of Berlin went forward meanwhile.
      until: at('2026-03-30T07:00:00Z'),
      next: { id: ann.id, name: 'Ann', email: 'ann@oncall.example.com' },
    });
  });

  it('lists shifts and overrides, and its gaps with their hours as a warning', async () => {
    const { id } = await make({
      zone: 'UTC',
      layers: [
        {
          userIds: [ann.id],
          unit: 'DAYS',
          every: 1,
          start: monday,
          restrictions: [{ from: '08:00', to: '20:00' }],
        },
      ],
      overrides: [
        { userId: ben.id, from: at('2026-06-01T18:00:00Z'), to: at('2026-06-01T22:00:00Z'), note: 'Swap' },
      ],
    });
    const { shifts, gaps, warnings } = await read(
      id,
      `shifts?from=${at('2026-06-01T00:00:00Z')}&to=${at('2026-06-02T00:00:00Z')}`,
    );
    expect(
      shifts.map(({ user, layer, isOverride, from }: Json) => [user.name, layer, isOverride, from]),
    ).toEqual([
      ['Ann', 0, false, at('2026-06-01T08:00:00Z')],
      ['Ben; the, second', null, true, at('2026-06-01T18:00:00Z')],
    ]);
    expect(gaps).toEqual([
      { from: at('2026-06-01T00:00:00Z'), to: at('2026-06-01T08:00:00Z'), hours: 8 },
      { from: at('2026-06-01T22:00:00Z'), to: at('2026-06-02T00:00:00Z'), hours: 2 },
    ]);
    expect(warnings).toEqual([expect.stringContaining('10 hours')]);
    const long = await api.call(
      'GET',
      `schedule/${id}/shifts?from=0&to=${100 * dayMs}`,
      undefined,
      as('tenant-viewer'),
    );
    expectProblem(long, 400);
    expect(long.body.errors[0].pointer).toBe('/to');
  });

  it('shows a disabled user as a hole, and refuses to delete a user who is on it', async () => {
    const carl = await api.ok('POST', 'user', {
      tenantId: own.world.tenant.id,
      name: 'Carl',
      email: 'carl@oncall.example.com',
      roles: ['tenant-viewer'],
    });
    const layer = { userIds: [ann.id, carl.id], unit: 'DAYS', every: 1, start: monday };
    const { id, name } = await make({ layers: [layer] });
    const refused = await api.call('DELETE', `user/${carl.id}`);
    expectProblem(refused, 409);
    expect(refused.body.detail).toContain(name);
    await api.ok('PUT', `user/${carl.id}`, { status: 'DISABLED' });
    const { gaps, warnings } = await read(id, `shifts?from=${monday}&to=${monday + 4 * dayMs}`);
    expect(gaps).toHaveLength(2);
    expect(warnings.join()).toContain('Carl cannot be called');
    await api.ok('PUT', `schedule/${id}`, { layers: [{ ...layer, userIds: [ann.id] }] }, as('tenant-user'));
    await api.ok('DELETE', `user/${carl.id}`);
  });

  it.each<[string, () => Json, number, string, string]>([
    ['a zone that no database has', () => ({ zone: 'Europe/Berln' }), 400, '/zone', 'Europe/Berlin'],
    ['a layer without anyone', () => ({ layers: [layerOf({ userIds: [] })] }), 400, '/layers/0/userIds', ''],
    ['no layer', () => ({ layers: [] }), 400, '/layers', ''],
    [
      'a user of another tenant',
      () => ({ layers: [layerOf({ userIds: [ann.id, other.world.user.id] })] }),
      422,
      '/layers/0/userIds/1',
      'There is no user with this id.',
    ],
    [
      'a user who does not exist',
      () => ({ layers: [layerOf({ userIds: [987_654_321] })] }),
      422,
      '/layers/0/userIds/0',
      'There is no user with this id.',
    ],
    [
      'a layer that starts in ten years, so that there is no one',
      () => ({ layers: [layerOf({ start: Date.now() + 3650 * dayMs })] }),
      422,
      '/layers',
      'no one on call within the next 92 days',
    ],
    ['turns of no length', () => ({ layers: [layerOf({ every: 0 })] }), 400, '/layers/0/every', ''],
    [
      'a handover of turns of hours',
      () => ({ layers: [layerOf({ unit: 'HOURS', handover: '09:00' })] }),
      400,
      '/layers/0/handover',
      'hours',
    ],
    [
      'a restriction of no length',
      () => ({ layers: [layerOf({ restrictions: [{ from: '09:00', to: '09:00' }] })] }),
      400,
      '/layers/0/restrictions/0/to',
      '',
    ],
    [
      'overrides that overlap',
      () => ({
        overrides: [
          { userId: ann.id, from: 1000, to: 3000 },
          { userId: ben.id, from: 2000, to: 4000 },
        ],
      }),
      400,
      '/overrides/1/to',
      'overlaps override 0',
    ],
    [
      'an override that ends before it begins',
      () => ({ overrides: [{ userId: ann.id, from: 2, to: 1 }] }),
      400,
      '/overrides/0/to',
      'after',
    ],
  ])('is refused with %s, and the answer says why', async (_, members, status, pointer, words) => {
    const answer = await api.call('POST', 'schedule', rotation(members()), as('tenant-user'));
    expectProblem(answer, status);
    expect(answer.body.errors[0].pointer).toBe(pointer);
    expect(answer.body.errors[0].message).toContain(words);
  });

  it('answers alike for a schedule of another tenant and a missing one', async () => {
    const { id } = await make();
    for (const path of ['on-call', 'shifts', 'calendar'])
      for (const some of [id, 987_654_321])
        expectProblem(
          await api.call('GET', `schedule/${some}/${path}`, undefined, as('tenant-manager', other)),
          404,
        );
    expectProblem(
      await api.call('POST', `schedule/${id}/calendar`, undefined, as('tenant-manager', other)),
      404,
    );
  });
});

const layerOf = (members: Json): Json => ({
  userIds: [ann.id],
  unit: 'WEEKS',
  every: 1,
  start: monday,
  ...members,
});

describe('the calendar of a schedule', () => {
  it('comes by an address with a secret of its own, until that is replaced or ended', async () => {
    const { id } = await make();
    const address = async () =>
      new URL((await api.ok('POST', `schedule/${id}/calendar`, undefined, as('tenant-user'))).url).pathname;
    const open = (path: string) => plain.call('GET', path, undefined, { token: null });
    const first = await address();
    const answer = await open(first);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/calendar');
    expect(answer.text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n/);
    expect(answer.text).toContain('SUMMARY:Ben\\; the\\, second: Rotation');
    expect(answer.text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    const second = await address();
    expectProblem(await open(first), 404);
    expect((await open(second)).status).toBe(200);
    await api.ok('DELETE', `schedule/${id}/calendar`, undefined, as('tenant-user'));
    expectProblem(await open(second), 404);
    expect(JSON.stringify(await read(id, ''.concat('on-call')))).not.toContain('vigil_calendar');
  });

  it('is read back as it was written', async () => {
    const { id } = await make();
    const { calendar } = await read(id, 'calendar');
    const named = calendar.replaceAll(/SUMMARY:(Ann|Ben\\; the\\, second).*/g, 'SUMMARY:$1');
    const into = await make({ layers: [layerOf({ userIds: [ben.id], start: Date.now() })] });
    await api.ok('POST', `schedule/${into.id}/import`, { calendar: named }, as('tenant-user'));
    const window = `shifts?from=${Date.now() - 7 * dayMs}&to=${Date.now() + 60 * dayMs}`;
    const people = ({ shifts }: Json) => shifts.map(({ user, from, to }: Json) => [user.id, from, to]);
    expect(people(await read(into.id, window))).toEqual(people(await read(id, window)));
  });

  const event = (...lines: string[]) =>
    ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n');
  const times = ['UID:1', 'DTSTART:20260701T080000Z', 'DTEND:20260701T200000Z'];
  const send = (id: number, calendar: string) =>
    api.call('POST', `schedule/${id}/import`, { calendar }, as('tenant-user'));

  it('finds users among thousands of attendees of an event without asking everyone about each', async () => {
    const { id } = await make();
    const tenantId = own.world.tenant.id;
    await plain.store.query(
      sql`insert into member (created_at, updated_at, tenant_id, name, email, roles, status)
        select 1, 1, ${tenantId}, 'Crowd ' || n, 'crowd' || n || '@oncall.example.com', '{tenant-viewer}', 'ACTIVE'
        from generate_series(1, 1000) n`,
    );
    const crowd = Array.from({ length: 14_000 }, (_, n) => `ATTENDEE:x${n}`);
    const times = ['DTSTART:20260101T090000Z', 'DTEND:20260101T100000Z'];
    const startedAt = process.cpuUsage();
    const answer = await send(id, event(...times, ...crowd));
    const { user, system } = process.cpuUsage(startedAt);
    expectProblem(answer, 422, '/calendar');
    // Ten seconds and more when each attendee was compared with every user.
    expect((user + system) / 1000 / measureSlowdown()).toBeLessThan(2000);
    await plain.store.query(sql`delete from member where name like 'Crowd %'`);
  });

  it('replaces what was imported before, and leaves what people made', async () => {
    const kept = { userId: ann.id, from: 1000, to: 2000, note: 'Kept' };
    const { id } = await make({ overrides: [kept] });
    const zoned = event(
      'UID:zoned',
      'DTSTART;TZID="Europe/Berlin":20260701T100000',
      'DTEND;TZID=Europe/Berlin:20260701T220000',
      'ATTENDEE;CN=Someone:mailto:BEN@oncall.exam',
      ' ple.com',
      'BEGIN:VALARM',
      'DTSTART:20200101T000000Z',
      'END:VALARM',
    );
    for (const calendar of [event(...times, 'SUMMARY:Ann'), zoned]) {
      const answer = await send(id, calendar);
      expect(answer.status).toBe(200);
    }
    const { overrides } = await api.ok('GET', `schedule/${id}`, undefined, as('tenant-user'));
    expect(overrides).toEqual([
      kept,
      {
        userId: ben.id,
        from: at('2026-07-01T08:00:00Z'),
        to: at('2026-07-01T20:00:00Z'),
        note: null,
        uid: 'zoned',
      },
    ]);
  });

  it.each([
    ['is none', 'no calendar', 'Line 1'],
    ['names no user', event(...times, 'SUMMARY:Mallory'), "'Mallory'"],
    [
      'names a user of another tenant',
      event(...times, 'ATTENDEE:mailto:foreign@elsewhere.example.com'),
      'no active user',
    ],
    ['repeats an event', event(...times, 'SUMMARY:Ann', 'RRULE:FREQ=SECONDLY'), 'Line 7'],
    [
      'has a time that does not exist',
      event('UID:1', 'DTSTART:20260231T080000Z', 'DTEND:20260301T080000Z'),
      'exist',
    ],
    [
      'has a zone of no database',
      event('UID:1', 'DTSTART;TZID=Mars/Base:20260101T080000', times[2]!),
      'Mars/Base',
    ],
    ['has an event that never ends', event('UID:1', 'DTSTART:20260101T080000Z', 'SUMMARY:Ann'), 'no DTEND'],
    ['has an event inside an event', event('BEGIN:VEVENT', ...times), 'inside another'],
    ['breaks off', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1', 'does not end'],
    [
      'has more events than a schedule could show',
      `BEGIN:VCALENDAR\n${Array.from({ length: 401 }, () => `BEGIN:VEVENT\n${times.join('\n')}\nSUMMARY:Ann\nEND:VEVENT`).join('\n')}`,
      'more than 400 events',
    ],
    [
      'has more lines than anyone reads',
      `BEGIN:VCALENDAR\n${'X-A:1\n'.repeat(20_001)}`,
      'more than 20000 lines',
    ],
  ])('that %s is refused as a whole, and the answer names the reason', async (_, calendar, words) => {
    const { id } = await make();
    const answer = await send(id, calendar);
    expectProblem(answer, 422);
    expect(answer.body.detail).toContain(words);
    expect((await api.ok('GET', `schedule/${id}`, undefined, as('tenant-user'))).overrides).toEqual([]);
  });
});

describe('an escalation chain', () => {
  const chain = (members: Json): Json => ({
    name: `Chain ${++count}`,
    steps: [{ userId: ann.id, waitMinutes: 5 }],
    ...members,
  });

  it.each<[string, () => Json, number, string]>([
    ['no step', () => ({ steps: [] }), 400, '/steps'],
    ['a step that calls no one', () => ({ steps: [{ waitMinutes: 5 }] }), 400, '/steps/0'],
    [
      'a step that names two',
      () => ({ steps: [{ userId: ann.id, destinationId: own.world.destination.id, waitMinutes: 5 }] }),
      400,
      '/steps/0',
    ],
    ['no end', () => ({ repeat: 10 }), 400, '/repeat'],
    ['a negative number of rounds', () => ({ repeat: -1 }), 400, '/repeat'],
    [
      'rounds without a pause',
      () => ({ steps: [{ userId: ann.id, waitMinutes: 0 }], repeat: 1 }),
      400,
      '/repeat',
    ],
    [
      'a wait of days',
      () => ({ steps: [{ userId: ann.id, waitMinutes: 1441 }] }),
      400,
      '/steps/0/waitMinutes',
    ],
    [
      'a schedule of another tenant',
      () => ({ steps: [{ scheduleId: other.world.schedule.id, waitMinutes: 5 }] }),
      422,
      '/steps/0/scheduleId',
    ],
    [
      'a destination of another tenant',
      () => ({ steps: [{ destinationId: other.world.destination.id, waitMinutes: 5 }] }),
      422,
      '/steps/0/destinationId',
    ],
    ['an unknown user', () => ({ steps: [{ userId: 987_654_321, waitMinutes: 5 }] }), 422, '/steps/0/userId'],
  ])('is refused with %s', async (_, members, status, pointer) => {
    const answer = await api.call('POST', 'escalationchain', chain(members()), as('tenant-user'));
    expectProblem(answer, status);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  it('keeps a schedule and a destination from being deleted, and says so', async () => {
    const { id } = await make();
    const destination = await api.ok(
      'POST',
      'destination',
      { type: 'HTTP', uri: 'https://example.com/page' },
      as('tenant-user'),
    );
    const steps = [
      { scheduleId: id, waitMinutes: 5 },
      { destinationId: destination.id, waitMinutes: 5 },
    ];
    const made = await api.ok('POST', 'escalationchain', chain({ steps }), as('tenant-user'));
    for (const path of [`schedule/${id}`, `destination/${destination.id}`]) {
      const answer = await api.call('DELETE', path, undefined, as('tenant-manager'));
      expectProblem(answer, 409);
      expect(answer.body.detail).toContain(made.name);
    }
    await api.ok('DELETE', `escalationchain/${made.id}`, undefined, as('tenant-manager'));
    await api.ok('DELETE', `schedule/${id}`, undefined, as('tenant-manager'));
  });
});

describe('a contact', () => {
  it('is set by the user and by managers, with destinations of the tenant alone', async () => {
    const destinationIds = [own.world.destination.id];
    const put = (token: string, userId: number) =>
      api.call('PUT', `user/${userId}/contact`, { destinationIds }, { token });
    const password = 'correct horse battery staple';
    await api.ok('PUT', `user/${ann.id}`, { password });
    const session = await api.ok('POST', 'auth/login', { email: ann.email, password }, { token: null });
    const token = session.token ?? session.accessToken;
    const set = (ids: number[]) => api.call('PUT', 'contact', { destinationIds: ids }, { token });
    expect((await set(destinationIds)).body).toMatchObject({ userId: ann.id, name: 'Ann', destinationIds });
    expectProblem(await put(token, ben.id), 403);
    expect((await put(own.tokens['tenant-manager'], ben.id)).status).toBe(200);
    expectProblem(await put(other.tokens['tenant-manager'], ben.id), 404);
    expectProblem(await put(own.tokens['tenant-manager'], 987_654_321), 404);
    expectProblem(await set([other.world.destination.id]), 422);
    const { contacts } = await api.ok('GET', 'contact', undefined, as('tenant-viewer'));
    expect(contacts.find(({ userId }: Json) => userId === ann.id).destinationIds).toEqual(destinationIds);
    expect(JSON.stringify(contacts)).not.toContain(other.world.user.email);
  });
});
