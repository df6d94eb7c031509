import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFireOnAlerts } from '../../src/actions/fireOnAlerts.ts';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { raw, sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard } from './support/addGuard.ts';
import { ended, expireLeases, findIntents, type Intent, skipWaits } from './support/intents.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const hours = 3_600_000;

describe('what waits to be fired', () => {
  let world: SimulatedWorld;
  let tenants = 0;
  let last = 1_000_000;

  beforeAll(async () => {
    world = await startSimulatedWorld();
    world.chain.extend(1);
  });
  afterAll(async () => {
    await world?.stop();
  });

  /** Of a tenant of its own. */
  async function addOwn(members: Parameters<typeof addGuard>[1] = {}) {
    const { id: tenantId } = await world.vigil.ok('POST', 'tenant', { name: `Tenant ${++tenants}` });
    return { tenantId: Number(tenantId), guard: await addGuard(world.vigil, { ...members, tenantId }) };
  }

  const finding = (tenantId: number, { contractId, detectorId }: Guard, members: Partial<Finding> = {}) => {
    const number = ++last;
    const made: Finding = {
      tenantId,
      contractId,
      detectorId,
      projectId: 1,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp: Date.now(),
      key: `test ${number}`,
      eid: String(number),
      name: 'Attack',
      message: 'An attack.',
      meta: { number },
      tags: [],
      chainUid: 'anvil',
      ...members,
    };
    return { number, made };
  };

  const fire = createFireOnAlerts({ now: Date.now });

  async function raised(tenantId: number, guard: Guard, members: Partial<Finding>): Promise<number> {
    const { store } = world.vigil;
    const { number, made } = finding(tenantId, guard, members);
    await prepareRaise(store, [made]);
    await store.transaction((tx) => raiseAlerts(tx, [made], [fire]));
    return number;
  }

  /** Lets a process fire until nothing is left to do. */
  async function act(): Promise<void> {
    const acting = world.vigil.act();
    await ended(world.vigil, () => world.chain.extend(1));
    await acting.stop();
  }

  const find = async (number: number): Promise<Intent> =>
    (await findIntents(world.vigil)).find((intent) => intent.number === number)!;

  const age = (ms: number) =>
    world.vigil.store.query(
      sql`update action_intent set created_at = created_at - ${ms} where state = 'WAITING'`,
    );

  it('is fired by an alert over the rate limit, because that limits notifications only', async () => {
    const { tenantId, guard } = await addOwn();
    const number = await raised(tenantId, guard, { suppressed: true });
    const tried = await raised(tenantId, guard, { tags: ['shadow'] });
    await act();
    expect(await find(number)).toMatchObject({ state: 'CONFIRMED' });
    expect(await find(tried)).toBeUndefined();
  });

  it('an intent that slips through a halt is not fired when that is taken back', async () => {
    const { vigil } = world;
    const { tenantId, guard } = await addOwn();
    const { number, made } = finding(tenantId, guard);
    await prepareRaise(vigil.store, [made]);
    const steps = new EventEmitter();
    const written = once(steps, 'written');
    const halted = once(steps, 'halted');
    const raising = vigil.store.transaction(async (tx) => {
      await raiseAlerts(tx, [made], [fire]);
      steps.emit('written');
      await halted;
    });
    await written;
    expect(await vigil.ok('POST', 'action/halt', { tenantId })).toMatchObject({ halted: true });
    steps.emit('halted');
    await raising;
    await vigil.ok('POST', 'action/resume', { tenantId });
    const later = await raised(tenantId, guard, {});
    await act();
    expect(await find(number)).toMatchObject({
      state: 'CANCELED',
      reason: 'Actions are halted.',
      nonce: null,
    });
    expect(await find(later)).toMatchObject({ state: 'CONFIRMED' });
  });

  it('is cancelled with its tenant, also when it is about to be signed', async () => {
    const { vigil } = world;
    const { tenantId, guard } = await addOwn();
    const before = world.mempool.arrivals.length;
    const [number] = await guard.raise(1);
    let isDisabled = false;
    const acting = vigil.act({
      async onStep(point) {
        if (point !== 'before it is signed' || isDisabled) return;
        isDisabled = true;
        await vigil.ok('PUT', `tenant/${tenantId}`, { status: 'DISABLED' });
      },
    });
    await ended(vigil, () => skipWaits(vigil));
    await acting.stop();
    expect(isDisabled).toBe(true);
    expect(await find(number!)).toMatchObject({
      state: 'CANCELED',
      reason: 'The tenant is no longer active.',
      nonce: null,
    });
    expect(world.mempool.arrivals.length).toBe(before);
  });

  it('an intent that waits for eight hours without success ends with the reason, which is reported and counted', async () => {
    const { vigil } = world;
    const deaf = await addOwn({ chainUid: 'gnosis' });
    const shallow = await addOwn();
    const destination = await vigil.ok('POST', 'destination', {
      tenantId: deaf.tenantId,
      type: 'HTTP',
      uri: 'https://example.com/hook',
    });
    await vigil.ok('PUT', `action/${deaf.guard.actionId}`, {
      destinations: [{ tenantDestinationId: destination.id }],
    });
    const [unsent] = await deaf.guard.raise(1);
    const [unconfirmed] = await shallow.guard.raise(1, { blockNumber: 1_000_000 });
    await age(8 * hours - 60_000);
    const acting = vigil.act();
    await sleep(1500);
    expect(await find(unsent!)).toMatchObject({ state: 'WAITING' });
    await acting.stop();
    await age(120_000);
    await act();
    expect(await find(unsent!)).toMatchObject({
      state: 'FAILED',
      reason: 'It could not be sent within 8 hours. No endpoint of the chain was configured.',
      outcomes: ['failed'],
    });
    expect(await find(unconfirmed!)).toMatchObject({
      state: 'FAILED',
      reason: expect.stringMatching(/^It could not be sent within 8 hours\. The block of its alert was not/),
      outcomes: ['failed'],
    });
    const { data } = await vigil.ok('GET', `destination/${destination.id}/delivery`);
    expect(data.map(({ type }: Json) => type)).toEqual(['action.failed']);
    const counted = await vigil.store.query(
      sql`select sum(value)::int as value from metric_sample where metric = 'actions' and tenant_id = ${deaf.tenantId}
        and labels ->> 'type' = 'failed'`,
    );
    expect(counted).toEqual([{ value: 1 }]);
  });

  it('an intent whose end cannot be written delays no other', async () => {
    const { vigil } = world;
    const [poisoned, innocent, firing] = [await addOwn(), await addOwn(), await addOwn()];
    for (const { guard } of [poisoned, innocent])
      await vigil.ok('PUT', `action/${guard.actionId}`, {
        detectors: [
          { detectorId: guard.detectorId, scriptFilter: 'e.meta.nothing.at.all', scriptParams: { id: '1' } },
        ],
      });
    await vigil.store.query(
      sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$`,
    );
    await vigil.store.query(
      raw(`create trigger refuse before update on action_intent for each row
        when (new.tenant_id = ${poisoned.tenantId} and new.state = 'FAILED') execute function refuse()`),
    );
    const [bad] = await poisoned.guard.raise(1);
    const [good] = await innocent.guard.raise(1);
    const [fired] = await firing.guard.raise(1);
    const acting = vigil.act();
    await until(async () => {
      world.chain.extend(1);
      const states = [(await find(good!)).state, (await find(fired!)).state];
      return states.join() === 'FAILED,CONFIRMED';
    });
    expect(await find(good!)).toMatchObject({ outcomes: ['failed'] });
    expect(await find(bad!)).toMatchObject({ state: 'WAITING', outcomes: [] });
    await acting.stop();
    await vigil.store.query(sql`drop trigger refuse on action_intent`);
    await expireLeases(vigil);
    await act();
    expect(await find(bad!)).toMatchObject({ state: 'FAILED', outcomes: ['failed'] });
  });
});
