import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFireOnAlerts } from '../../src/actions/fireOnAlerts.ts';
import { detectors } from '../../src/detectors/detectors.ts';
import { sql } from '../../src/lib/sql.ts';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import { createAlertLinks } from '../../src/services/alerts/createAlertLinks.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { observe } from './support/observe.ts';

const now = Date.now;
let api: TestApi;
let world: World;
let other: World;
let viewer: string;
let stranger: string;
let externalId: number;
beforeAll(async () => {
  const links = createAlertLinks(() => 'https://vigil.example.com');
  const alertHooks = [createNotifyOnAlerts({ links, now }), createFireOnAlerts({ now })];
  api = observe(await startTestApi({ alertHooks }));
  world = await createWorld(api);
  other = await createWorld(api);
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
  stranger = await api.token(other.tenant.id, 'tenant-manager');
  const external = await api.ok('POST', 'detector', {
    contractId: world.contract.id,
    schemaId: world.detectorSchema.id,
    name: 'Engine',
    source: 'EXTERNAL',
    destinations: [{ tenantDestinationId: world.destination.id, minSeverity: 'HIGH' }],
    actions: [{ actionId: world.action.id, scriptFilter: 'true', scriptParams: {} }],
  });
  externalId = external.id;
});
afterAll(() => api.stop());

async function push(eid: string, members: Json = {}): Promise<string> {
  const alert = { eid, name: eid, severity: 'HIGH', message: 'Found.', ...members };
  const { results } = await api.ok('POST', `detector/${externalId}/alert`, { alerts: [alert] });
  return results[0].uid;
}

describe('the outcome of an alert', () => {
  const outcome = (uid: string, token = viewer) =>
    api.call('GET', `alert/${uid}/outcome`, undefined, { token });

  it('has what was sent, what was fired and its incident', async () => {
    const uid = await push('sent');
    const { body } = await outcome(uid);
    expect(body).toMatchObject({
      silence: null,
      incident: { uid: (await api.ok('GET', `alert/${uid}`)).incidentUid, alerts: 1 },
      deliveries: [
        {
          alertUid: uid,
          destinationId: world.destination.id,
          destinationName: 'https://example.com/hook',
          destinationType: 'HTTP',
          state: 'PENDING',
          attempts: [],
        },
      ],
      intents: [{ alertUid: uid, actionName: 'Action', chainUid: 'anvil', state: 'WAITING', txHash: null }],
    });
    expect(body.intents[0].reason).toContain('anvil');
  });

  it('says what to do next where the kind of detector knows it', async () => {
    const uid = await push('advised');
    expect((await outcome(uid)).body.nextStep).toBeNull();
    await api.store.query(
      sql`update alert set detector_schema_name = 'large_transfer' where uid = ${uid}::uuid`,
    );
    expect((await outcome(uid)).body.nextStep).toBe(detectors.get('large_transfer')!.nextStep);
  });

  it('tells why no one was notified', async () => {
    const silenceOf = async (uid: string) => (await outcome(uid)).body.silence.code;
    expect(await silenceOf(await push('low', { severity: 'LOW' }))).toBe('filtered');
    expect(await silenceOf(await push('trial', { tags: ['shadow'] }))).toBe('shadow');
    expect(await silenceOf(await push('old', { timestamp: now() - 2 * 3_600_000 }))).toBe('backfilled');
    const suppressed = await push('many', { severity: 'LOW' });
    await api.store.query(sql`update alert set suppressed = true where uid = ${suppressed}::uuid`);
    expect(await silenceOf(suppressed)).toBe('suppressed');
    const unbound = await push('unbound', { severity: 'LOW' });
    await api.ok('PUT', `detector/${externalId}`, { destinations: [] });
    expect(await silenceOf(unbound)).toBe('no-destination');
  });

  it('is hidden from others, also from those with whom the project is shared', async () => {
    const uid = await push('hidden');
    await api.ok('PUT', `project/${world.project.id}`, { viewTenantIds: [other.tenant.id] });
    await api.ok('POST', `share/${world.project.id}/accept`, {}, { token: stranger });
    expect((await api.call('GET', `alert/${uid}`, undefined, { token: stranger })).status).toBe(200);
    expect((await outcome(uid, stranger)).status).toBe(404);
    expect((await outcome('01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', stranger)).status).toBe(404);
    expect((await outcome('nonsense')).status).toBe(404);
  });
});

