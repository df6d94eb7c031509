import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { retryDelaysMs } from '../../src/notify/retrySchedule.ts';
import { purgeDeliveries } from '../../src/store/destinations/purgeDeliveries.ts';
import { createRandom } from '../../testing/createRandom.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { endDeliveries } from './support/endDeliveries.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const hour = 3_600_000;
let world: NotifyWorld;
let worker: ReturnType<NotifyWorld['work']>;
beforeAll(async () => {
  world = await startNotifyWorld({
    random: createRandom('jitter of the retry schedule').random,
    timeLimitMs: 500,
  });
  worker = world.work();
});
afterAll(() => world.stop());

const at = (path: string) => world.sink.received.filter((request) => request.path === path);

/** The only delivery of a destination, once it was tried this often. */
async function tried(id: number, attempts: number): Promise<Json> {
  return until(async () => {
    worker.wake();
    const { data } = await world.deliveries(id);
    return data[0]?.attempts.length >= attempts ? data[0] : undefined;
  });
}

async function pushTo(
  path: string,
  behaviours: Parameters<NotifyWorld['sink']['script']>[1],
): Promise<number> {
  const { id } = await world.addDestination(path);
  world.sink.script(path, behaviours);
  await world.bind(id);
  await world.push({});
  return id;
}

