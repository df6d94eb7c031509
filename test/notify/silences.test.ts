import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { createNotifyOnAlerts, createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { randomFinding, randomQuery } from '../support/randomAlerts.ts';
import { statementsOf } from '../support/statementsOf.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
/** How far the clock by which Vigil decides is ahead. */
let aheadMs = 0;
const clock = () => Date.now() + aheadMs;
let hook: ReturnType<typeof createNotifyOnAlerts>;
const dayMs = 86_400_000;
beforeAll(async () => {
  world = await startNotifyWorld();
  await world.addDestination('/hook', { tags: ['DEFAULT'] });
  hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: clock });
});
afterAll(() => world.stop());
beforeEach(async () => {
  aheadMs = 0;
  await world.store.query(sql`truncate delivery, delivery_queue`);
  await world.store.query(sql`update silence set starts_at = 1, ends_at = 2`);
});

const silence = (members: Json): Promise<Json> =>
  world.ok('POST', 'silence', {
    tenantId: world.tenantId,
    to: Date.now() + 3_600_000,
    reason: 'Maintenance',
    ...members,
  });

let count = 0;
const finding = (members: Partial<Finding> = {}): Finding => ({
  tenantId: world.tenantId,
  projectId: 1,
  contractId: world.contractId,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'MEDIUM',
  timestamp: Date.now(),
  key: `finding ${++count}`,
  eid: `e${count}`,
  name: 'Found',
  message: 'Found.',
  meta: {},
  tags: [],
  ...members,
});

async function raise(...findings: Finding[]) {
  await prepareRaise(world.store, findings);
  return world.store.transaction((tx) => raiseAlerts(tx, findings, [hook]));
}
const raiseOne = async (members: Partial<Finding> = {}) => (await raise(finding(members)))[0]!.uid;
const sentFor = async (uid: string): Promise<string[]> => {
  const rows = await world.store.query<{ type: string }>(
    sql`select type from delivery where alert_uid = ${uid}::uuid order by id`,
  );
  return rows.map(({ type }) => type);
};
/** Those among alerts that the console marks as silenced. */
const silencedAmong = async (...uids: string[]): Promise<string[]> =>
  (await world.ok('POST', 'alert/silenced', { uids })).data.map(({ uid }: Json) => uid).sort();
const outcomeOf = (uid: string): Promise<Json> => world.ok('GET', `alert/${uid}/outcome`);

