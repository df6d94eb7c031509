import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { startEscalating } from '../../src/notify/escalations/startEscalating.ts';
import { takeSteps } from '../../src/notify/escalations/takeSteps.ts';
import { createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { type EscalationStart, startEscalations } from '../../src/store/onCall/escalations.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const minuteMs = 60_000;
let world: NotifyWorld;
let ann: Json;
let ben: Json;
let scheduleId: number;
const ids: Record<string, number> = {};

beforeAll(async () => {
  world = await startNotifyWorld({ hasActionLinks: true, random: () => 0 });
  for (const path of ['/ann', '/ben', '/desk', '/down']) ids[path] = (await world.addDestination(path)).id;
  const user = { tenantId: world.tenantId, roles: ['tenant-user'] };
  ann = await world.ok('POST', 'user', { ...user, name: 'Ann', email: 'ann@example.com' });
  ben = await world.ok('POST', 'user', { ...user, name: 'Ben', email: 'ben@example.com' });
  await world.ok('PUT', `user/${ann.id}/contact`, { destinationIds: [ids['/ann']] });
  await world.ok('PUT', `user/${ben.id}/contact`, { destinationIds: [ids['/ben']] });
  const layer = { userIds: [ann.id], unit: 'DAYS', every: 1, start: Date.now() - minuteMs };
  const schedule = { tenantId: world.tenantId, name: 'Rotation', zone: 'UTC', layers: [layer] };
  scheduleId = (await world.ok('POST', 'schedule', schedule)).id;
  world.work();
});
afterAll(() => world?.stop());

let count = 0;
async function addChain(steps: Json[], repeat = 0): Promise<number> {
  const body = { tenantId: world.tenantId, name: `Chain ${++count}`, steps, repeat };
  return (await world.ok('POST', 'escalationchain', body)).id;
}
const links = () => world.services.alertLinks;
const step = () => takeSteps(world.store, { now: world.now(), links: links() });

/** Makes all steps that are due now. */
async function settle(): Promise<void> {
  while ((await step()) > 0);
}
async function raise(): Promise<{ uid: string; incident: string }> {
  const [uid] = await world.push({ severity: 'HIGH', name: `Drain ${++count}` });
  const { incidentUid } = await world.ok('GET', `alert/${uid}`);
  return { uid: uid!, incident: incidentUid };
}
type Found = { uid: string; number: number };

/** Alerts of one cause on a chain, the first of which is the worst. */
async function raiseOnChain(
  ...severities: Finding['severity'][]
): Promise<{ incident: string; found: Found[] }> {
  const cause = `cause ${++count}`;
  const findings = severities.map((severity): Finding => {
    const number = ++count;
    return {
      tenantId: world.tenantId,
      projectId: 1,
      contractId: world.contractId,
      kind: 'detector',
      group: 'SECURITY',
      severity,
      timestamp: world.now(),
      key: `on chain ${number}`,
      eid: `on chain ${number}`,
      name: 'Drain',
      message: 'Found.',
      meta: {},
      tags: [],
      chainUid: 'ethereum',
      blockNumber: number,
      blockHash: hashOf(number),
      detectorId: world.detectorId,
      detectorSchemaName: 'drain',
      cause,
    };
  });
  await prepareRaise(world.store, findings);
  const raised = await world.store.transaction((tx) => raiseAlerts(tx, findings));
  const found = raised.map(({ uid, finding }) => ({ uid, number: finding.blockNumber ?? 0 }));
  return { incident: raised[0]!.incident!.uid, found };
}
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

async function retract({ number }: Found): Promise<void> {
  const blocks = [{ number, hash: hashOf(number) }];
  const hooks = [createNotifyOnRetractions({ now: world.now })];
  await world.store.transaction((tx) =>
    retractBlocks(tx, { chainUid: 'ethereum', blocks, now: world.now() }, hooks),
  );
}
async function escalate(incident: string, escalationChainId: number): Promise<void> {
  await world.ok('POST', `incident/${incident}/escalate`, { escalationChainId });
}
const timeline = async (incident: string): Promise<Json> =>
  (await world.ok('GET', `incident/${incident}/escalation`)).escalations[0];
const pagesAt = (path: string, uid: string) =>
  world.sink.received.filter((one) => one.path === path && one.body.data.uid === uid);
const standard = () =>
  addChain(
    [
      { scheduleId, waitMinutes: 5 },
      { userId: ben.id, waitMinutes: 5 },
      { destinationId: ids['/desk'], waitMinutes: 5 },
    ],
    1,
  );

describe('a chain', () => {
  it('calls one after the other, in rounds, until every step is made, and its timeline shows each', async () => {
    const { uid, incident } = await raise();
    await escalate(incident, await standard());
    for (const [index, path] of ['/ann', '/ben', '/desk', '/ann', '/ben', '/desk'].entries()) {
      await settle();
      await until(() => pagesAt(path, uid).length === Math.floor(index / 3) + 1);
      expect((await timeline(incident)).steps).toHaveLength(index + 1);
      // Nothing comes before the wait is over.
      expect(await step()).toBe(0);
      world.advance(5 * minuteMs);
    }
    const page = pagesAt('/ann', uid)[0]!.body;
    expect(page.type).toBe('alert.detector.raised');
    expect(page.data.escalation).toMatchObject({
      step: 1,
      steps: 3,
      round: 1,
      userId: ann.id,
      calls: 'Ann (Rotation)',
    });
    await settle();
    const { state, steps, nextAt } = await timeline(incident);
    expect([state, nextAt]).toEqual(['EXHAUSTED', null]);
    expect(steps.map(({ number, round, kind, outcome }: Json) => [number, round, kind, outcome])).toEqual(
      ['schedule', 'user', 'destination', 'schedule', 'user', 'destination'].map((kind, index) => [
        index,
        Math.floor(index / 3),
        kind,
        'CALLED',
      ]),
    );
    const outcome = await world.ok('GET', `alert/${uid}/outcome`);
    expect(outcome.escalations[0].steps).toHaveLength(6);
  });

  it.each([
    [
      'the incident is acknowledged',
      'ACKNOWLEDGED',
      (i: string) => world.ok('POST', `incident/${i}/acknowledge`, {}),
    ],
    [
      'its alert is acknowledged',
      'ACKNOWLEDGED',
      (_: string, uid: string) => world.ok('POST', `alert/${uid}/acknowledge`, {}),
    ],
    [
      'the incident is resolved',
      'RESOLVED',
      (i: string) => world.ok('PUT', `incident/${i}`, { status: 'RESOLVED' }),
    ],
    [
      'its alert is resolved',
      'RESOLVED',
      (_: string, uid: string) => world.ok('PUT', `alert/${uid}`, { status: 'RESOLVED' }),
    ],
    [
      'all alerts of a query are resolved',
      'RESOLVED',
      (_: string, uid: string) => world.ok('POST', 'alert/resolve', { query: `uid:"${uid}"` }),
    ],
  ] as const)('ends at once when %s', async (_, state, answer) => {
    const { uid, incident } = await raise();
    await escalate(incident, await standard());
    await settle();
    await until(async () => (await timeline(incident)).steps[0].deliveries[0].state === 'DELIVERED');
    await answer(incident, uid);
    const ended = await timeline(incident);
    expect(ended.state).toBe(state);
    world.advance(60 * minuteMs);
    await settle();
    expect(await timeline(incident)).toEqual(ended);
    expect(pagesAt('/ben', uid)).toEqual([]);
  });

  it.each(['acknowledged', 'resolved'])(
    'goes on when another alert of its incident is acknowledged, until its own is %s too',
    async (end) => {
      const { incident, found } = await raiseOnChain('HIGH', 'LOW');
      const [worst, other] = found.map(({ uid }) => uid);
      await escalate(incident, await standard());
      await settle();
      await world.ok('POST', `alert/${other}/acknowledge`, {});
      expect((await timeline(incident)).state).toBe('RUNNING');
      if (end === 'acknowledged') await world.ok('POST', `alert/${worst}/acknowledge`, {});
      else await world.ok('PUT', `alert/${worst}`, { status: 'RESOLVED' });
      expect((await timeline(incident)).state).toBe('ACKNOWLEDGED');
    },
  );

  it('goes on about another alert of its incident when its own is retracted, and ends when all are', async () => {
    const escalationChainId = await addChain([
      { destinationId: ids['/desk'], waitMinutes: 5 },
      { userId: ann.id, waitMinutes: 5 },
      { userId: ben.id, waitMinutes: 5 },
    ]);
    const { incident, found } = await raiseOnChain('HIGH', 'LOW');
    const [worse, other] = found as [Found, Found];
    world.sink.script('/desk', () => 503);
    await escalate(incident, escalationChainId);
    await settle();
    await until(() => pagesAt('/desk', worse.uid).length === 1);
    await retract(worse);
    world.sink.script('/desk', () => 200);
    world.advance(10_000);
    // The page that did not get through yet is no less urgent: the incident is open.
    await until(() => pagesAt('/desk', worse.uid).length === 2);
    world.advance(5 * minuteMs);
    await settle();
    await until(() => pagesAt('/ann', other.uid).length === 1);
    expect((await timeline(incident)).state).toBe('RUNNING');
    await retract(other);
    expect((await timeline(incident)).state).toBe('RETRACTED');
    world.advance(60 * minuteMs);
    await settle();
    expect((await timeline(incident)).steps).toHaveLength(2);
    expect(pagesAt('/ben', other.uid)).toEqual([]);
  });

  it('runs again when a snooze ends without an answer, and when an acknowledgement is taken back', async () => {
    const { uid, incident } = await raise();
    // A webhook is told of the acknowledgement too.
    const calls = () => pagesAt('/desk', uid).filter(({ body }) => body.type === 'alert.detector.raised');
    await escalate(incident, await addChain([{ destinationId: ids['/desk'], waitMinutes: 30 }]));
    await settle();
    await until(() => calls().length === 1);
    await world.ok('POST', `incident/${incident}/acknowledge`, { until: world.now() + 5 * minuteMs });
    expect((await timeline(incident)).state).toBe('ACKNOWLEDGED');
    await settle();
    expect(calls()).toHaveLength(1);
    world.advance(5 * minuteMs);
    // The clock of the database, by which a snooze ends, does not follow the clock of this test.
    await world.store.query(
      sql`update alert set acknowledged_until = 1 where acknowledged_until is not null`,
    );
    await world.store.query(
      sql`update incident set acknowledged_until = 1 where acknowledged_until is not null`,
    );
    await settle();
    await until(() => calls().length === 2);
    await world.ok('POST', `incident/${incident}/acknowledge`, {});
    await settle();
    expect(calls()).toHaveLength(2);
    await world.ok('DELETE', `incident/${incident}/acknowledge`);
    await settle();
    await until(() => calls().length === 3);
    await world.ok('PUT', `incident/${incident}`, { status: 'RESOLVED' });
    const { escalations } = await world.ok('GET', `incident/${incident}/escalation`);
    expect(escalations.map(({ state }: Json) => state)).toEqual(['RESOLVED', 'ACKNOWLEDGED', 'ACKNOWLEDGED']);
  });

  it('makes no one wait for longer than it says when the clock goes back', async () => {
    const { uid, incident } = await raise();
    const chain = await addChain([
      { destinationId: ids['/desk'], waitMinutes: 5 },
      { userId: ben.id, waitMinutes: 5 },
    ]);
    await escalate(incident, chain);
    await settle();
    await until(() => pagesAt('/desk', uid).length === 1);
    const wrong = world.now() - 3 * 60 * minuteMs;
    const takeAt = (now: number) => takeSteps(world.store, { now, links: links() });
    await takeAt(wrong);
    await takeAt(wrong + 4 * minuteMs);
    expect((await timeline(incident)).steps).toHaveLength(1);
    await takeAt(wrong + 6 * minuteMs);
    expect((await timeline(incident)).steps).toHaveLength(2);
    await world.ok('PUT', `incident/${incident}`, { status: 'RESOLVED' });
  });

  it('ends within a second of an acknowledgement by the link of a page, in the name of who was called', async () => {
    const escalating = startEscalating({
      store: world.store,
      links: links(),
      listen: () => async () => {},
      now: world.now,
      onError: (error) => world.errors.push(error),
    });
    const { uid, incident } = await raise();
    await escalate(
      incident,
      await addChain([
        { userId: ann.id, waitMinutes: 0 },
        { userId: ann.id, waitMinutes: 30 },
        { userId: ben.id, waitMinutes: 0 },
      ]),
    );
    const page = await until(() => pagesAt('/ann', uid)[0]);
    const code = page.body.data.links.acknowledge.split('/act/')[1];
    const answer = await world.call('POST', `link/${code}`, undefined, { token: null });
    expect(answer.status).toBe(200);
    expect((await timeline(incident)).state).toBe('ACKNOWLEDGED');
    const { acknowledgedBy, acknowledgedById } = await world.ok('GET', `incident/${incident}`);
    expect([acknowledgedBy, acknowledgedById]).toEqual(['Ann (link)', ann.id]);
    await escalating.stop();
    expect(pagesAt('/ben', uid)).toEqual([]);
  });

  it('passes over who cannot be called, says why, and waits only where no one else is left', async () => {
    const { uid, incident } = await raise();
    const idle = await world.ok('POST', 'user', {
      tenantId: world.tenantId,
      roles: ['tenant-user'],
      name: 'Idle',
      email: 'idle@example.com',
    });
    const chain = await addChain(
      [
        { userId: idle.id, waitMinutes: 30 },
        { destinationId: ids['/desk'], waitMinutes: 5 },
        { userId: idle.id, waitMinutes: 5 },
      ],
      1,
    );
    await escalate(incident, chain);
    await settle();
    await until(() => pagesAt('/desk', uid).length === 1);
    world.advance(5 * minuteMs);
    await settle();
    const { steps, nextAt } = await timeline(incident);
    expect(steps.map(({ outcome }: Json) => outcome)).toEqual(['NOBODY', 'CALLED', 'NOBODY']);
    expect(steps[0].detail).toContain('set the contact');
    expect(nextAt).toBeGreaterThan(world.now() + 4 * minuteMs);
    await world.ok('PUT', `incident/${incident}`, { status: 'RESOLVED' });
  });

  it('passes to the next step after the first failed attempts of a destination that is down, and says so', async () => {
    world.sink.script('/down', () => 503);
    const { uid, incident } = await raise();
    await escalate(
      incident,
      await addChain([
        { destinationId: ids['/down'], waitMinutes: 600 },
        { destinationId: ids['/desk'], waitMinutes: 5 },
      ]),
    );
    await settle();
    await until(() => pagesAt('/down', uid).length === 1);
    expect(pagesAt('/desk', uid)).toEqual([]);
    world.advance(10_000);
    await until(async () => {
      await settle();
      return pagesAt('/desk', uid).length === 1;
    });
    const { steps } = await timeline(incident);
    expect(steps.map(({ outcome }: Json) => outcome)).toEqual(['FAILED', 'CALLED']);
    expect(steps[0].detail).toContain('503');
    // Whoever answers is not called again by what was still to be sent.
    await world.ok('POST', `incident/${incident}/acknowledge`, {});
    const rows = await world.store.query<{ state: string }>(
      sql`select state from delivery where escalation_id is not null and destination_id = ${ids['/down']!}`,
    );
    expect(rows.map(({ state }) => state)).toEqual(['CANCELED']);
  });

  it('is refused for an incident that is answered, that it runs for, or of another tenant', async () => {
    const { incident } = await raise();
    const chain = await standard();
    await escalate(incident, chain);
    const again = (uid = incident, escalationChainId = chain, options = {}) =>
      world.call('POST', `incident/${uid}/escalate`, { escalationChainId }, options);
    expect((await again()).status).toBe(409);
    expect((await again(incident, 987_654_321)).status).toBe(422);
    await world.ok('POST', `incident/${incident}/acknowledge`, {});
    expect((await again()).body.code).toBe('illegal-transition');
    const other = await world.ok('POST', 'tenant', { name: 'Other' });
    const token = await world.token(other.id, 'tenant-user');
    expect((await again(incident, chain, { token })).status).toBe(404);
    const { incident: theirs } = await raise();
    expect((await world.call('GET', `incident/${theirs}/escalation`, undefined, { token })).status).toBe(404);
  });

  it('calls for one tenant without delay although another one starts a thousand chains', async () => {
    const uids = await world.push({ severity: 'HIGH', name: 'Flood' });
    const other = await world.ok('POST', 'tenant', { name: 'Neighbour' });
    const chain = await standard();
    const hook = await world.ok('POST', 'destination', {
      tenantId: other.id,
      type: 'HTTP',
      uri: `${world.sink.url}/other`,
    });
    const theirs = await world.ok('POST', 'escalationchain', {
      tenantId: other.id,
      name: 'Theirs',
      steps: [{ destinationId: hook.id, waitMinutes: 1 }],
    });
    const start = (tenantId: number, escalationChainId: number, index: number): EscalationStart => ({
      tenantId,
      incidentUid: `${uids[0]!.slice(0, 24)}${String(index).padStart(12, '0')}`,
      alertUid: uids[0]!,
      escalationChainId,
      startedBy: 'test',
    });
    const all = Array.from({ length: 1000 }, (_, index) => start(world.tenantId, chain, index));
    await startEscalations(world.store, all, world.now());
    await startEscalations(world.store, [start(other.id, theirs.id, 5000)], world.now() + 1);
    world.advance(1000);
    await step();
    const rows = await world.store.query<{ position: number; state: string }>(
      sql`select position, state from escalation where tenant_id = ${other.id}`,
    );
    // It is about no alert of its tenant, so that it ends where it would have called.
    expect(rows).toEqual([{ position: 0, state: 'RETRACTED' }]);
    await world.store.query(
      sql`delete from escalation where tenant_id = ${world.tenantId} and state = 'RUNNING'`,
    );
  });
});

describe('a route with a chain', () => {
  it('calls people for the incidents that it takes, in place of destinations above it, and keeps the chain', async () => {
    const escalationChainId = await addChain([{ userId: ann.id, waitMinutes: 30 }]);
    const common = { tenantId: world.tenantId };
    const root = await world.ok('POST', 'route', {
      ...common,
      name: 'Root',
      status: 'ACTIVE',
      destinationIds: [ids['/ben']],
    });
    const query = 'name:Routed';
    const route = await world.ok('POST', 'route', {
      ...common,
      parentId: root.id,
      name: 'Wake',
      query,
      escalationChainId,
    });
    const [uid] = await world.push({ severity: 'HIGH', name: 'Routed' });
    await settle();
    await until(() => pagesAt('/ann', uid!).length === 1);
    const { incidentUid } = await world.ok('GET', `alert/${uid}`);
    expect(await timeline(incidentUid)).toMatchObject({
      state: 'RUNNING',
      startedBy: 'Route Wake',
      escalationChainId,
    });
    expect((await world.ok('GET', `alert/${uid}/outcome`)).silence).toBeNull();
    expect(pagesAt('/ben', uid!)).toEqual([]);
    expect((await world.call('DELETE', `escalationchain/${escalationChainId}`)).status).toBe(409);
    const unknown = await world.call('PUT', `route/${route.id}`, { escalationChainId: 987_654_321 });
    expect(unknown.status).toBe(422);
    await world.ok('POST', `incident/${incidentUid}/acknowledge`, {});
    expect((await timeline(incidentUid)).state).toBe('ACKNOWLEDGED');
    await world.ok('PUT', `route/${root.id}`, { status: 'DISABLED' });
  });

  it('falls to the root where a schedule has a gap and no one else is left, and says so', async () => {
    const start = world.now() + 30 * 24 * 60 * minuteMs;
    const later = await world.ok('POST', 'schedule', {
      tenantId: world.tenantId,
      name: 'Later',
      zone: 'UTC',
      layers: [{ userIds: [ben.id], unit: 'WEEKS', every: 1, start }],
    });
    const escalationChainId = await addChain([{ scheduleId: later.id, waitMinutes: 30 }]);
    const common = { tenantId: world.tenantId };
    await world.store.query(sql`update route set status = 'DELETED'`);
    const root = await world.ok('POST', 'route', {
      ...common,
      name: 'Root 2',
      status: 'ACTIVE',
      destinationIds: [ids['/desk']],
    });
    const made = { ...common, parentId: root.id, name: 'Gap', query: 'name:Gap', escalationChainId };
    await world.ok('POST', 'route', made);
    const [uid] = await world.push({ severity: 'HIGH', name: 'Gap' });
    await settle();
    await until(() => pagesAt('/desk', uid!).length === 1);
    const { incidentUid } = await world.ok('GET', `alert/${uid}`);
    const [step] = (await timeline(incidentUid)).steps;
    expect([step.outcome, step.detail]).toEqual([
      'CALLED',
      'No one is on call at this time. No one of this round could be called, so that the root route was.',
    ]);
    await world.ok('POST', `incident/${incidentUid}/acknowledge`, {});
    await world.ok('PUT', `route/${root.id}`, { status: 'DISABLED' });
  });
});

describe('the steps of chains', () => {
  it('are each made once and in order, however many processes make them and however these die', async () => {
    const random = createRandom('escalations');
    const chains = sized(8, 60);
    const chain = await addChain(
      [
        { destinationId: ids['/desk'], waitMinutes: 1 },
        { userId: ann.id, waitMinutes: 1 },
        { scheduleId, waitMinutes: 1 },
        { userId: ben.id, waitMinutes: 1 },
      ],
      1,
    );
    const incidents: string[] = [];
    for (let index = 0; index < chains; index++) {
      const { incident } = await raise();
      await escalate(incident, chain);
      incidents.push(incident);
    }
    // A minute of the chains passes in 60 ms. Losing the connection in the middle is what kill -9 does to the database.
    const startedAt = Date.now();
    const base = world.now();
    const now = () => base + (Date.now() - startedAt) * 1000;
    const stores = ['one', 'two', 'three'].map((name) =>
      openStore({ ...world.connection, application_name: `stepper ${name}`, max: 2 }, () => {}),
    );
    const failures: unknown[] = [];
    const loops = stores.map((store) =>
      startEscalating({
        store,
        links: links(),
        listen: () => async () => {},
        now,
        onError: (error) => failures.push(error),
      }),
    );
    const ending = new AbortController();
    const killer = (async () => {
      while (!ending.signal.aborted) {
        await sleep(random.integer(5, 60));
        await world.store.query(
          sql`select pg_terminate_backend(pid) from pg_stat_activity
            where application_name like 'stepper%' and datname = current_database() and random() < 0.5`,
        );
      }
    })();
    const isDone = async () =>
      (await world.store.query(sql`select 1 from escalation where chain_id = ${chain} and state = 'RUNNING'`))
        .length === 0;
    await until(isDone);
    ending.abort();
    await killer;
    await Promise.all(loops.map((loop) => loop.stop()));
    await Promise.all(stores.map((store) => store.close()));
    for (const incident of incidents) {
      const { state, steps } = await timeline(incident);
      expect(state).toBe('EXHAUSTED');
      expect(steps.map(({ number }: Json) => number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(
        steps.every((made: Json, index: number) => index === 0 || made.at >= steps[index - 1].at + minuteMs),
      ).toBe(true);
      // One message for each step, neither lost nor doubled.
      expect(steps.map(({ deliveries }: Json) => deliveries.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    }
  });
});