describe('the list of faults', () => {
  const faults = async (query = '', token = viewer): Promise<Json> =>
    api.ok('GET', `fault?size=100${query}`, undefined, { token });

  it('has every record of the tenant that fails, stands still or is late, newest first, with what to do', async () => {
    expect((await faults('', stranger)).data).toEqual([]);
    const { tenant, contract, detector, trigger, destination, action, wallet, instance } = world;
    const at = now();
    await api.store.query(
      sql`insert into watch_fault (kind, id, tenant_id, contract_id, message, count, first_at, last_at) values
        ('detector', ${detector.id}, ${tenant.id}, ${contract.id}, 'The call reverts.', 4, ${at - 9000}, ${at - 1000}),
        ('trigger', ${trigger.id}, ${tenant.id}, ${contract.id}, 'Switched off, because it loops.', 1, ${at}, ${at - 2000})`,
    );
    await api.ok('PUT', `trigger/${trigger.id}`, { status: 'DISABLED' });
    await api.store.query(
      sql`insert into deferred_evaluation (chain_uid, kind, id, number, hash, tenant_id, reason, next_attempt_at,
          created_at)
        select 'anvil', 'detector', ${detector.id}, n, '0x', ${tenant.id}, 'read', 0, ${at - 3000}
        from generate_series(1, 2) n`,
    );
    await api.store.query(
      sql`update destination set failing_since = ${at - 8000}, last_failed_at = ${at - 4000}
        where id = ${destination.id}`,
    );
    await api.store.query(
      sql`insert into binding_timeout (tenant_id, action_id, binding, count, updated_at)
        values (${tenant.id}, ${action.id}, 'detector 1', 3, ${at - 5000})`,
    );
    await api.store.query(
      sql`insert into score_lane (tenant_id, license_instance_id, fault)
        values (${tenant.id}, ${instance.id}, ${JSON.stringify({ message: 'It threw.', at: at - 6000 })}::jsonb)`,
    );
    await api.store.query(sql`delete from action_intent where tenant_id = ${tenant.id}`);
    for (const [state, reason] of [
      ['WAITING', null],
      ['WAITING', 'The wallet cannot pay.'],
      ['FAILED', 'The call would fail.'],
    ])
      await api.store.query(
        sql`insert into action_intent (tenant_id, action_id, binding, contract_id, wallet_id, chain_uid, severity,
            fire_at, state, reason, created_at, updated_at, next_attempt_at)
          values (${tenant.id}, ${action.id}, 'manual', ${contract.id}, ${wallet.id}, 'anvil', 'HIGH', 'head', ${state},
            ${reason}, ${at - 20_000}, ${at - 7000}, 0)`,
      );
    const mail = { tenantId: tenant.id, type: 'EMAIL', value: 'ops@example.com' };
    const { id: mailId } = await api.ok('POST', 'destination', mail);

    const { data, total } = await faults();
    expect(data.map(({ kind, id, state }: Json) => [kind, id, state])).toEqual([
      ['destination', mailId, 'INCOMPLETE'],
      ['detector', detector.id, 'FAILING'],
      ['trigger', trigger.id, 'SWITCHED_OFF'],
      ['detector', detector.id, 'LATE'],
      ['destination', destination.id, 'FAILING'],
      ['action', action.id, 'SWITCHED_OFF'],
      ['instance', instance.id, 'SWITCHED_OFF'],
      ['action', action.id, 'FAILED'],
      ['action', action.id, 'UNDER_WAY'],
      ['wallet', wallet.id, 'LATE'],
    ]);
    expect(total).toBe(10);
    expect(data[1]).toEqual({
      tenantId: tenant.id,
      kind: 'detector',
      id: detector.id,
      name: 'Detector',
      state: 'FAILING',
      reason: 'The call reverts.',
      advice: expect.stringContaining('configuration'),
      count: 4,
      since: at - 9000,
      at: at - 1000,
    });
    expect(data[3]).toMatchObject({ count: 2, reason: expect.stringContaining('2 blocks wait') });
    expect(data[9]).toMatchObject({ name: 'Wallet', reason: 'The wallet cannot pay.' });
    for (const { reason, advice } of data) expect([reason, advice]).not.toContain('');
  });

  it('is paged and filtered, and of no other tenant', async () => {
    const page = await api.ok('GET', 'fault?from=2&size=1', undefined, { token: viewer });
    expect(page).toMatchObject({ data: [{ kind: 'trigger' }], total: 10 });
    expect((await faults('&kind=action&state=FAILED')).data).toHaveLength(1);
    expect((await faults('', stranger)).total).toBe(0);
    const asked = await api.call('GET', `fault?tenantId=${world.tenant.id}`, undefined, { token: stranger });
    expect(asked.status).toBe(404);
    expect((await api.ok('GET', `fault?tenantId=${world.tenant.id}`)).total).toBe(10);
    expect((await api.ok('GET', `fault?tenantId=${other.tenant.id}`)).total).toBe(0);
  });

  it('has no record that someone else switched off or deleted', async () => {
    await api.ok('PUT', `detector/${world.detector.id}`, { status: 'DISABLED' });
    await api.ok('DELETE', `destination/${world.destination.id}`);
    const { data } = await faults();
    expect(data.some(({ kind, id }: Json) => kind === 'detector' && id === world.detector.id)).toBe(false);
    expect(data.some(({ kind, id }: Json) => kind === 'destination' && id === world.destination.id)).toBe(
      false,
    );
  });
});
