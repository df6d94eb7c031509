import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { createNotifyOnAlerts, createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { repeatDue } from '../../src/notify/routes/repeatDue.ts';
import { createRules } from '../../src/notify/rules/createRules.ts';
import { acknowledgeAlerts } from '../../src/store/alerts/acknowledge.ts';
import { hasKey, resolveAlerts } from '../../src/store/alerts/alertRecords.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { historiesSized, sized } from '../../testing/proveSize.ts';
import { dyingStore } from './support/dyingStore.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';
import { type ModelAlert, type ModelRoute, RouteModel } from './support/routeModel.ts';

let world: NotifyWorld;
let destinations: number[];
let now = Date.now();
const clock = () => now;
beforeAll(async () => {
  world = await startNotifyWorld();
  destinations = [];
  for (const path of ['/a', '/b', '/c']) destinations.push((await world.addDestination(path)).id);
});
afterAll(() => world?.stop());

const tags = ['alpha', 'beta', 'gamma'];
const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
const daysMs = 86_400_000;
let count = 0;

async function reset(): Promise<void> {
  await world.store.query(
    sql`truncate delivery, delivery_queue, delivery_message, delivery_attempt, held_delivery, route_group,
      route_group_alert, alert_decision, inhibition_source, incident_key`,
  );
  await world.store.query(sql`delete from route where parent_id is not null and status = 'DELETED'`);
  for (const table of ['silence', 'inhibition', 'route'] as const)
    await world.store.query(
      table === 'silence'
        ? sql`update silence set status = 'DELETED' where status <> 'DELETED'`
        : table === 'inhibition'
          ? sql`update inhibition set status = 'DELETED' where status <> 'DELETED'`
          : sql`update route set status = 'DELETED' where status <> 'DELETED'`,
    );
  await world.store.query(sql`update destination set status = 'ACTIVE'`);
}

const timeText = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

async function addTimeSet(range: [number, number] | null): Promise<number | null> {
  if (!range) return null;
  const ranges = JSON.stringify([{ from: timeText(range[0]), to: timeText(range[1]) }]);
  const [row] = await world.store.query<{ id: number }>(
    sql`insert into time_set (tenant_id, created_at, updated_at, name, zone, ranges)
      values (${world.tenantId}, 1, 1, ${`Set ${++count}`}, 'UTC', ${ranges}::jsonb) returning id`,
  );
  return row!.id;
}

async function addRoute(route: Omit<ModelRoute, 'id'>): Promise<ModelRoute> {
  const [active, mute] = [await addTimeSet(route.active), await addTimeSet(route.mute)];
  const [row] = await world.store.query<{ id: number }>(
    sql`insert into route (tenant_id, created_at, updated_at, status, parent_id, position, name, query, goes_on,
        group_by, wait_seconds, interval_seconds, repeat_seconds, active_time_set_id, mute_time_set_id, min_severity,
        destination_ids, cost)
      values (${world.tenantId}, 1, 1, ${route.isOn ? 'ACTIVE' : 'DISABLED'}, ${route.parentId}, ${route.order}, 'r',
        ${route.tag && `tags:${route.tag}`}, ${route.goesOn}, ${route.groupBy}, ${route.wait}, ${route.interval},
        ${route.repeat}, ${active}, ${mute}, ${route.floor}, ${route.destinationIds}, 1) returning id`,
  );
  return { ...route, id: row!.id };
}

function randomRange(random: Random): [number, number] | null {
  if (random.chance(0.8)) return null;
  const from = random.below(1440);
  return [from, (from + random.integer(1, 1200)) % 1440 || 1];
}

function randomRoute(random: Random, parentId: number | null, order: number): Omit<ModelRoute, 'id'> {
  const isRoot = parentId === null;
  return {
    parentId,
    order,
    isOn: isRoot || random.chance(0.9),
    tag: isRoot || random.chance(0.2) ? null : random.pick(tags),
    goesOn: !isRoot && random.chance(0.3),
    groupBy: random.pick(['INCIDENT', 'CONTRACT', 'KIND', 'NONE'] as const),
    wait: random.pick([0, 0, 30, 600]),
    interval: random.pick([null, 0, 120, 3600]),
    repeat: random.chance(0.7) ? random.pick([30, 300, 3600, 100_000]) : null,
    floor: random.chance(0.2) ? random.pick(severities) : null,
    active: isRoot ? null : randomRange(random),
    mute: randomRange(random),
    destinationIds: destinations.filter(() => random.chance(isRoot ? 0.8 : 0.4)),
  };
}

async function setUp(random: Random, model: RouteModel): Promise<void> {
  const root = await addRoute(randomRoute(random, null, 0));
  model.routes.push(root);
  const orders = random.chance(0.5);
  for (let n = random.below(7); n > 0; n--) {
    const parent = random.pick(model.routes);
    model.routes.push(await addRoute(randomRoute(random, parent.id, orders ? random.below(3) : 5)));
  }
  if (random.chance(0.4)) {
    const silence = {
      tag: random.pick(tags),
      from: now + random.integer(-2, 1) * 3_600_000,
      to: now + random.integer(2, 6) * 3_600_000,
      includeCritical: random.chance(0.5),
    };
    const [row] = await world.store.query<{ id: number }>(
      sql`insert into silence (tenant_id, created_at, updated_at, query, starts_at, ends_at, include_critical, reason,
          author, cost)
        values (${world.tenantId}, 1, 1, ${`tags:${silence.tag}`}, ${silence.from}, ${silence.to},
          ${silence.includeCritical}, 'r', 'a', 1) returning id`,
    );
    model.silences.push({ ...silence, id: row!.id });
  }
  if (random.chance(0.4)) {
    const [sourceTag, targetTag] = [random.pick(tags), random.pick(tags)];
    const [row] = await world.store.query<{ id: number }>(
      sql`insert into inhibition (tenant_id, created_at, updated_at, name, source_query, target_query, include_critical,
          cost)
        values (${world.tenantId}, 1, 1, 'i', ${`tags:${sourceTag}`}, ${`tags:${targetTag}`}, false, 1) returning id`,
    );
    model.inhibitions.push({ id: row!.id, sourceTag, targetTag });
  }
  model.reachable = new Set(destinations);
}

async function raise(random: Random, model: RouteModel): Promise<void> {
  const findings: Finding[] = Array.from({ length: random.integer(1, 3) }, () => {
    const n = ++count;
    const kind = random.pick(['drain', 'pause_state']);
    return {
      tenantId: world.tenantId,
      projectId: 1,
      contractId: random.pick([1, 2]),
      kind: 'detector',
      group: 'SECURITY',
      severity: random.pick(severities),
      timestamp: now - random.below(60_000),
      key: `history ${n}`,
      eid: `e${n}`,
      name: 'Found',
      message: 'Found.',
      meta: {},
      tags: tags.filter(() => random.chance(0.4)),
      chainUid: 'ethereum',
      blockNumber: n,
      blockHash: `0x${n.toString(16).padStart(64, '0')}`,
      detectorId: 5,
      detectorSchemaName: kind,
      ...(random.chance(0.5) ? { cause: random.pick(['x', 'y']) } : {}),
      ...(random.chance(0.1) ? { isEnd: true as const } : {}),
    };
  });
  await prepareRaise(world.store, findings);
  const hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: clock });
  const raised = await world.store.transaction((tx) => raiseAlerts(tx, findings, [hook]));
  model.raise(
    raised.map(({ uid, incident, finding }): ModelAlert => {
      const { severity, contractId, timestamp, detectorSchemaName = '', isEnd = false } = finding;
      return {
        uid,
        severity,
        tags: finding.tags,
        contractId,
        timestamp,
        kind: `detector ${detectorSchemaName}`,
        incidentUid: incident?.uid,
        isEnd,
      };
    }),
    now,
  );
}

