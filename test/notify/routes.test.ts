import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import { repeatDue } from '../../src/notify/routes/repeatDue.ts';
import { createRules } from '../../src/notify/rules/createRules.ts';
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
let desk: number;
let pager: number;
let audit: number;
const dayMs = 86_400_000;
beforeAll(async () => {
  world = await startNotifyWorld();
  desk = (await world.addDestination('/desk', { name: 'Desk', tags: ['DEFAULT'] })).id;
  pager = (await world.addDestination('/pager', { name: 'Pager' })).id;
  audit = (await world.addDestination('/audit', { name: 'Audit' })).id;
  hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: clock });
});
afterAll(() => world?.stop());
beforeEach(async () => {
  aheadMs = 0;
  await world.store.query(sql`truncate delivery, delivery_queue, route_group, route_group_alert`);
  await world.store.query(sql`update route set status = 'DELETED'`);
  await world.store.query(sql`update inhibition set status = 'DELETED'`);
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
  key: `routed ${++count}`,
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

/** Destinations and types of what was sent for an alert, in order. */
async function sentFor(uid: string): Promise<[number, string][]> {
  const rows = await world.store.query<{ id: number; type: string }>(
    sql`select destination_id as id, type from delivery where alert_uid = ${uid}::uuid and state <> 'CANCELED'
      order by id, destination_id`,
  );
  return rows.map(({ id, type }) => [id, type]);
}
const notifiedFor = async (uid: string) => (await sentFor(uid)).map(([id]) => id).sort((a, b) => a - b);
const repeatsOf = async (uid: string) =>
  (await sentFor(uid)).filter(([, type]) => type === 'alert.repeated').length;
const look = () =>
  repeatDue({ store: world.store, findRules: createRules(), links: world.services.alertLinks, now: clock });

const route = (members: Json): Promise<Json> =>
  world.ok('POST', 'route', { tenantId: world.tenantId, name: `Route ${++count}`, ...members });
const root = (members: Json = {}) => route({ status: 'ACTIVE', destinationIds: [desk], ...members });
const outcomeOf = (uid: string): Promise<Json> => world.ok('GET', `alert/${uid}/outcome`);

describe('routes', () => {
  it('decide nothing as a draft, and alone once the root is switched on', async () => {
    const { id, status } = await route({ destinationIds: [pager] });
    expect(status).toBe('DISABLED');
    expect(await notifiedFor(await raiseOne())).toEqual([desk]);
    await world.ok('PUT', `route/${id}`, { status: 'ACTIVE' });
    const uid = await raiseOne();
    expect(await notifiedFor(uid)).toEqual([pager]);
    expect((await outcomeOf(uid)).decision).toMatchObject({
      routes: [{ id, held: null, destinationIds: [pager] }],
    });
    await world.ok('PUT', `route/${id}`, { status: 'DISABLED' });
    expect(await notifiedFor(await raiseOne())).toEqual([desk]);
  });

  it('give an alert to the first that finds it, to one below that, and to the next ones with continue', async () => {
    const { id } = await root();
    const treasury = await route({ parentId: id, query: 'tags:treasury', destinationIds: [pager] });
    await route({ parentId: treasury.id, query: 'severity:CRITICAL', destinationIds: [audit] });
    await route({ parentId: id, query: 'tags:treasury', destinationIds: [desk] });
    const notifiedOf = (members: Partial<Finding>) => raiseOne(members).then(notifiedFor);
    expect(await notifiedOf({})).toEqual([desk]);
    expect(await notifiedOf({ tags: ['treasury'] })).toEqual([pager]);
    expect(await notifiedOf({ tags: ['treasury'], severity: 'CRITICAL' })).toEqual([audit]);
    await world.ok('PUT', `route/${treasury.id}`, { continue: true });
    expect(await notifiedOf({ tags: ['treasury'] })).toEqual([desk, pager].sort((a, b) => a - b));
  });

  it('leave an alert to the route above where none of their destinations can be reached', async () => {
    const { id } = await root();
    await route({ parentId: id, query: 'tags:a', destinationIds: [pager] });
    await world.store.query(sql`update destination set status = 'DISABLED' where id = ${pager}`);
    expect(await notifiedFor(await raiseOne({ tags: ['a'] }))).toEqual([desk]);
    await world.store.query(sql`update destination set status = 'ACTIVE' where id = ${pager}`);
    expectProblem(await world.call('DELETE', `destination/${pager}`), 409);
  });

  it('hold what is below their floor and, while muted, all but CRITICAL alerts, and say so', async () => {
    const always = await world.ok('POST', 'timeset', {
      tenantId: world.tenantId,
      name: `Always ${++count}`,
      zone: 'UTC',
      ranges: [{}],
    });
    const { id } = await root();
    await route({ parentId: id, query: 'tags:floor', minSeverity: 'HIGH' });
    await route({ parentId: id, query: 'tags:mute', muteTimeSetId: always.id });
    const outcome = async (members: Partial<Finding>) =>
      (await outcomeOf(await raiseOne(members))).silence?.code;
    expect(await outcome({ tags: ['floor'] })).toBe('below-floor');
    expect(await outcome({ tags: ['floor'], severity: 'HIGH' })).toBeUndefined();
    expect(await outcome({ tags: ['mute'], severity: 'HIGH' })).toBe('muted');
    expect(await outcome({ tags: ['mute'], severity: 'CRITICAL' })).toBeUndefined();
    expectProblem(await world.call('DELETE', `timeset/${always.id}`), 409);
  });

  it('go on to the next outside of their active times', async () => {
    const never = await world.ok('POST', 'timeset', {
      tenantId: world.tenantId,
      name: `Long ago ${++count}`,
      zone: 'UTC',
      ranges: [{ years: [2001] }],
    });
    const { id } = await root();
    await route({ parentId: id, activeTimeSetId: never.id, destinationIds: [pager] });
    expect(await notifiedFor(await raiseOne())).toEqual([desk]);
  });

  it('let the first alert of a group wait, send further ones after the interval, and worse ones at once', async () => {
    await root({ groupBy: 'CONTRACT', waitSeconds: 60, intervalSeconds: 600 });
    const start = Math.floor(Date.now() / 1000) * 1000 + 1000;
    const dueOf = async (uid: string) => {
      const [row] = await world.store.query<{ at: number }>(
        sql`select next_attempt_at as at from delivery where alert_uid = ${uid}::uuid`,
      );
      return Math.round((row!.at - start) / 1000);
    };
    const at = async (seconds: number, members: Partial<Finding> = {}) => {
      aheadMs = start + seconds * 1000 - Date.now();
      return dueOf(await raiseOne(members));
    };
    const near = (seconds: number) => [seconds - 1, seconds, seconds + 1, seconds + 2];
    expect(near(60)).toContain(await at(0));
    expect(near(60)).toContain(await at(30));
    expect(near(660)).toContain(await at(100));
    expect(near(660)).toContain(await at(200, { severity: 'CRITICAL' }));
    expect(near(1260)).toContain(await at(700));
    expect(near(60 + 700)).toContain(await at(700, { contractId: 987_654 }));
  });

  it.each([
    ['a query on the root', { query: 'a' }, undefined, '/query', 'root takes all'],
    ['active times on the root', { activeTimeSetId: 'set' }, undefined, '/activeTimeSetId', 'at all times'],
    ['a parent that is missing', { parentId: 987_654_321 }, 422, '/parentId', 'no route'],
    [
      'a destination that is missing',
      { parentId: 'root', destinationIds: [987_654_321] },
      422,
      '/destinationIds/0',
      'no destination',
    ],
    ['a query that does not parse', { parentId: 'root', query: 'severity:(' }, 400, '/query', ''],
    [
      'a member that alerts do not have',
      { parentId: 'root', query: 'serverity:HIGH' },
      400,
      '/query',
      'severity?',
    ],
    ['a second root', {}, 409, '/parentId', ''],
    ['a repeat of a second', { parentId: 'root', repeatSeconds: 1 }, 400, '/repeatSeconds', '30'],
  ])('refuse %s with the reason', async (name, members: Json, status, pointer, words) => {
    const first = name.includes('on the root') ? undefined : await root();
    const set = async () =>
      (
        await world.ok('POST', 'timeset', {
          tenantId: world.tenantId,
          name: `Nights ${++count}`,
          zone: 'UTC',
          ranges: [{}],
        })
      ).id;
    const body: Json = { tenantId: world.tenantId, name: 'Refused', ...members };
    if (body.parentId === 'root') body.parentId = first!.id;
    if (body.activeTimeSetId) body.activeTimeSetId = await set();
    const answer = expectProblem(await world.call('POST', 'route', body), status ?? 400);
    expect(answer.errors[0].pointer).toBe(pointer);
    expect(answer.errors[0].message).toContain(words);
  });

  it('refuse circles, a foreign tree and too deep a tree, and change nothing', async () => {
    const { id } = await root();
    let deepest = id;
    const chain = [id];
    for (let depth = 2; depth <= 10; depth++) {
      deepest = (await route({ parentId: deepest })).id;
      chain.push(deepest);
    }
    const tooDeep = await world.call('POST', 'route', {
      tenantId: world.tenantId,
      name: 'Deep',
      parentId: deepest,
    });
    expect(expectProblem(tooDeep, 400).errors[0]).toMatchObject({ pointer: '/parentId', code: 'too-deep' });
    const circle = await world.call('PUT', `route/${chain[1]}`, { parentId: deepest });
    expect(expectProblem(circle, 400).errors[0]).toMatchObject({ pointer: '/parentId', code: 'cycle' });
    const uprooted = await world.call('PUT', `route/${id}`, { parentId: deepest });
    expect(expectProblem(uprooted, 400).errors[0]).toMatchObject({ pointer: '/parentId', code: 'root' });
    expectProblem(await world.call('DELETE', `route/${chain[3]}`), 409);
    const other = await world.ok('POST', 'tenant', { name: `Other ${++count}` });
    const foreign = { tenantId: other.id, name: 'Foreign', parentId: id };
    const missing = { ...foreign, parentId: 987_654_321 };
    const answers = await Promise.all([foreign, missing].map((body) => world.call('POST', 'route', body)));
    expect(answers.map((answer) => expectProblem(answer, 422).errors)).toEqual([
      answers[1]!.body.errors,
      answers[1]!.body.errors,
    ]);
    expect((await world.ok('GET', `route/${chain[1]}`)).parentId).toBe(id);
  });

  it('are tried without a trace, as drafts too, with an alert of the store, a described one and a query', async () => {
    const draft = await route({ destinationIds: [pager] });
    const treasury = await route({
      parentId: draft.id,
      name: 'Treasury',
      query: 'tags:tried',
      repeatSeconds: 600,
      destinationIds: [audit],
    });
    const uid = await raiseOne({ tags: ['tried'] });
    const before = await world.store.query(sql`select count(*) from delivery`);
    const taken = {
      code: null,
      routes: [{ id: treasury.id, destinations: [{ id: audit, name: 'Audit' }], repeatSeconds: 600 }],
      steps: [
        { routeId: draft.id, step: 'passed-down' },
        { routeId: treasury.id, step: 'taken' },
      ],
    };
    const tryIt = (body: Json) => world.ok('POST', 'route/try', { tenantId: world.tenantId, ...body });
    expect(await tryIt({ alertUid: uid })).toMatchObject({ isOn: false, hasRoutes: true, data: [taken] });
    expect((await tryIt({ alert: { tags: ['tried'] } })).data).toMatchObject([taken]);
    expect((await tryIt({ query: `uid:"${uid}"` })).data).toMatchObject([taken]);
    expect((await tryIt({ alert: { severity: 'LOW' } })).data).toMatchObject([
      { routes: [{ id: draft.id }] },
    ]);
    expect(await world.store.query(sql`select count(*) from delivery`)).toEqual(before);
    expectProblem(await world.call('POST', 'route/try', { alertUid: uid, query: '*' }), 400);
    expectProblem(
      await world.call('POST', 'route/try', { tenantId: world.tenantId, alert: { severity: 'BAD' } }),
      400,
      '/alert/severity',
    );
    const token = await world.token(
      (await world.ok('POST', 'tenant', { name: `Else ${++count}` })).id,
      'tenant-viewer',
    );
    expectProblem(await world.call('POST', 'route/try', { alertUid: uid }, { token }), 404);
  });

  it('take what a search with their query finds, and ask the database as often with a thousand as with one', async () => {
    const random = createRandom('routes');
    const tenant = await world.ok('POST', 'tenant', { name: `Random ${++count}` });
    const top = await world.ok('POST', 'route', { tenantId: tenant.id, name: 'Root', status: 'ACTIVE' });
    const place = { tenantId: tenant.id, projectId: 1, contractId: 3 };
    const queries: Json[] = [];
    for (let n = 0; n < sized(30, 200); n++) {
      const query = random.pick([
        randomQuery(random),
        'tags:USDC',
        `severity:HIGH AND (${randomQuery(random)})`,
      ]);
      const body = { tenantId: tenant.id, name: `R ${n}`, parentId: top.id, continue: true, query };
      const answer = await world.call('POST', 'route', body);
      if (answer.status === 201) queries.push(answer.body);
    }
    const since = Date.now() - dayMs;
    const findings = Array.from({ length: sized(60, 300) }, (_, n) =>
      randomFinding(random, place, n, since, Date.now()),
    );
    const raised = (await raise(...findings)).filter(
      ({ finding: { suppressed, backfilled, tags } }) =>
        !suppressed && !backfilled && !tags.includes('shadow'),
    );
    const uids = new Set(raised.map(({ uid }) => uid));
    const rows = await world.store.query<{ uid: string; ids: number[] }>(
      sql`select alert_uid::text as uid,
          (select json_agg((r ->> 'id')::bigint) from jsonb_array_elements(decision -> 'routes') r) as ids
        from alert_decision where tenant_id = ${tenant.id}`,
    );
    let taken = 0;
    for (const { id, query } of queries) {
      const found = await world.ok('POST', 'alert/search', {
        query: `+(${query}) +tenantId:${tenant.id}`,
        size: 10_000,
      });
      const expected = found.data.map(({ uid }: Json) => uid).filter((uid: string) => uids.has(uid));
      const actual = rows.filter(({ ids }) => ids.includes(id)).map(({ uid }) => uid);
      expect(actual.sort(), query).toEqual(expected.sort());
      taken += actual.length;
    }
    expect(taken).toBeGreaterThan(0);
    const ask = () => statementsOf(/./, async () => void (await raiseOne({ tenantId: tenant.id })));
    await ask();
    const few = (await ask()).length;
    await world.store.query(
      sql`insert into route (tenant_id, created_at, updated_at, status, parent_id, position, name, query, goes_on,
          group_by, wait_seconds, destination_ids, cost)
        select ${tenant.id}, 1, 1, 'ACTIVE', ${top.id}, 5, 'r', 'detectorId:' || n, false, 'INCIDENT', 0, '{}', 4
        from generate_series(1, 1000) n`,
    );
    await ask();
    expect((await ask()).length).toBe(few);
  });
});

describe('repeats', () => {
  it('come until someone acknowledges, and never after', async () => {
    await root({ repeatSeconds: 60 });
    const uid = await raiseOne();
    expect(await look()).toBe(0);
    for (let n = 1; n <= 3; n++) {
      aheadMs = n * 61_000;
      await look();
      await look();
      expect(await repeatsOf(uid)).toBe(n);
    }
    const [said] = await world.store.query<{ data: Json }>(
      sql`select m.data from delivery d join delivery_message m on m.tenant_id = d.tenant_id and m.id = d.message_id
        where d.alert_uid = ${uid}::uuid and d.type = 'alert.repeated' order by d.id desc limit 1`,
    );
    expect(said!.data).toMatchObject({ uid, repeat: { number: 3, open: 1 } });
    // What waits to be sent is cancelled in the transaction of the acknowledgement.
    await world.ok('POST', `alert/${uid}/acknowledge`, {});
    expect(await repeatsOf(uid)).toBe(0);
    aheadMs = 2 * 3_600_000;
    await look();
    expect(await repeatsOf(uid)).toBe(0);
    await world.ok('DELETE', `alert/${uid}/acknowledge`);
    await look();
    expect(await repeatsOf(uid)).toBe(1);
  });

  it('stop when the alert is resolved, rest while it is snoozed, and go on after that', async () => {
    await root({ repeatSeconds: 60 });
    const [resolved, snoozed] = [await raiseOne(), await raiseOne({ contractId: 5 })];
    await world.ok('PUT', `alert/${resolved}`, { status: 'RESOLVED' });
    await world.ok('POST', `alert/${snoozed}/acknowledge`, { until: Date.now() + 600_000 });
    aheadMs = 300_000;
    await look();
    expect([await repeatsOf(resolved), await repeatsOf(snoozed)]).toEqual([0, 0]);
    aheadMs = 601_000;
    await look();
    expect([await repeatsOf(resolved), await repeatsOf(snoozed)]).toEqual([0, 1]);
  });

  it('are one for an incident, about its worst open alert, and stop when the incident is acknowledged', async () => {
    await root({ repeatSeconds: 60 });
    const shared = { cause: `same ${++count}`, detectorId: 5 };
    const [first] = await raise(finding(shared));
    const [second] = await raise(finding({ ...shared, severity: 'HIGH' }));
    expect(second!.incident).toMatchObject({ uid: first!.uid, number: 2 });
    aheadMs = 61_000;
    await look();
    expect([await repeatsOf(first!.uid), await repeatsOf(second!.uid)]).toEqual([0, 1]);
    await world.ok('POST', `incident/${first!.uid}/acknowledge`, {});
    aheadMs = 3_600_000;
    await look();
    expect([await repeatsOf(first!.uid), await repeatsOf(second!.uid)]).toEqual([0, 0]);
  });

  it('are handed over to the route that would take the alert by then', async () => {
    const { id } = await root({ repeatSeconds: 60 });
    const uid = await raiseOne({ tags: ['handed'] });
    await route({ parentId: id, query: 'tags:handed', repeatSeconds: 60, destinationIds: [pager] });
    aheadMs = 61_000;
    await look();
    await look();
    expect((await sentFor(uid)).at(-1)).toEqual([pager, 'alert.repeated']);
    aheadMs = 122_000;
    await look();
    expect((await sentFor(uid)).filter(([to, type]) => to === desk && type === 'alert.repeated')).toEqual([]);
  });

  it('are sent once by two processes that look at the same time', async () => {
    await root({ repeatSeconds: 60 });
    const uids = (await raise(...Array.from({ length: 20 }, (_, n) => finding({ contractId: 100 + n })))).map(
      ({ uid }) => uid,
    );
    aheadMs = 61_000;
    await Promise.all([look(), look(), look()]);
    await look();
    for (const uid of uids) expect(await repeatsOf(uid)).toBe(1);
  });

  it('do not wait for those of another tenant', async () => {
    const other = await world.ok('POST', 'tenant', { name: `Loud ${++count}` });
    await world.store.query(
      sql`insert into route_group (tenant_id, route_id, key, began_at, sent_at, numeric_severity, repeat_at, planned_at)
        select ${other.id}, 1, 'alert ' || n, 1, 1, 10, 2, 1 from generate_series(1, 3000) n`,
    );
    await root({ repeatSeconds: 60 });
    const uid = await raiseOne();
    aheadMs = 61_000;
    const turns: number[] = [];
    const store = {
      ...world.store,
      transaction: async <T>(work: Parameters<typeof world.store.transaction<T>>[0]) => {
        const result = await world.store.transaction(work);
        turns.push(await repeatsOf(uid));
        return result;
      },
    };
    await repeatDue({ store, findRules: createRules(), links: world.services.alertLinks, now: clock });
    // Each tenant has its turn before any has a second one.
    expect(turns.indexOf(1)).toBeLessThanOrEqual(1);
    expect(turns.length).toBeGreaterThan(20);
  });
});

describe('an inhibition', () => {
  const inhibit = (members: Json = {}): Promise<Json> =>
    world.ok('POST', 'inhibition', {
      tenantId: world.tenantId,
      name: 'A drain explains the rest',
      sourceQuery: 'tags:cause',
      targetQuery: 'tags:effect',
      ...members,
    });

  it('holds alerts of the same contract while the incident is open, and names itself', async () => {
    const { id } = await inhibit();
    expect(await notifiedFor(await raiseOne({ tags: ['effect'] }))).toEqual([desk]);
    const [cause, effect] = await raise(finding({ tags: ['cause'] }), finding({ tags: ['effect'] }));
    expect([await notifiedFor(cause!.uid), await notifiedFor(effect!.uid)]).toEqual([[desk], []]);
    expect(await outcomeOf(effect!.uid)).toMatchObject({
      silence: { code: 'inhibited' },
      decision: { inhibitions: [{ id, name: 'A drain explains the rest' }] },
    });
    expect(await notifiedFor(await raiseOne({ tags: ['effect'], contractId: 77 }))).toEqual([desk]);
    expect(await notifiedFor(await raiseOne({ tags: ['effect', 'cause'] }))).toEqual([desk]);
    expect(await notifiedFor(await raiseOne({ tags: ['effect'], severity: 'CRITICAL' }))).toEqual([desk]);
    await world.store.query(sql`select 1`);
    const open = await world.ok('POST', 'incident/search', { size: 100 });
    for (const { uid, contractIds } of open.data)
      if (contractIds.includes(world.contractId))
        await world.ok('PUT', `incident/${uid}`, { status: 'RESOLVED' });
    expect(await notifiedFor(await raiseOne({ tags: ['effect'] }))).toEqual([desk]);
  });

  it('holds CRITICAL alerts where it says so, and refuses a query that finds nothing there is', async () => {
    await inhibit({ includeCritical: true });
    await raiseOne({ tags: ['cause'], contractId: 88 });
    expect(
      await notifiedFor(await raiseOne({ tags: ['effect'], severity: 'CRITICAL', contractId: 88 })),
    ).toEqual([]);
    expectProblem(
      await world.call('POST', 'inhibition', {
        tenantId: world.tenantId,
        name: 'Wrong',
        sourceQuery: 'tags:a',
        targetQuery: 'serverity:HIGH',
      }),
      400,
      '/targetQuery',
    );
  });
});