describe('a silence', () => {
  it('hides alerts from every destination, and names itself in their outcome', async () => {
    const { id } = await silence({ query: 'tags:noisy', reason: 'The oracle moves' });
    const [held, told] = [await raiseOne({ tags: ['noisy'] }), await raiseOne()];
    expect([await sentFor(held), await sentFor(told)]).toEqual([[], ['alert.detector.raised']]);
    const { silence: why, deliveries } = await outcomeOf(held);
    expect(why).toMatchObject({ code: 'silenced', silences: [{ id, reason: 'The oracle moves' }] });
    expect(deliveries).toEqual([]);
    expect((await outcomeOf(told)).silence).toBeNull();
    expect(await world.ok('GET', `alert/${held}`)).toMatchObject({ uid: held, suppressed: false });
    expect((await world.ok('POST', 'alert/silenced', { uids: [told, held] })).data).toEqual([
      { uid: held, silences: [{ id, reason: 'The oracle moves' }] },
    ]);
  });

  it('never hides CRITICAL alerts unless it says so', async () => {
    await silence({ query: 'tags:a' });
    await silence({ query: 'tags:b', includeCritical: true });
    const critical = { severity: 'CRITICAL' } as const;
    expect(await sentFor(await raiseOne({ ...critical, tags: ['a'] }))).toHaveLength(1);
    expect(await sentFor(await raiseOne({ ...critical, tags: ['b'] }))).toHaveLength(0);
    expect(await sentFor(await raiseOne({ severity: 'HIGH', tags: ['a'] }))).toHaveLength(0);
  });

  it('holds from the commit on, ends by the clock, and ends at once when someone ends it', async () => {
    const to = Date.now() + 60_000;
    const { id } = await silence({ query: '*', to });
    expect(await sentFor(await raiseOne())).toEqual([]);
    aheadMs = 60_000;
    expect(await sentFor(await raiseOne())).toHaveLength(1);
    aheadMs = 0;
    const longer = await world.ok('PUT', `silence/${id}`, { to: to + dayMs });
    expect(longer).toMatchObject({ to: to + dayMs, state: 'ACTIVE' });
    aheadMs = 60_000;
    expect(await sentFor(await raiseOne())).toEqual([]);
    aheadMs = 0;
    const ended = await world.ok('PUT', `silence/${id}`, { to: 0 });
    expect(ended.state).toBe('EXPIRED');
    aheadMs = 1;
    expect(await sentFor(await raiseOne())).toHaveLength(1);
    expectProblem(await world.call('PUT', `silence/${id}`, { to: Date.now() + dayMs }), 409);
    const { data } = await world.ok('GET', `audit?kind=silence&recordId=${id}`);
    expect(data.map(({ action }: Json) => action).sort()).toEqual([
      'silence.create',
      'silence.update',
      'silence.update',
    ]);
  });

  it('holds only within its time set, and follows a change of that', async () => {
    const zone = 'UTC';
    const minuteOf = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const within = [{ from: minuteOf(Date.now()), to: minuteOf(Date.now() + 3_600_000) }];
    const outside = [{ from: minuteOf(Date.now() + 7_200_000), to: minuteOf(Date.now() + 10_800_000) }];
    const set = await world.ok('POST', 'timeset', {
      tenantId: world.tenantId,
      name: `Set ${count}`,
      zone,
      ranges: within,
    });
    await silence({ query: 'tags:timed', timeSetId: set.id });
    expect(await sentFor(await raiseOne({ tags: ['timed'] }))).toEqual([]);
    await world.ok('PUT', `timeset/${set.id}`, { ranges: outside });
    expect(await sentFor(await raiseOne({ tags: ['timed'] }))).toHaveLength(1);
    expectProblem(await world.call('DELETE', `timeset/${set.id}`), 409);
  });

  it('silences the retraction and the resolution of what it hid, and judges what is raised again once more', async () => {
    await silence({ query: 'tags:gone' });
    const block = { chainUid: 'ethereum', blockNumber: 7, blockHash: `0x${'07'.repeat(32)}` };
    const found = finding({ tags: ['gone'], ...block });
    const uid = (await raise(found))[0]!.uid;
    const resolved = await raiseOne({ tags: ['gone'] });
    await world.ok('PUT', `alert/${resolved}`, { status: 'RESOLVED' });
    const retract = () =>
      world.store.transaction((tx) =>
        retractBlocks(
          tx,
          { chainUid: 'ethereum', blocks: [{ number: 7, hash: block.blockHash }], now: clock() },
          [createNotifyOnRetractions({ now: clock })],
        ),
      );
    expect(await silencedAmong(uid, resolved)).toEqual([uid, resolved].sort());
    await retract();
    expect([await sentFor(uid), await sentFor(resolved)]).toEqual([[], []]);
    await world.store.query(sql`update silence set starts_at = 1, ends_at = 2`);
    aheadMs = 1000;
    await raise(found);
    expect(await sentFor(uid)).toEqual(['alert.detector.raised']);
    expect(await outcomeOf(uid)).toMatchObject({ silence: null, decision: null });
    expect(await silencedAmong(uid, resolved)).toEqual([resolved]);
  });

  it('leaves the first alert of an incident that is not silenced to be sent at once', async () => {
    const mail = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'EMAIL',
      value: 'night@example.com',
      tags: ['DEFAULT'],
    });
    await world.confirmAll();
    await silence({ query: 'meta.part:first' });
    const shared = { cause: 'same', detectorId: 5 };
    const first = await raise(finding({ ...shared, meta: { part: 'first' } }));
    const second = await raise(finding({ ...shared, meta: { part: 'second' } }));
    expect(second[0]!.incident).toMatchObject({ uid: first[0]!.incident!.uid, number: 2 });
    expect(await sentFor(first[0]!.uid)).toEqual([]);
    const [sent] = await world.store.query<{ dueAt: number }>(
      sql`select next_attempt_at as "dueAt" from delivery
        where alert_uid = ${second[0]!.uid}::uuid and destination_id = ${mail.id}`,
    );
    expect(sent!.dueAt).toBeLessThanOrEqual(clock());
    await world.ok('DELETE', `destination/${mail.id}`);
  });

  it('hides nothing of another tenant, for which it answers like a missing one', async () => {
    const other = await world.ok('POST', 'tenant', { name: `Other ${count}` });
    const { id } = await silence({ tenantId: other.id, query: '*' });
    expect(await sentFor(await raiseOne())).toHaveLength(1);
    const token = await world.token(world.tenantId, 'tenant-manager');
    for (const unknown of [id, 987_654_321]) {
      expectProblem(await world.call('GET', `silence/${unknown}`, undefined, { token }), 404);
      expectProblem(await world.call('PUT', `silence/${unknown}`, { to: 1 }, { token }), 404);
    }
    expect(
      (await world.ok('POST', 'silence/search', {}, { token })).data.map(({ id }: Json) => id),
    ).not.toContain(id);
  });

  it.each([
    ['no end', { to: undefined }, '/to', 'without an end'],
    ['an end in the past', { to: 5 }, '/to', 'future'],
    ['an end before its beginning', { from: Date.now() + 2 * dayMs, to: Date.now() + dayMs }, '/to', 'after'],
    ['more than 90 days', { to: Date.now() + 91 * dayMs }, '/to', '90 days'],
    ['no reason', { reason: ' ' }, '/reason', ''],
    ['a query that does not parse', { query: 'severity:(HIGH' }, '/query', ''],
    ['a member that alerts do not have', { query: 'serverity:HIGH' }, '/query', 'did you mean severity?'],
    ['an empty query', { query: ' ' }, '/query', ''],
  ])('is refused with the reason where it has %s', async (_, members, pointer, words) => {
    const body = { tenantId: world.tenantId, query: 'a', reason: 'b', to: Date.now() + dayMs, ...members };
    const answer = expectProblem(await world.call('POST', 'silence', body), 400);
    expect(answer.errors[0].pointer).toBe(pointer);
    expect(answer.errors[0].message).toContain(words);
  });

  it('is refused when the queries of all silences together would take too long to try', async () => {
    const tenant = await world.ok('POST', 'tenant', { name: 'Hostile' });
    const heavy = (n: number) => ({
      tenantId: tenant.id,
      query: `meta.a${n}:/(a|b)*c{1,9}d/ AND meta.b${n}:/x.*y.*z/`,
      to: Date.now() + dayMs,
      reason: 'Test',
    });
    let refused: Json | undefined;
    for (let n = 0; n < 60 && !refused; n++) {
      const answer = await world.call('POST', 'silence', heavy(n));
      if (answer.status !== 201) refused = expectProblem(answer, 422);
    }
    expect(refused!.errors[0]).toMatchObject({ pointer: '/query', code: 'too-expensive' });
  });

  it('is refused also when many become expensive in the same moment', async () => {
    const query = (n: number) => `meta.a${100 + n}:/(a|b)*c{1,9}d/ AND meta.b${100 + n}:/x.*y.*z/`;
    const addTenant = async (name: string) => (await world.ok('POST', 'tenant', { name })).id as number;
    const common = { to: Date.now() + dayMs, reason: 'Test' };
    const patient = { ...common, tenantId: await addTenant('Patient') };
    let room = 0;
    while ((await world.call('POST', 'silence', { ...patient, query: query(room) })).status === 201) room++;
    expect(room).toBeGreaterThan(2);
    const hasty = { ...common, tenantId: await addTenant('Hasty') };
    const made: number[] = [];
    for (let n = 0; n < room + 8; n++)
      made.push((await world.ok('POST', 'silence', { ...hasty, query: `meta.a${n}:b` })).id);
    const answers = await Promise.all(
      made.map((id, n) => world.call('PUT', `silence/${id}`, { query: query(n) })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 422]));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(room);
  });
});