type Step = { name: string; run: () => Promise<void> };

function stepsOf(
  random: Random,
  model: RouteModel,
  workers: readonly ReturnType<typeof createRules>[],
): Step[] {
  const { store } = world;
  const links = world.services.alertLinks;
  const some = () => (model.alerts.length > 0 ? random.pick(model.alerts) : undefined);
  const keyOf = ({ uid, timestamp }: ModelAlert) => hasKey({ tenantId: world.tenantId, uid, timestamp });
  const pass = (with_: readonly (typeof workers)[number][], on = store) =>
    Promise.all(with_.map((findRules) => repeatDue({ store: on, findRules, links, now: clock })));
  const onSome = (name: string, run: (alert: ModelAlert) => Promise<void>): Step => ({
    name,
    run: async () => {
      const alert = some();
      if (alert) await run(alert);
    },
  });
  const change = async (route: ModelRoute, changed: Partial<ModelRoute>) => {
    Object.assign(route, changed);
    await store.query(
      sql`update route set status = ${route.isOn ? 'ACTIVE' : 'DISABLED'}, repeat_seconds = ${route.repeat}
        where id = ${route.id}`,
    );
  };
  return [
    { name: 'raise', run: () => raise(random, model) },
    { name: 'raise', run: () => raise(random, model) },
    {
      name: 'look',
      run: async () => {
        await pass(workers.slice(0, 1));
        model.pass(now);
      },
    },
    {
      name: 'two look at once',
      run: async () => {
        await pass(workers);
        model.pass(now);
      },
    },
    {
      name: 'one dies',
      run: async () => {
        await pass(workers.slice(0, 1), dyingStore(store)).catch(() => undefined);
        await pass(workers.slice(1));
        model.pass(now);
      },
    },
    {
      name: 'time',
      run: async () => {
        now += random.pick([1000, 30_000, 300_000, 3_600_000, 7 * 3_600_000]);
      },
    },
    {
      name: 'clock jumps',
      run: async () => {
        now += random.pick([-2 * 3_600_000, 30 * 3_600_000, -60_000]);
      },
    },
    onSome('acknowledge', async (alert) => {
      const until = random.chance(0.5) ? now + random.integer(1, 7_200_000) : null;
      await store.transaction((tx) =>
        acknowledgeAlerts(tx, keyOf(alert), { at: now, by: 'alice', byId: null, until }, now),
      );
      model.acknowledge(alert.uid, until);
    }),
    onSome('take back', async (alert) => {
      await store.transaction((tx) => acknowledgeAlerts(tx, keyOf(alert), undefined, now));
      model.takeBack(alert.uid, now);
    }),
    onSome('resolve', async (alert) => {
      await store.transaction((tx) => resolveAlerts(tx, keyOf(alert), true, now));
      model.resolve(alert.uid);
    }),
    onSome('retract', async ({ uid }) => {
      const [block] = await store.query<{ number: number }>(
        sql`select block_number as number from alert where uid = ${uid}::uuid`,
      );
      const { number } = block!;
      const blocks = [{ number, hash: `0x${number.toString(16).padStart(64, '0')}` }];
      await store.transaction((tx) =>
        retractBlocks(tx, { chainUid: 'ethereum', blocks, now }, [createNotifyOnRetractions({ now: clock })]),
      );
      model.retract(uid);
    }),
    {
      name: 'send',
      run: async () => {
        await store.query(
          sql`update delivery set state = 'DELIVERED' where state = 'PENDING' and next_attempt_at <= ${now}`,
        );
        await store.query(
          sql`delete from delivery_queue q using delivery d where d.tenant_id = q.tenant_id and d.id = q.id
            and d.state = 'DELIVERED'`,
        );
        model.send(now);
      },
    },
    {
      name: 'a destination goes',
      run: async () => {
        const id = random.pick(destinations);
        const isThere = model.reachable.has(id);
        if (isThere) model.reachable.delete(id);
        else model.reachable.add(id);
        await store.query(
          sql`update destination set status = ${isThere ? 'DISABLED' : 'ACTIVE'} where id = ${id}`,
        );
      },
    },
    {
      name: 'a route changes',
      run: async () => {
        const route = random.pick(model.routes);
        await change(
          route,
          random.chance(0.5) ? { isOn: !route.isOn } : { repeat: random.pick([null, 60, 600]) },
        );
      },
    },
  ];
}

