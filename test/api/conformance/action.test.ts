import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem, faultCode } from '../../support/expectProblem.ts';
import { filled, nothing, record } from '../../support/memberRules.ts';
import { actionMembers, detectorMembers } from '../../support/recordMembers.ts';

let api: TestApi;
let world: World;
let foreign: World;
let path: string;
let before: Json;
beforeAll(async () => {
  api = await startTestApi();
  [world, foreign] = await Promise.all([createWorld(api), createWorld(api)]);
  path = `action/${world.action.id}`;
});
/** Every test starts with one binding of each kind. */
beforeEach(async () => {
  before = await api.ok('PUT', path, {
    destinations: [{ tenantDestinationId: world.destination.id }],
    detectors: [
      {
        detectorId: world.detector.id,
        scriptFilter: 'e.numericSeverity > 50',
        scriptParams: { to: 'e.meta.from' },
      },
    ],
    triggerAlerts: [{ triggerAlertId: world.trigger.alerts[0].id }],
  });
});
afterAll(() => api.stop());

const action = record(actionMembers);
const put = (body: Json) => api.ok('PUT', path, body);
const changeOf = (changed: Json, members: Json) => ({ ...before, ...members, updatedAt: changed.updatedAt });

describe('PUT /action/{id}', () => {
  it('takes every member of docs/api-spec.md and answers with exactly its members', async () => {
    const wallet = await api.ok('POST', 'wallet', {
      tenantId: world.tenant.id,
      name: 'W',
      chainUid: 'anvil',
    });
    const given = {
      walletId: wallet.id,
      name: 'Move funds',
      funcSignature: 'transfer(address to, uint256 amount)',
      params: [
        { name: 'to', value: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
        { name: 'amount', value: '1' },
      ],
      gasPrice: 'fast',
      gasLimit: 200_000,
      gasTip: '2',
      description: 'Moves them.',
    };
    const binding = { scriptFilter: 'true', scriptParams: { to: 'e.meta.from', amount: '5' } };
    const changed = await put({
      ...given,
      destinations: [{ tenantDestinationId: world.destination.id }],
      detectors: [{ ...binding, detectorId: world.detector.id }],
      triggerAlerts: [{ ...binding, triggerAlertId: world.trigger.alerts[0].id }],
    });
    expect(action(changed)).toEqual([]);
    expect(changed).toMatchObject({ ...given, id: world.action.id, contractId: world.contract.id });
    expect(changed.funcAbi).toMatchObject({
      type: 'function',
      name: 'transfer',
      inputs: [{ name: 'to' }, {}],
    });
    expect(changed.destinations).toMatchObject([{ tenantDestination: { id: world.destination.id } }]);
    expect(changed.detectors).toMatchObject([{ ...binding, detectorId: world.detector.id }]);
    expect(changed.triggerAlerts).toMatchObject([{ ...binding, triggerAlertId: world.trigger.alerts[0].id }]);
    expect(await api.ok('GET', path)).toMatchObject(changed);
    const found = await api.ok('POST', 'action/search', { where: `id = ${changed.id}` });
    expect(found.data).toEqual([changed]);
  });

  it('defaults to the market price with everything else estimated', async () => {
    expect(action(world.action)).toEqual([]);
    expect(world.action).toMatchObject({
      gasPrice: 'market',
      gasLimit: null,
      gasTip: null,
      description: null,
      params: [],
    });
    expect([before.detectors[0].scriptFilter, before.triggerAlerts[0].scriptParams]).toEqual([
      'e.numericSeverity > 50',
      {},
    ]);
  });

  it('takes back unchanged what was read, and touches no binding by it', async () => {
    const changed = await put(before);
    expect(changed).toEqual(changeOf(changed, {}));
  });

  it('changes nothing for an array that is absent, and removes all for an empty one', async () => {
    const renamed = await put({ name: 'Renamed' });
    expect(renamed).toEqual(changeOf(renamed, { name: 'Renamed' }));
    const emptied = await put({ detectors: [] });
    expect(emptied).toEqual(changeOf(emptied, { name: 'Renamed', detectors: [] }));
    const none = await put({ destinations: [], triggerAlerts: [] });
    expect([none.destinations, none.detectors, none.triggerAlerts]).toEqual([[], [], []]);
  });

  it('keeps an item with an id, adds one without, and removes one that is missing', async () => {
    const second = await api.ok('POST', 'detector', {
      contractId: world.contract.id,
      schemaId: world.detectorSchema.id,
      name: 'Second',
    });
    const [kept] = before.detectors;
    api.advance(5);
    const both = await put({ detectors: [{ id: kept.id }, { detectorId: second.id }] });
    expect(both.detectors).toHaveLength(2);
    expect(both.detectors[0]).toEqual(kept);
    const added = both.detectors[1];
    expect(added).toMatchObject({ detectorId: second.id, scriptFilter: null, scriptParams: {} });
    expect(added.id).not.toBe(kept.id);
    expect(added.createdAt).toBeGreaterThan(kept.createdAt);
    api.advance(5);
    const edited = await put({ detectors: [{ id: added.id, scriptFilter: 'false' }] });
    expect(edited.detectors).toEqual([
      { ...added, scriptFilter: 'false', updatedAt: edited.detectors[0].updatedAt },
    ]);
    expect(edited.detectors[0].updatedAt).toBeGreaterThan(added.updatedAt);
  });

  it('binds further destinations and trigger alerts by the same rule', async () => {
    const mail = await api.ok('POST', 'destination', {
      tenantId: world.tenant.id,
      type: 'EMAIL',
      value: 'ops@example.com',
    });
    const [kept] = before.destinations;
    const two = await put({ destinations: [{ id: kept.id }, { tenantDestinationId: mail.id }] });
    expect(action(two)).toEqual([]);
    expect(two.destinations[0]).toEqual(kept);
    expect(two.destinations[1].tenantDestination).toEqual(mail);
    const moved = await put({ destinations: [{ id: two.destinations[1].id, tenantDestinationId: mail.id }] });
    expect(moved.destinations).toEqual([two.destinations[1]]);
    const [alert] = before.triggerAlerts;
    const scripted = await put({ triggerAlerts: [{ id: alert.id, scriptParams: { to: 'e.meta.to' } }] });
    expect(scripted.triggerAlerts).toMatchObject([
      {
        id: alert.id,
        createdAt: alert.createdAt,
        triggerAlertId: alert.triggerAlertId,
        scriptParams: { to: 'e.meta.to' },
      },
    ]);
  });

  it('refuses another value for what only comes out, inside a binding too', async () => {
    for (const [member, value] of Object.entries({
      contractId: foreign.contract.id,
      funcAbi: { type: 'function' },
      id: before.id + 1,
      createdAt: 1,
      updatedAt: 1,
    })) {
      const answer = await api.call('PUT', path, { [member]: value });
      expect(faultCode(expectProblem(answer, 400), `/${member}`)).toBe('read-only');
    }
    const [binding] = before.destinations;
    const renamed = { ...binding, tenantDestination: { ...binding.tenantDestination, value: 'other' } };
    const nested = await api.call('PUT', path, { destinations: [renamed] });
    const pointer = '/destinations/0/tenantDestination';
    expect(faultCode(expectProblem(nested, 400), pointer)).toBe('read-only');
    const [detector] = before.detectors;
    const aged = await api.call('PUT', path, { detectors: [{ ...detector, createdAt: 1 }] });
    expect(faultCode(expectProblem(aged, 400), '/detectors/0/createdAt')).toBe('read-only');
    expect(await api.ok('GET', path)).toMatchObject(before);
  });

  it.each([
    [{ walletId: '1' }, '/walletId'],
    [{ name: ' ' }, '/name'],
    [{ funcSignature: 5 }, '/funcSignature'],
    [{ funcSignature: 'transfer(address' }, '/funcSignature'],
    [{ params: { to: 'x' } }, '/params'],
    [{ params: [{ name: 'to', value: 1 }] }, '/params/0/value'],
    [{ params: [{ value: 'x' }] }, '/params/0/name'],
    [{ gasPrice: 'cheap' }, '/gasPrice'],
    [{ gasLimit: '21000' }, '/gasLimit'],
    [{ gasLimit: 21000.5 }, '/gasLimit'],
    [{ gasTip: 2 }, '/gasTip'],
    [{ destinations: [{ tenantDestinationId: '1' }] }, '/destinations/0/tenantDestinationId'],
    [{ destinations: [{}] }, '/destinations/0/tenantDestinationId'],
    [{ detectors: [{ detectorId: 1, scriptParams: { to: 1 } }] }, '/detectors/0/scriptParams/to'],
    [{ detectors: [{ detectorId: 1, scriptFilter: true }] }, '/detectors/0/scriptFilter'],
    [{ detectors: [{ detectorID: 1 }] }, '/detectors/0/detectorID'],
    [{ triggerAlerts: null }, '/triggerAlerts'],
    [{ status: 'ACTIVE' }, '/status'],
  ])('refuses %j at %s', async (body, pointer) => {
    expectProblem(await api.call('PUT', path, body), 400, pointer);
    expect(await api.ok('GET', path)).toMatchObject(before);
  });

  it.each(['market', 'slow', 'fast', 'fastest', '12.5', '30'])(
    'accepts the gasPrice %s',
    async (gasPrice) => {
      expect((await put({ gasPrice })).gasPrice).toBe(gasPrice);
    },
  );

  it('estimates the tip when gasTip is empty', async () => {
    expect((await put({ gasTip: '1.5' })).gasTip).toBe('1.5');
    expect((await put({ gasTip: '' })).gasTip).toBe('');
    expect((await put({ gasTip: null })).gasTip).toBeNull();
  });

  it('answers 422 to records of another tenant and to missing ones alike, and changes nothing', async () => {
    const bodies: [(id: number) => Json, number, string][] = [
      [(walletId) => ({ walletId }), foreign.wallet.id, '/walletId'],
      [
        (tenantDestinationId) => ({ destinations: [{ tenantDestinationId }] }),
        foreign.destination.id,
        '/destinations/0/tenantDestinationId',
      ],
      [(detectorId) => ({ detectors: [{ detectorId }] }), foreign.detector.id, '/detectors/0/detectorId'],
      [
        (triggerAlertId) => ({ triggerAlerts: [{ triggerAlertId }] }),
        foreign.trigger.alerts[0].id,
        '/triggerAlerts/0/triggerAlertId',
      ],
      [(id) => ({ destinations: [{ id }] }), foreign.action.destinations[0].id, '/destinations/0/id'],
    ];
    const token = await api.token(world.tenant.id, 'tenant-user');
    for (const [body, id, pointer] of bodies) {
      const theirs = expectProblem(await api.call('PUT', path, body(id), { token }), 422, pointer);
      const missing = expectProblem(await api.call('PUT', path, body(999_999), { token }), 422, pointer);
      expect({ ...theirs, instance: '', requestId: '' }).toEqual({ ...missing, instance: '', requestId: '' });
    }
    expect(await api.ok('GET', path)).toMatchObject(before);
  });
});

describe('the detector of an action', () => {
  it('shows the binding from its own side, with a status, and its destinations with their type', async () => {
    const detector = await api.ok('GET', `detector/${world.detector.id}`);
    const rule = record({
      ...detectorMembers,
      destinations: both('destinations'),
      actions: both('actions'),
      runbookUrl: nothing,
      nextSteps: nothing,
    });
    expect(rule(detector)).toEqual([]);
    const [{ id, createdAt, updatedAt, scriptFilter, scriptParams }] = before.detectors;
    expect(detector.actions).toEqual([
      { id, createdAt, updatedAt, status: 'ACTIVE', scriptFilter, scriptParams, actionId: before.id },
    ]);
    expect(detector.destinations[0].tenantDestination).toEqual({ ...world.destination, type: 'HTTP' });
  });

  function both(member: 'destinations' | 'actions') {
    return (value: unknown, place?: string) => [
      ...filled(() => [])(value, place),
      ...detectorMembers[member]!(value, place),
    ];
  }
});