describe('the preview of a silence', () => {
  it('counts what it would have hidden in the last seven days, and shows ten', async () => {
    const { id: contractId } = { id: world.contractId };
    const tags = [`preview${count}`];
    await raise(
      ...Array.from({ length: 12 }, () => finding({ tags })),
      finding({ tags, severity: 'CRITICAL' }),
      finding({ tags, timestamp: Date.now() - 8 * dayMs }),
      finding({ tags, suppressed: true }),
      finding({ tags: [...tags, 'shadow'] }),
    );
    const preview = (members: Json) =>
      world.ok('POST', 'silence/preview', {
        tenantId: world.tenantId,
        query: `tags:${tags[0]} AND contractId:${contractId}`,
        ...members,
      });
    const found = await preview({});
    expect([found.total, found.data.length]).toEqual([12, 10]);
    expect((await preview({ includeCritical: true })).total).toBe(13);
    const nowhen = await world.ok('POST', 'timeset', {
      tenantId: world.tenantId,
      name: 'Long ago',
      zone: 'UTC',
      ranges: [{ years: [2001] }],
    });
    expect((await preview({ timeSetId: nowhen.id })).total).toBe(0);
    const answer = await world.call('POST', 'silence/preview', {
      tenantId: world.tenantId,
      query: 'servity:x',
    });
    expectProblem(answer, 400, '/query');
  });
});

