import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import { type Finding, severityOf } from '../../src/model/alert.ts';
import { takeSteps } from '../../src/notify/escalations/takeSteps.ts';
import { createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { acknowledgeAlerts, acknowledgeIncidentRow } from '../../src/store/alerts/acknowledge.ts';
import { hasKey, resolveAlerts } from '../../src/store/alerts/alertRecords.ts';
import { startEscalations } from '../../src/store/onCall/escalations.ts';
import { failOver } from '../../src/store/onCall/steps.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { historiesSized, sized } from '../../testing/proveSize.ts';
import { ChainModel, type ModelChain, type ModelSchedule, type ModelStep } from './support/chainModel.ts';
import { dyingStore } from './support/dyingStore.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const hour = 3_600_000;
let world: NotifyWorld;
let destinations: number[];
let userIds: number[];
let now = Date.now();
let count = 0;
beforeAll(async () => {
  world = await startNotifyWorld();
  destinations = [];
  for (const path of ['/a', '/b', '/c']) destinations.push((await world.addDestination(path)).id);
  userIds = (
    await world.store.query<{ id: number }>(
      sql`insert into member (tenant_id, created_at, updated_at, name, email, roles)
        select ${world.tenantId}, 1, 1, 'User ' || n, 'user' || n || '@chain.example.com', '{tenant-user}'
        from generate_series(1, 4) n returning id`,
    )
  ).map(({ id }) => id);
});
afterAll(() => world?.stop());

async function setUp(random: Random, model: ChainModel): Promise<void> {
  const { tenantId, store } = world;
  await store.query(
    sql`truncate delivery, delivery_queue, delivery_message, escalation, escalation_step, incident_key, held_delivery`,
  );
  await store.query(sql`update destination set status = 'ACTIVE'`);
  await store.query(sql`update escalation_chain set status = 'DELETED'`);
  await store.query(sql`update duty_schedule set status = 'DELETED'`);
  model.reachable = new Set(destinations);
  model.root = destinations.filter(() => random.chance(0.5));
  await store.query(sql`update route set status = 'DELETED'`);
  if (random.chance(0.7))
    await store.query(
      sql`insert into route (tenant_id, created_at, updated_at, status, position, name, goes_on, group_by, wait_seconds,
          destination_ids, cost)
        values (${tenantId}, 1, 1, 'ACTIVE', 0, 'Root', false, 'INCIDENT', 0, ${model.root}::bigint[], 0)`,
    );
  else model.root = [];
  model.users = userIds.map((id) => ({
    id,
    isActive: random.chance(0.9),
    contact: destinations.filter(() => random.chance(0.5)),
  }));
  for (const { id, isActive, contact } of model.users) {
    await store.query(sql`update member set status = ${isActive ? 'ACTIVE' : 'DISABLED'} where id = ${id}`);
    await store.query(
      sql`insert into member_contact (tenant_id, member_id, destination_ids, updated_at)
        values (${tenantId}, ${id}, ${contact}::bigint[], 1)
        on conflict (tenant_id, member_id) do update set destination_ids = excluded.destination_ids`,
    );
  }
  for (let n = 0; n < 2; n++) model.schedules.push(await addSchedule(random));
  for (let n = random.integer(1, 3); n > 0; n--) {
    const step = (): ModelStep => ({
      ...random.pick([
        () => ({ userId: random.pick(userIds) }),
        () => ({ scheduleId: random.pick(model.schedules).id }),
        () => ({ destinationId: random.pick(destinations) }),
      ])(),
      waitMinutes: random.pick([0, 1, 5, 60]),
    });
    const steps = Array.from({ length: random.integer(1, 4) }, step);
    const repeat = random.below(3);
    const [row] = await store.query<{ id: number }>(
      sql`insert into escalation_chain (tenant_id, created_at, updated_at, name, steps, repeat, user_ids, schedule_ids,
          destination_ids)
        values (${tenantId}, 1, 1, ${`Chain ${++count}`}, ${JSON.stringify(steps)}::jsonb, ${repeat}, '{}', '{}', '{}')
        returning id`,
    );
    model.chains.push({ id: row!.id, steps, repeat, isOn: true });
  }
}

async function addSchedule(random: Random): Promise<ModelSchedule> {
  const layers = Array.from({ length: random.integer(1, 3) }, () => ({
    userIds: Array.from({ length: random.integer(1, 3) }, () => random.pick(userIds)),
    everyHours: random.integer(1, 12),
    start: now + random.integer(-48, 3) * hour,
    hours: random.chance(0.4)
      ? ([random.integer(0, 11), random.integer(12, 23)].sort(() => random.random() - 0.5) as [
          number,
          number,
        ])
      : null,
  }));
  const from = now + random.integer(-3, 10) * hour;
  const override = random.chance(0.3) ? { userId: random.pick(userIds), from, to: from + 4 * hour } : null;
  const time = (hours: number) => `${String(hours).padStart(2, '0')}:00`;
  const stored = layers.map(({ everyHours, hours, ...layer }) => ({
    ...layer,
    unit: 'HOURS',
    every: everyHours,
    restrictions: hours ? [{ from: time(hours[0]), to: time(hours[1]) }] : [],
  }));
  const [row] = await world.store.query<{ id: number }>(
    sql`insert into duty_schedule (tenant_id, created_at, updated_at, name, zone, layers, overrides, user_ids)
      values (${world.tenantId}, 1, 1, ${`Schedule ${++count}`}, 'UTC', ${JSON.stringify(stored)}::jsonb,
        ${JSON.stringify(override ? [override] : [])}::jsonb, '{}') returning id`,
  );
  return { id: row!.id, layers, override };
}

async function raise(random: Random, model: ChainModel): Promise<void> {
  const cause = `cause ${++count}`;
  const findings = Array.from({ length: random.integer(1, 3) }, (): Finding => {
    const n = ++count;
    return {
      tenantId: world.tenantId,
      projectId: 1,
      contractId: 1,
      kind: 'detector',
      group: 'SECURITY',
      severity: random.pick(['LOW', 'HIGH', 'CRITICAL'] as const),
      timestamp: now - random.below(60_000),
      key: `chain history ${n}`,
      eid: `e${n}`,
      name: 'Found',
      message: 'Found.',
      meta: {},
      tags: [],
      chainUid: 'ethereum',
      blockNumber: n,
      blockHash: `0x${n.toString(16).padStart(64, '0')}`,
      detectorId: 5,
      detectorSchemaName: 'drain',
      cause,
    };
  });
  await prepareRaise(world.store, findings);
  const raised = await world.store.transaction((tx) => raiseAlerts(tx, findings));
  model.raise(
    raised.map(({ uid, incident, finding: { severity, timestamp } }) => ({
      uid,
      incident: incident?.uid ?? uid,
      severity: severityOf[severity],
      timestamp,
    })),
  );
}

type Step = { name: string; run: () => Promise<void> };

function stepsOf(random: Random, model: ChainModel): Step[] {
  const { store, tenantId } = world;
  const links = world.services.alertLinks;
  const look = async (on = store) => {
    while ((await takeSteps(on, { now, links })) > 0);
  };
  const keyOf = ({ uid, timestamp }: { uid: string; timestamp: number }) =>
    hasKey({ tenantId, uid, timestamp });
  const onAlert = (name: string, run: (alert: (typeof model.alerts)[number]) => Promise<void>): Step => ({
    name,
    run: async () => {
      if (model.alerts.length > 0) await run(random.pick(model.alerts));
    },
  });
  const escalate = onAlert('escalate', async ({ uid, incident }) => {
    const chain = random.pick(model.chains);
    const start = {
      tenantId,
      incidentUid: incident,
      alertUid: uid,
      escalationChainId: chain.id,
      startedBy: 't',
    };
    await store.transaction((tx) => startEscalations(tx, [start], now));
    model.start(incident, chain, uid, now);
  });
  /** An alert, or its whole incident where that has more. */
  const answer = (name: string, isTaken: boolean) =>
    onAlert(name, async (alert) => {
      const all = model.alerts.filter(({ incident }) => incident === alert.incident);
      const isWhole = all.length > 1 && random.chance(0.5);
      const until =
        isTaken && random.chance(0.5) ? Math.max(now, Date.now()) + random.integer(1, 3) * hour : null;
      const acknowledgement = isTaken ? { at: now, by: 'alice', byId: null, until } : undefined;
      const meant = isWhole ? all : [alert];
      await store.transaction(async (tx) => {
        if (isWhole)
          await acknowledgeIncidentRow(tx, { tenantId, uid: alert.incident }, acknowledgement, now);
        for (const one of meant) await acknowledgeAlerts(tx, keyOf(one), acknowledgement, now);
      });
      const uids = meant.map(({ uid }) => uid);
      const incident = isWhole ? alert.incident : undefined;
      if (isTaken) model.acknowledge(uids, incident, until);
      else model.takeBack(uids, incident, now);
    });
  const looking = (name: string, run: () => Promise<unknown>): Step => ({
    name,
    run: async () => {
      await run();
      model.look(now);
    },
  });
  const pass = async (ms: number) => {
    now += ms;
    // Snoozes end by the clock of the database, which does not jump here.
    await store.query(
      sql`update alert set acknowledged_until = 1 where acknowledged_until between 2 and ${now}`,
    );
    await store.query(
      sql`update incident set acknowledged_until = 1 where acknowledged_until between 2 and ${now}`,
    );
    model.wake(now);
  };
  return [
    { name: 'raise', run: () => raise(random, model) },
    escalate,
    escalate,
    escalate,
    looking('look', look),
    looking('look', look),
    looking('two look at once', () => Promise.all([look(), look()])),
    looking('one dies', async () => {
      await look(dyingStore(store)).catch(() => undefined);
      await look();
    }),
    { name: 'time', run: () => pass(random.pick([1000, 60_000, 300_000, hour, 7 * hour])) },
    { name: 'time', run: () => pass(random.pick([60_000, 300_000, hour])) },
    { name: 'clock jumps', run: () => pass(random.pick([-2 * hour, 30 * hour, -60_000])) },
    answer('acknowledge', true),
    answer('take back', false),
    onAlert('resolve', async (alert) => {
      await store.transaction((tx) => resolveAlerts(tx, keyOf(alert), true, now));
      model.resolve(alert.uid);
    }),
    onAlert('retract', async ({ uid }) => {
      const [block] = await store.query<{ number: number }>(
        sql`select block_number as number from alert where uid = ${uid}::uuid`,
      );
      const { number } = block!;
      const blocks = [{ number, hash: `0x${number.toString(16).padStart(64, '0')}` }];
      await store.transaction((tx) =>
        retractBlocks(tx, { chainUid: 'ethereum', blocks, now }, [
          createNotifyOnRetractions({ now: () => now }),
        ]),
      );
      model.retract(uid);
    }),
    {
      name: 'send',
      run: async () => {
        await store.query(sql`update delivery set state = 'DELIVERED' where state = 'PENDING'`);
        await store.query(sql`truncate delivery_queue`);
        model.send();
      },
    },
    {
      name: 'fail',
      run: async () => {
        const [newest] = await store.query<{ id: number; escalationId: number; number: number }>(
          sql`select d.id, d.escalation_id as "escalationId", d.escalation_number as number from delivery d
            join escalation e on e.id = d.escalation_id and e.state = 'RUNNING' and e.position = d.escalation_number + 1
            where d.state = 'PENDING' and not exists (select from delivery o where o.escalation_id = d.escalation_id
              and o.escalation_number = d.escalation_number and o.state = 'DELIVERED') order by d.id limit 1`,
        );
        if (!newest) return;
        await store.query(
          sql`update delivery set attempts = 2 where escalation_id = ${newest.escalationId}
            and escalation_number = ${newest.number}`,
        );
        await store.transaction((tx) => failOver(tx, [{ tenantId, id: newest.id }], now));
        // Runs of the same chain for the same incident follow each other.
        const [failed] = await store.query<{ incident: string; chain: number; index: number }>(
          sql`select e.incident_uid::text as incident, e.chain_id as chain, (select count(*)::int from escalation o
              where o.incident_uid = e.incident_uid and o.chain_id = e.chain_id and o.id < e.id) as index
            from escalation e where e.id = ${newest.escalationId}`,
        );
        const { incident, chain, index } = failed!;
        const same = model.runs.filter((run) => run.incident === incident && run.chain.id === chain);
        model.fail(same[index]!, now);
      },
    },
    {
      name: 'a destination goes or comes',
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
      name: 'a user goes or comes',
      run: async () => {
        const user = random.pick(model.users);
        user.isActive = !user.isActive;
        await store.query(
          sql`update member set status = ${user.isActive ? 'ACTIVE' : 'DISABLED'} where id = ${user.id}`,
        );
      },
    },
    {
      name: 'a chain changes',
      run: async () => {
        const chain: ModelChain = random.pick(model.chains);
        if (random.chance(0.5)) chain.steps = chain.steps.slice(-1);
        else chain.isOn = !chain.isOn;
        await store.query(
          sql`update escalation_chain set steps = ${JSON.stringify(chain.steps)}::jsonb,
            status = ${chain.isOn ? 'ACTIVE' : 'DISABLED'} where id = ${chain.id}`,
        );
      },
    },
  ];
}

async function stored(): Promise<string[]> {
  const rows = await world.store.query<{ line: string }>(
    sql`select concat_ws(' ', e.incident_uid, e.chain_id, e.state, e.position,
          case when e.state = 'RUNNING' then e.next_at end, e.resumes_at,
          (select string_agg(concat_ws(' ', s.number, s.at, s.kind, s.target_id, s.user_id, s.outcome), ';'
            order by s.number) from escalation_step s where s.escalation_id = e.id),
          (select string_agg(concat_ws(' ', d.escalation_number, d.destination_id, d.state, d.alert_uid), ';'
            order by d.escalation_number, d.destination_id, d.id) from delivery d where d.escalation_id = e.id)) as line
      from escalation e order by e.id`,
  );
  return rows.map(({ line }) => line).sort();
}

function expected(model: ChainModel): string[] {
  return model.runs
    .map(({ incident, chain, state, position, nextAt, resumesAt, made, deliveries }) =>
      [
        incident,
        chain.id,
        state,
        position,
        ...(state === 'RUNNING' ? [nextAt] : []),
        ...(resumesAt === undefined ? [] : [resumesAt]),
        ...(made.length > 0
          ? [
              made
                .map(({ number, at, target, outcome }) => `${number} ${at} ${target.trim()} ${outcome}`)
                .join(';'),
            ]
          : []),
        ...(deliveries.length > 0
          ? [
              deliveries
                .toSorted((a, b) => a.number - b.number || a.destinationId - b.destinationId)
                .map((one) => `${one.number} ${one.destinationId} ${one.state} ${one.alert}`)
                .join(';'),
            ]
          : []),
      ].join(' '),
    )
    .sort();
}

it('calls by chains and schedules as a slow model does, through crashes, clock jumps and answers at every moment', {
  timeout: sized(240_000, 8 * 3_600_000),
}, async () => {
  const random = createRandom('chain histories');
  const start = Date.now();
  const states = new Map<string, number>();
  for (let history = 0; history < historiesSized(15, 20_000); history++) {
    now = start;
    const model = new ChainModel();
    await setUp(random, model);
    const steps = stepsOf(random, model);
    const happened: string[] = [];
    await raise(random, model);
    for (let n = random.integer(10, 30); n > 0; n--) {
      const step = random.pick(steps);
      happened.push(`${step.name} at ${now - start}`);
      await step.run();
      const lines = await stored();
      if (lines.join('\n') !== expected(model).join('\n'))
        expect(
          lines,
          `${happened.join('\n')}\n${JSON.stringify([model.chains, model.schedules, model.users], null, 1)}`,
        ).toEqual(expected(model));
    }
    for (const { state, made } of model.runs) {
      states.set(state, (states.get(state) ?? 0) + 1);
      for (const { outcome } of made) states.set(outcome, (states.get(outcome) ?? 0) + 1);
    }
  }
  // Histories in which nothing happens would prove nothing; a few may lack one of the outcomes.
  const outcomes = ['ACKNOWLEDGED', 'RESOLVED', 'RETRACTED', 'EXHAUSTED', 'RUNNING', 'CALLED', 'NOBODY'];
  for (const outcome of sized(['CALLED'], outcomes)) expect(states.get(outcome), outcome).toBeGreaterThan(0);
});