async function stored(): Promise<string[]> {
  const rows = await world.store.query<{ line: string }>(
    sql`select concat_ws(' ', d.alert_uid, d.destination_id, d.next_attempt_at, d.state,
        case when d.type = 'alert.repeated' then 'repeated ' || (m.data -> 'repeat' ->> 'number') else 'raised 0' end) as line
      from delivery d join delivery_message m on m.tenant_id = d.tenant_id and m.id = d.message_id
      where d.type in ('alert.detector.raised', 'alert.repeated')`,
  );
  return rows.map(({ line }) => line).sort();
}

function expected(model: RouteModel): string[] {
  return model.deliveries
    .map(
      ({ uid, destinationId, dueAt, state, type, number }) =>
        `${uid} ${destinationId} ${dueAt} ${state} ${type} ${number}`,
    )
    .sort();
}

it('routes, holds and repeats as a slow model does, through crashes, clock jumps and answers at every moment', {
  timeout: sized(240_000, 8 * 3_600_000),
}, async () => {
  const random = createRandom('route histories');
  const start = Date.now();
  let repeats = 0;
  let held = 0;
  // Histories in which nothing happens would prove nothing.
  const least = historiesSized(15, 20_000);
  for (
    let history = 0;
    history < least || (Math.min(repeats, held) === 0 && history < 10 * least);
    history++
  ) {
    now = start;
    await reset();
    const model = new RouteModel();
    await setUp(random, model);
    const workers = [createRules(), createRules()];
    const steps = stepsOf(random, model, workers);
    const happened: string[] = [];
    for (let n = random.integer(8, 25); n > 0; n--) {
      const step = random.pick(steps);
      happened.push(`${step.name} at ${now - start}`);
      await step.run();
      // Alerts older than a year would need another partition.
      if (Math.abs(now - start) > 20 * daysMs) now = start;
      const lines = await stored();
      if (lines.join('\n') !== expected(model).join('\n'))
        expect(lines, `${happened.join('\n')}\n${JSON.stringify(model.routes, null, 1)}`).toEqual(
          expected(model),
        );
    }
    const decided = await world.store.query<{ uid: string; code: string | null; routes: number[] | null }>(
      sql`select alert_uid::text as uid, decision ->> 'code' as code,
          (select json_agg((r ->> 'id')::bigint order by n) from jsonb_array_elements(decision -> 'routes')
            with ordinality e(r, n)) as routes
        from alert_decision`,
    );
    for (const { uid, code, routes } of decided)
      expect({ code, routes: routes ?? [] }, happened.join('\n')).toEqual(model.decisions.get(uid));
    repeats += model.deliveries.filter(({ type }) => type === 'repeated').length;
    held += [...model.decisions.values()].filter(({ code }) => code !== null).length;
  }
  expect(Math.min(repeats, held)).toBeGreaterThan(0);
});
