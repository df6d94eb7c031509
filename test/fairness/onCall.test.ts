import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sized } from '../../testing/proveSize.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { measureSlowdown } from '../support/measureSlowdown.ts';
import { type Arena, startArena, type Tenant } from './support/arena.ts';
import { cpuMs } from './support/healthProbe.ts';
import { createResults } from './support/results.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const two = (number: number) => String(number).padStart(2, '0');

/** Longest time that one piece of work may hold the event loop, beyond that of a quiet time. */
const mostBlockedMs = () => 50 * measureSlowdown();

describe('the times of one tenant', { timeout: 600_000 }, () => {
  const results = createResults();
  let arena: Arena;
  let attacker: Tenant;
  let users: Json[];

  beforeAll(async () => {
    arena = await startArena();
    attacker = arena.attacker;
    const count = sized(60, 900);
    users = [];
    for (let n = 0; n < count; n++)
      users.push(
        await arena.vigil.ok('POST', 'user', {
          tenantId: attacker.id,
          email: `person${n}@example.com`,
          name: `Person ${n}`,
          roles: ['tenant-viewer'],
        }),
      );
  });
  afterAll(async () => {
    await arena?.stop();
    results.print();
  });

  /** Holds the event loop no longer than any other work, and answers with the expected status. */
  async function holdsNoOne(attack: string, work: () => Promise<{ status: number }>, status: number) {
    await results.hold({ attack, measure: 'event loop blocked' }, async () => {
      const quiet = await arena.health.during(async () => {
        for (let n = 0; n < 10; n++) await attacker.ok('GET', 'contact');
      });
      const before = await cpuMs(arena.vigil.pid);
      const attacked = await arena.health.during(async () => {
        expect((await work()).status).toBe(status);
        // The probe that waited meanwhile is answered as well.
        await sleep(300);
      });
      console.log(attack, `${(await cpuMs(arena.vigil.pid)) - before} ms CPU`);
      return { quiet: quiet.blockMs, attacked: attacked.blockMs, limit: quiet.blockMs + mostBlockedMs() };
    });
  }

  /** Ten layers of hourly turns in as many zones, each with twenty ranges of a minute a day, and 500 overrides. */
  const busySchedule = (): Json => {
    const now = Date.now();
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Pacific/Chatham',
      'Africa/Casablanca',
    ];
    const [first, second] = users.map(({ id }) => id);
    return {
      name: `Busy ${now}`,
      zone: 'UTC',
      layers: Array.from({ length: 10 }, (_, layer) => ({
        userIds: Array.from({ length: 50 }, (_, turn) => (turn % 2 ? first : second)),
        unit: 'HOURS',
        every: 1,
        start: now - 4000 * dayMs + layer * 7 * minuteMs,
        zone: zones[layer % zones.length],
        restrictions: Array.from({ length: 20 }, (_, range) => ({
          from: `${two(range + 1)}:${two((layer * 5 + range) % 58)}`,
          to: `${two(range + 1)}:${two(((layer * 5 + range) % 58) + 1)}`,
          weekdays,
        })),
      })),
      overrides: Array.from({ length: 500 }, (_, index) => {
        const from = now + dayMs + index * 4 * 3_600_000;
        return { userId: first, from, to: from + minuteMs };
      }),
    };
  };

  it('a schedule that changes hands every few minutes is saved, listed and read by its address without holding up anyone', async () => {
    let schedule: Json = {};
    await holdsNoOne(
      'a schedule of 10 layers is saved',
      async () => {
        const answer = await attacker.call('POST', 'schedule', busySchedule());
        schedule = answer.body;
        return answer;
      },
      201,
    );
    const now = Date.now();
    const read = (path: string) => () => attacker.call('GET', `schedule/${schedule.id}/${path}`);
    await holdsNoOne('its next change of hands', read('on-call'), 200);
    await holdsNoOne('its shifts of five days', read(`shifts?from=${now}&to=${now + 5 * dayMs}`), 200);
    await holdsNoOne('its shifts of 92 days', read(`shifts?from=${now}&to=${now + 92 * dayMs}`), 400);
    await holdsNoOne('its calendar', read('calendar'), 200);
    const { url } = await attacker.ok('POST', `schedule/${schedule.id}/calendar`);
    const { pathname } = new URL(url);
    await holdsNoOne(
      'its calendar by the address without a token, five times at once',
      async () => {
        const answers = await Promise.all(
          Array.from({ length: 5 }, () =>
            fetch(`${arena.vigil.url}${pathname}`).then(async (answer) => {
              await answer.text();
              return answer.status;
            }),
          ),
        );
        return { status: Math.max(...answers) };
      },
      200,
    );
  });

  it('a time set that almost never changes is asked for its next changes without holding up anyone', async () => {
    const rare = { from: '00:00', to: '24:00', weekdays: ['MON'], daysOfMonth: [29], months: [2] };
    const hours = (from: number) => ({ from: `${two(from)}:00`, to: `${two(from + 1)}:00`, weekdays });
    for (const [attack, ranges] of [
      ['a time set of 50 ranges on leap days', Array.from({ length: 50 }, () => rare)],
      ['a time set of 50 ranges that cover every hour', Array.from({ length: 50 }, (_, n) => hours(n % 24))],
    ] as const) {
      const made = await attacker.ok('POST', 'timeset', { name: attack, zone: 'Europe/Berlin', ranges });
      await holdsNoOne(attack, () => attacker.call('GET', `timeset/${made.id}/state`), 200);
    }
  });

  it('a calendar with thousands of names is refused without holding up anyone', async () => {
    const made = await attacker.ok('POST', 'schedule', {
      name: 'Quiet',
      zone: 'UTC',
      layers: [{ userIds: [users[0]!.id], unit: 'WEEKS', every: 1, start: 0 }],
    });
    const event = ['BEGIN:VEVENT', 'UID:1', 'DTSTART:20270101T000000Z', 'DTEND:20270102T000000Z'];
    const names = Array.from({ length: 19_000 }, () => 'ATTENDEE:a');
    const calendar = ['BEGIN:VCALENDAR', ...event, ...names, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n');
    await holdsNoOne(
      'a calendar of 19,000 attendees',
      () => attacker.call('POST', `schedule/${made.id}/import`, { calendar }),
      422,
    );
  });
});