describe('a delivery that fails', () => {
  it('is tried at 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each within 20 %, and is dead then', async () => {
    const id = await pushTo('/failing', () => 500);
    expect(retryDelaysMs.map((delay) => delay / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
    for (let attempt = 1; attempt < retryDelaysMs.length; attempt++) {
      const delivery = await tried(id, attempt);
      const last = delivery.attempts.at(-1);
      const wait = delivery.nextAttemptAt - last.at - last.durationMs;
      expect(wait).toBeGreaterThan(retryDelaysMs[attempt]! * 0.8 - 50);
      expect(wait).toBeLessThan(retryDelaysMs[attempt]! * 1.2 + 500);
      const halfMs = Math.ceil((delivery.nextAttemptAt - world.now()) / 2);
      world.advance(halfMs);
      worker.wake();
      await sleep(100);
      expect(at('/failing')).toHaveLength(attempt);
      world.advance(halfMs);
    }
    const dead = await tried(id, 10);
    expect(dead).toMatchObject({ state: 'DEAD', nextAttemptAt: null, lastStatus: 500 });
    world.advance(30 * hour);
    worker.wake();
    await sleep(100);
    expect(at('/failing')).toHaveLength(10);
    expect(new Set(at('/failing').map(({ headers }) => headers['webhook-id']))).toEqual(new Set([dead.uid]));
    expect(JSON.stringify(await world.deliveries(id))).not.toContain('a secret of the receiver');

    world.sink.script('/failing', [500, 200]);
    await world.ok('POST', `delivery/${dead.uid}/replay`);
    const again = await tried(id, 11);
    expect(again).toMatchObject({ uid: dead.uid, state: 'PENDING' });
    expect(again.nextAttemptAt - world.now()).toBeLessThan(6100);
    world.advance(7000);
    expect(await tried(id, 12)).toMatchObject({ state: 'DELIVERED', lastError: null });
  });

  it('waits as long as the receiver asks, by seconds or date, up to a day', async () => {
    for (const [name, header, least, most] of [
      ['seconds', () => '3600', hour, hour + 1000],
      ['date', () => new Date(world.now() + 2 * hour).toUTCString(), 2 * hour - 1500, 2 * hour + 1000],
      ['long', () => '999999', 24 * hour, 24 * hour + 1000],
      ['short', () => '1', 4000, 6100],
      ['nonsense', () => 'soon', 4000, 6100],
    ] as const) {
      const id = await pushTo(`/after-${name}`, [{ status: 503, headers: { 'retry-after': header() } }]);
      const delivery = await tried(id, 1);
      const wait = delivery.nextAttemptAt - delivery.attempts[0].at;
      expect(wait, name).toBeGreaterThanOrEqual(least);
      expect(wait, name).toBeLessThan(most + 500);
    }
  });

  it('says why in words of its own, whatever the receiver does', async () => {
    for (const [name, behaviour, status, words] of [
      ['status', 404, 404, 'The receiver responded with 404.'],
      ['hang', 'hang', null, 'The receiver did not respond within 0.5 s.'],
      ['reset', 'reset', null, 'The receiver closed the connection.'],
      [
        'redirect',
        { status: 302, headers: { location: '/elsewhere' } },
        302,
        'The receiver redirects (302); Vigil does not follow redirects.',
      ],
    ] as const) {
      const id = await pushTo(`/says-${name}`, [behaviour]);
      const delivery = await tried(id, 1);
      expect([delivery.state, delivery.lastStatus, delivery.lastError]).toEqual(['PENDING', status, words]);
    }
    expect(at('/elsewhere')).toEqual([]);
  });

  it('has got through when the status says so, however slow or long the rest of the answer is', async () => {
    for (const behaviour of ['slow body', 'endless body'] as const) {
      const id = await pushTo(`/${behaviour.replace(' ', '-')}`, [behaviour]);
      expect(await tried(id, 1)).toMatchObject({ state: 'DELIVERED', lastStatus: 200 });
    }
  });

  it('is sent by another process when the one that took it has died, under the same id', async () => {
    await worker.stop();
    const id = await pushTo('/orphan', []);
    await world.store.query(
      sql`update delivery_queue set lease_until = now() + interval '1 hour' where destination_id = ${id}`,
    );
    worker = world.work();
    await sleep(500);
    expect(at('/orphan')).toEqual([]);
    await world.store.query(sql`update delivery_queue set lease_until = now() where destination_id = ${id}`);
    const delivery = await tried(id, 1);
    expect(at('/orphan').map(({ headers }) => headers['webhook-id'])).toEqual([delivery.uid]);
  });
});

describe('a destination', () => {
  it('is disabled by 410, its queue is dead-lettered, the others are notified, and a successful test enables it', async () => {
    const other = await world.addDestination('/witness');
    const { id } = await world.addDestination('/gone');
    world.sink.script('/gone', [410]);
    await world.bind(id);
    await world.push({}, {}, {});
    const health = await until(async () => {
      const found = await world.deliveries(id);
      const dead = found.data.filter(({ state }: Json) => state === 'DEAD');
      return found.status === 'DISABLED' && dead.length === 3 ? found : undefined;
    });
    expect(health.disabledReason).toBe('The receiver no longer exists (410).');
    const notice = await until(() => at('/witness')[0]);
    expect(notice.body).toMatchObject({
      type: 'destination.disabled',
      data: { destinationId: id, destinationType: 'HTTP', reason: health.disabledReason },
    });
    expect(at('/gone')).toHaveLength(1);
    const audit = await world.ok('GET', `audit?kind=destination&recordId=${id}`);
    expect(audit.data.map(({ action }: Json) => action)).toContain('destination.disable');
    await world.push({});
    expect((await world.deliveries(id)).data).toHaveLength(3);
    expect(await world.ok('POST', `destination/${id}/test`)).toMatchObject({ delivered: true });
    expect((await world.deliveries(id, 'size=0')).status).toBe('ACTIVE');
    await world.ok('DELETE', `destination/${other.id}`);
  });

  it('a destination that was disabled works again when it is given another address', async () => {
    const id = await pushTo('/moved-away', [410]);
    await until(async () => (await world.deliveries(id)).status === 'DISABLED');
    await world.ok('PUT', `destination/${id}`, { tags: ['WALLET'] });
    expect((await world.deliveries(id)).status).toBe('DISABLED');
    await world.ok('PUT', `destination/${id}`, { uri: `${world.sink.url}/moved-here` });
    expect(await world.deliveries(id, 'size=0')).toMatchObject({
      status: 'ACTIVE',
      disabledReason: null,
      failingSince: null,
    });
    await world.push({});
    await until(() => at('/moved-here').length === 1);
  });

  it('is disabled when no message got through for five days, and not before', async () => {
    const id = await pushTo('/lost', () => 500);
    await tried(id, 1);
    for (let attempt = 2; attempt <= 6; attempt++) {
      world.advance(24 * hour - 60_000);
      await tried(id, attempt);
      expect((await world.deliveries(id)).status).toBe('ACTIVE');
    }
    world.advance(13 * hour);
    await tried(id, 7);
    const { status, disabledReason, failingSince } = await world.deliveries(id);
    expect([status, disabledReason]).toEqual(['DISABLED', 'No message got through for five days.']);
    expect(world.now() - failingSince).toBeGreaterThan(5 * 24 * hour);
  });

  it('has not failed since a failure of weeks ago, after which nothing was sent', async () => {
    const id = await pushTo('/weeks', [500, 500]);
    await tried(id, 1);
    await endDeliveries(world.store, 'CANCELED', { destinationId: id });
    const before = (await world.deliveries(id)).data.length;
    world.advance(21 * 24 * hour);
    await world.push({});
    await until(async () => (await world.deliveries(id)).data[0].attempts.length === 1);
    const { status, failingSince, data } = await world.deliveries(id);
    expect([status, data.length]).toEqual(['ACTIVE', before + 1]);
    expect(world.now() - failingSince).toBeLessThan(hour);
  });

  it('is left alone as long as it asks, with all that waits for it, and a test that gets through ends that', async () => {
    const busy = { status: 429, headers: { 'retry-after': '3600' } };
    const { id } = await world.addDestination('/busy');
    await world.bind(id);
    await world.ok('POST', `destination/${id}/test`);
    world.sink.script('/busy', (count) => (count < 3 ? busy : 200));
    await world.push({}, {});
    const requests = () => at('/busy').length;
    await until(() => requests() >= 3);
    await sleep(200);
    const before = requests();
    await world.push({}, {}, {});
    worker.wake();
    await sleep(300);
    expect(requests()).toBe(before);
    const waiting = (await world.deliveries(id)).data.filter(({ state }: Json) => state === 'PENDING');
    expect(waiting.length).toBeGreaterThanOrEqual(3);
    for (const { nextAttemptAt } of waiting)
      expect(nextAttemptAt - world.now()).toBeGreaterThan(hour - 60_000);
    world.advance(hour + 1000);
    worker.wake();
    await until(() => requests() > before);
    // Being asked to slow down is no step towards being given up.
    const steps = await world.store.query<{ step: number }>(
      sql`select step from delivery_queue where destination_id = ${id}`,
    );
    expect(steps.every(({ step }) => step <= 1)).toBe(true);
    await until(async () => {
      worker.wake();
      const { data } = await world.deliveries(id);
      return data.every(({ state }: Json) => state === 'DELIVERED');
    });
    world.sink.script('/busy', [busy]);
    await world.push({});
    await until(async () => (await world.deliveries(id)).data[0].attempts.length === 1);
    await world.ok('POST', `destination/${id}/test`);
    await world.push({});
    await until(async () => (await world.deliveries(id)).data[0].state === 'DELIVERED');
    const later = (await world.deliveries(id)).data.find(({ state }: Json) => state === 'PENDING');
    expect(later.nextAttemptAt - world.now()).toBeGreaterThan(hour - 60_000);
  });

  it('has failed since the last success, not since the first failure', async () => {
    const id = await pushTo('/again', [500, 200, 500]);
    await tried(id, 1);
    world.advance(4 * 24 * hour);
    await tried(id, 2);
    expect((await world.deliveries(id)).failingSince).toBeNull();
    await world.push({});
    await until(() => at('/again').length === 3);
    world.advance(2 * 24 * hour);
    worker.wake();
    expect((await world.deliveries(id)).status).toBe('ACTIVE');
  });
});

describe('what is left behind', () => {
  it('is purged: old settled deliveries are deleted with their attempts, and those to deleted destinations are dead-lettered', async () => {
    await worker.stop();
    const id = await pushTo('/old', []);
    const kept = await pushTo('/kept', []);
    await endDeliveries(world.store, 'DELIVERED', { destinationId: id });
    await world.ok('DELETE', `destination/${kept}`);
    await purgeDeliveries(world.store, world.now());
    const stateOf = async (destinationId: number) =>
      (
        await world.store.query<{ state: string }>(
          sql`select state from delivery where destination_id = ${destinationId}`,
        )
      ).map(({ state }) => state);
    expect([await stateOf(id), await stateOf(kept)]).toEqual([['DELIVERED'], ['DEAD']]);
    await purgeDeliveries(world.store, world.now() + 9 * 24 * hour, 10);
    expect([await stateOf(id), await stateOf(kept)]).toEqual([['DELIVERED'], ['DEAD']]);
    await purgeDeliveries(world.store, world.now() + 11 * 24 * hour, 10);
    expect([await stateOf(id), await stateOf(kept)]).toEqual([[], []]);
    expect(
      await world.store.query(sql`select from delivery_attempt a where not exists
      (select from delivery d where d.id = a.delivery_id)`),
    ).toEqual([]);
    await purgeDeliveries(world.store, world.now() + 92 * 24 * hour);
    // An earlier test may have left something that is still to be sent.
    const left = sql`select from delivery_queue where destination_id = any(${[id, kept]}::bigint[]) union all
      select from delivery_message m where not exists (
        select from delivery_queue q where q.tenant_id = m.tenant_id and q.message_id = m.id)`;
    expect(await world.store.query(left)).toEqual([]);
  });
});