describe('the decision for an alert', () => {
  it('holds what a search with the query of the silence finds, and nothing else', async () => {
    const random = createRandom('silences');
    const tenant = await world.ok('POST', 'tenant', { name: `Random ${count}` });
    const place = { tenantId: tenant.id, projectId: 1, contractId: 3 };
    const silences: Json[] = [];
    for (let n = 0; n < sized(60, 400); n++) {
      const simple = random.pick([
        'detectorId:3',
        'contractId:3',
        'tags:USDC',
        'severity:HIGH',
        'kind:trigger',
      ]);
      const query = random.pick([randomQuery(random), simple, `${simple} AND (${randomQuery(random)})`]);
      const includeCritical = random.chance(0.5);
      const body = { tenantId: tenant.id, query, includeCritical, to: Date.now() + dayMs, reason: 'Test' };
      const answer = await world.call('POST', 'silence', body);
      if (answer.status === 201) silences.push(answer.body);
    }
    expect(silences.length).toBeGreaterThan(20);
    const since = Date.now() - dayMs;
    const findings = Array.from({ length: sized(80, 400) }, (_, n) =>
      randomFinding(random, place, n, since, Date.now()),
    );
    const raised = (await raise(...findings)).filter(
      ({ finding: { suppressed, backfilled, tags } }) =>
        !suppressed && !backfilled && !tags.includes('shadow'),
    );
    const severityOf = new Map(raised.map(({ uid, finding: { severity } }) => [uid, severity]));
    const rows = await world.store.query<{ uid: string; ids: number[] }>(
      sql`select alert_uid::text as uid, decision -> 'silenceIds' as ids from alert_decision
        where tenant_id = ${tenant.id}`,
    );
    const heldBy = new Map(rows.map(({ uid, ids }) => [uid, ids]));
    let held = 0;
    for (const { id, query, includeCritical } of silences) {
      // Search hides retracted alerts unless asked, and none is.
      const found = await world.ok('POST', 'alert/search', {
        query: `+(${query}) +tenantId:${tenant.id}`,
        size: 10_000,
      });
      const expected = found.data
        .map(({ uid }: Json) => uid)
        .filter(
          (uid: string) => severityOf.has(uid) && (includeCritical || severityOf.get(uid) !== 'CRITICAL'),
        );
      const actual = [...heldBy].filter(([, ids]) => ids.includes(id)).map(([uid]) => uid);
      expect(actual.sort(), query).toEqual(expected.sort());
      held += actual.length;
    }
    expect(held).toBeGreaterThan(0);
  });

  it('asks the database as often with a thousand silences as with one', async () => {
    const tenant = await world.ok('POST', 'tenant', { name: `Many ${count}` });
    const add = (from: number, to: number) =>
      world.store.query(
        sql`insert into silence (tenant_id, created_at, updated_at, query, starts_at, ends_at, include_critical,
            reason, author, cost)
          select ${tenant.id}, 1, 1, 'detectorId:' || n || ' AND contractId:' || n, 1, ${Date.now() + dayMs}, false, 'r',
            'a', 4
          from generate_series(${from}::integer, ${to}::integer) n`,
      );
    const own = { tenantId: tenant.id, detectorId: 1_000_000 };
    const ask = () => statementsOf(/./, async () => void (await raiseOne(own)));
    await add(1, 1);
    await ask();
    const one = (await ask()).length;
    await add(2, 1000);
    await ask();
    expect((await ask()).length).toBe(one);
    expect(await sentFor(await raiseOne({ tenantId: tenant.id, detectorId: 700, contractId: 700 }))).toEqual(
      [],
    );
  });
});
