import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import { type PagerDuty, startPagerDuty } from '../../testing/startPagerDuty.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const webhookSecret = 'whsec-0123456789abcdef';
let pager: PagerDuty;
let world: NotifyWorld;
let destinationId: number;
beforeAll(async () => {
  pager = await startPagerDuty();
  world = await startNotifyWorld({ random: () => 0 });
  world.work();
  const settings = { routingKey: pager.routingKey, url: pager.url, webhookSecret };
  const made = { tenantId: world.tenantId, type: 'PAGERDUTY', settings };
  destinationId = (await world.ok('POST', 'destination', made)).id;
  await world.bind(destinationId);
});
afterAll(async () => {
  await world?.stop();
  await pager?.stop();
});

type Change = 'acknowledged' | 'unacknowledged' | 'resolved' | 'reopened';
type Event = { id: string; change: Change; incident: string; at: number };

function eventOf(change: Change, incident: string, at = world.now()): Event {
  return { id: randomUUID(), change, incident, at };
}
function bodyOf({ id, change, incident, at }: Event): string {
  return JSON.stringify({
    event: {
      id,
      event_type: `incident.${change}`,
      resource_type: 'incident',
      occurred_at: new Date(at).toISOString(),
      agent: { id: 'P1', type: 'user_reference', summary: 'Pat' },
      data: { id: 'PGR0VU2', type: 'incident', number: 2, incident_key: `vigil-${incident}` },
    },
  });
}
const sign = (body: string, secret = webhookSecret) =>
  `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;
const post = (raw: string, signature = sign(raw), id = destinationId) =>
  world.call('POST', `destination/${id}/callback`, undefined, {
    token: null,
    raw,
    headers: { 'content-type': 'application/json', 'x-pagerduty-signature': signature },
  });
const send = async (event: Event): Promise<string> => {
  const answer = await post(bodyOf(event));
  expect(answer.status).toBe(200);
  return answer.body.outcome;
};

async function raise(): Promise<string> {
  const [uid] = await world.push({ severity: 'HIGH', name: 'Drain' });
  return (await world.ok('GET', `alert/${uid}`)).incidentUid;
}
const read = (incident: string): Promise<Json> => world.ok('GET', `incident/${incident}`);
const atPager = (incident: string) => pager.alerts.get(`vigil-${incident}`);

describe('a callback of the pager', () => {
  it('acknowledges, takes that back, resolves and reopens here what someone did there', async () => {
    const incident = await raise();
    expect(await send(eventOf('acknowledged', incident))).toBe('applied');
    expect(await read(incident)).toMatchObject({ acknowledged: true, acknowledgedBy: 'Pat (pager)' });
    world.advance(1000);
    expect(await send(eventOf('unacknowledged', incident))).toBe('applied');
    expect(await read(incident)).toMatchObject({ acknowledged: false });
    world.advance(1000);
    expect(await send(eventOf('resolved', incident))).toBe('applied');
    expect(await read(incident)).toMatchObject({ status: 'RESOLVED' });
    world.advance(1000);
    expect(await send(eventOf('reopened', incident))).toBe('applied');
    expect(await read(incident)).toMatchObject({ status: 'UNRESOLVED' });
    const { data } = await world.ok('GET', `audit?tenantId=${world.tenantId}&size=4`);
    expect(data[0].changes).toMatchObject({ pager: { destinationId, by: 'Pat' } });
  });

  it('is refused without a signature of its destination, and nothing changes', async () => {
    const incident = await raise();
    await until(() => atPager(incident));
    await quiet();
    const body = bodyOf(eventOf('resolved', incident));
    const other = await world.addDestination('/other');
    const answers = await Promise.all([
      post(body, ''),
      post(body, sign(body, 'another secret altogether')),
      post(`${body} `, sign(body)),
      post(body, sign(body), other.id),
      post(body, sign(body), 987_654_321),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(new Set(answers.map(({ body }) => body.detail)).size).toBe(1);
    expect(await read(incident)).toMatchObject({ status: 'UNRESOLVED' });
    // While a secret is replaced the pager signs with both.
    expect((await post(body, `v1=${'0'.repeat(64)},${sign(body)}`)).body.outcome).toBe('applied');
  });

  it('counts once, not when it is old, and not when a newer one came before', async () => {
    const incident = await raise();
    const acknowledged = eventOf('acknowledged', incident);
    expect(await send(acknowledged)).toBe('applied');
    await world.ok('DELETE', `incident/${incident}/acknowledge`);
    expect(await send(acknowledged)).toBe('replayed');
    expect(await send(eventOf('resolved', incident, world.now() - 25 * 3_600_000))).toBe('stale');
    expect(await send(eventOf('resolved', incident, world.now() + 3_600_000))).toBe('stale');
    expect(await send(eventOf('resolved', incident, acknowledged.at - 1000))).toBe('overtaken');
    expect(await read(incident)).toMatchObject({ status: 'UNRESOLVED', acknowledged: false });
  });

  it.each([
    ['no JSON', '{'],
    [
      'an event of another kind',
      '{"event":{"id":"1","event_type":"service.updated","occurred_at":"2026-01-01"}}',
    ],
    [
      'an incident that Vigil did not begin',
      bodyOf({ id: '1', change: 'resolved', incident: 'mine', at: Date.now() }),
    ],
    [
      'an incident that does not exist',
      bodyOf({ id: '2', change: 'resolved', incident: randomUUID(), at: Date.now() }),
    ],
    ['members of other types', '{"event":{"id":[],"event_type":{},"data":[],"agent":7}}'],
  ])('that has %s is taken and ignored', async (_, body) => {
    expect((await post(body)).body).toEqual({ applied: false, outcome: 'ignored' });
  });

  it('is refused when it is too long', async () => {
    const answer = await post(' '.repeat(300_000));
    expect(answer.status).toBe(413);
  });

  it('resolves no alert that the pager got later', async () => {
    const incident = await raise();
    await until(() => atPager(incident));
    await quiet();
    const resolved = eventOf('resolved', incident);
    world.advance(2000);
    // As if a second alert of the incident had come after someone resolved it there.
    await world.store.query(
      sql`update delivery set delivered_at = ${world.now()} where destination_id = ${destinationId}
        and type = 'alert.detector.raised' and delivered_at is not null`,
    );
    expect(await send(resolved)).toBe('unchanged');
    expect(await read(incident)).toMatchObject({ status: 'UNRESOLVED' });
  });
});

describe('the pager and Vigil', () => {
  it('agree after any order of messages', async () => {
    const random = createRandom('pager');
    for (let run = 0; run < sized(6, 200); run++) await runHistory(random);
    expect(world.errors).toEqual([]);
  });
});

/**
 * A person at the pager and one at Vigil act at random. What the pager says comes late, twice and in any order; at the end all of it
 * has come.
 */
async function runHistory(random: Random): Promise<void> {
  const incident = await raise();
  const key = `vigil-${incident}`;
  await until(() => atPager(incident));
  await quiet();
  const underWay: Event[] = [];
  const sent: Event[] = [];
  const steps: string[] = [];
  const doAtPager = (change: Change, state: 'triggered' | 'acknowledged' | 'resolved') => {
    pager.alerts.set(key, state);
    underWay.push(eventOf(change, incident));
    steps.push(`pager: ${change}`);
  };
  const deliver = async () => {
    const [event] = underWay.splice(random.below(underWay.length), 1);
    if (!event) return;
    steps.push(`event: ${event.change} ${await send(event)}`);
    sent.push(event);
  };
  for (let step = 0; step < 8; step++) {
    world.advance(1000);
    const state = atPager(incident);
    const record = await read(incident);
    const acts: (() => unknown)[] = [];
    if (state === 'triggered') acts.push(() => doAtPager('acknowledged', 'acknowledged'));
    if (state !== 'resolved') acts.push(() => doAtPager('resolved', 'resolved'));
    if (record.status === 'UNRESOLVED' && !record.acknowledged)
      acts.push(async () => {
        await world.ok('POST', `incident/${incident}/acknowledge`, {});
        steps.push('Vigil: acknowledged');
      });
    if (record.status === 'UNRESOLVED')
      acts.push(async () => {
        await world.ok('PUT', `incident/${incident}`, { status: 'RESOLVED' });
        steps.push('Vigil: resolved');
      });
    if (underWay.length > 0) acts.push(deliver, deliver);
    if (sent.length > 0)
      acts.push(async () => {
        steps.push(`again: ${await send(random.pick(sent))}`);
      });
    await random.pick(acts.length > 0 ? acts : [() => {}])();
    // Now and then what Vigil says arrives before the next thing happens.
    if (random.chance(0.3)) await quiet();
  }
  while (underWay.length > 0) await deliver();
  await quiet();
  const { status, acknowledged } = await read(incident);
  const state = atPager(incident);
  const isResolved = status === 'RESOLVED';
  expect(state === 'resolved', steps.join('\n')).toBe(isResolved);
  if (!isResolved) expect(state === 'acknowledged', steps.join('\n')).toBe(acknowledged);
}

/** Waits until Vigil has nothing more to say. */
async function quiet(): Promise<void> {
  await until(
    async () =>
      (await world.store.query(sql`select 1 from delivery_queue where destination_id = ${destinationId}`))
        .length === 0,
  );
}
