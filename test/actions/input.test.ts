import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

function create(members: Json) {
  return api.call('POST', 'action', {
    contractId: world.contract.id,
    walletId: world.wallet.id,
    name: 'Action',
    funcSignature: 'freeze(address to, uint8 level, (uint256 id, bytes4[] tags) what)',
    ...members,
  });
}

describe('an action is refused when it is saved', () => {
  const binding = (members: Json) => ({ detectors: [{ detectorId: world.detector.id, ...members }] });

  it.each<[string, Json, string, RegExp]>([
    [
      'a signature that is none',
      { funcSignature: 'freeze(address' },
      '/funcSignature',
      /must be a function signature/,
    ],
    [
      'a signature with an unknown type',
      { funcSignature: 'f(money x)' },
      '/funcSignature',
      /must be a function/,
    ],
    [
      'an unknown parameter',
      { params: [{ name: 'who', value: '1' }] },
      '/params/0/name',
      /it has to, level, what/,
    ],
    [
      'a parameter given twice',
      {
        params: [
          { name: 'level', value: '1' },
          { name: 'level', value: '2' },
        ],
      },
      '/params/1/name',
      /twice/,
    ],
    [
      'a value that overflows',
      { params: [{ name: 'level', value: '256' }] },
      '/params/0/value',
      /from 0 to 255/,
    ],
    [
      'an address that is none',
      { params: [{ name: 'to', value: '0x12' }] },
      '/params/0/value',
      /must be an address/,
    ],
    [
      'a struct that lacks a member',
      { params: [{ name: 'what', value: '{"id":1}' }] },
      '/params/0/value',
      /lacks its member tags/,
    ],
    [
      'too many values for a signature without names',
      {
        funcSignature: 'f(uint8)',
        params: [
          { name: 'a', value: '1' },
          { name: 'b', value: '2' },
        ],
      },
      '/params/1/name',
      /no parameter/,
    ],
  ])('with %s', async (_name, members, pointer, message) => {
    const { status, body } = await create(members);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
    expect(body.errors[0].message).toMatch(message);
  });

  it('an action with a script that cannot be read is refused, with the position', async () => {
    const filter = await create(binding({ scriptFilter: 'e.severity >' }));
    expect([filter.status, filter.body.errors[0].pointer]).toEqual([400, '/detectors/0/scriptFilter']);
    expect(filter.body.errors[0].message).toMatch(/line 1, column \d+/);
    const params = await create(binding({ scriptParams: { to: 'a b' } }));
    expect([params.status, params.body.errors[0].pointer]).toEqual([400, '/detectors/0/scriptParams/to']);
    const unknown = await create(binding({ scriptParams: { who: '1' } }));
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([400, '/detectors/0/scriptParams/who']);
    const harmless = await create({ funcSignature: 'pause()', ...binding({ scriptParams: { who: '1' } }) });
    expect(harmless.status).toBe(201);
    const side = await api.call('PUT', `detector/${world.detector.id}`, {
      actions: [{ actionId: world.action.id, scriptFilter: ')' }],
    });
    expect([side.status, side.body.errors[0].pointer]).toEqual([400, '/actions/0/scriptFilter']);
  });

  it('an action that could never fire is refused, with the names of what has neither a value nor a script', async () => {
    const refused = await create({
      params: [{ name: 'level', value: '1' }],
      ...binding({ scriptParams: { what: 'e.meta.what' } }),
    });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [
        {
          pointer: '/detectors/0/scriptParams',
          code: 'missing-parameter',
          message: expect.stringContaining('There is no value for to, so the action could never fire'),
        },
      ],
    ]);
    // Without a binding the values are given when it is executed by hand.
    const byHand = await create({});
    expect(byHand.status).toBe(201);
    const path = `action/${byHand.body.id}`;
    const bound = await api.call('PUT', path, binding({ scriptParams: {} }));
    expect([bound.status, bound.body.errors[0].message]).toEqual([
      422,
      expect.stringContaining('no value for to, level, what,'),
    ]);
    const trigger = await api.call('PUT', path, {
      triggerAlerts: [{ triggerAlertId: world.trigger.alerts[0].id }],
    });
    expect([trigger.status, trigger.body.errors[0].pointer]).toEqual([422, '/triggerAlerts/0/scriptParams']);
    const side = await api.call('PUT', `detector/${world.detector.id}`, {
      actions: [{ actionId: byHand.body.id, scriptParams: { to: 'e.meta.to' } }],
    });
    expect([side.status, side.body.errors[0]]).toEqual([
      422,
      {
        pointer: '/actions/0/scriptParams',
        code: 'missing-parameter',
        message: expect.stringContaining('no value for level, what,'),
      },
    ]);
  });

  it('a change of an action that fires must leave it able to', async () => {
    const made = await create({
      funcSignature: 'f(uint8 level)',
      ...binding({ scriptParams: { level: '1' } }),
    });
    expect(made.status).toBe(201);
    const path = `action/${made.body.id}`;
    const { id } = made.body.detectors[0];
    expect((await api.call('PUT', path, { detectors: [{ id, scriptFilter: 'true' }] })).status).toBe(200);
    const more = await api.call('PUT', path, { funcSignature: 'f(uint8 level, bool hard)' });
    expect([more.status, more.body.errors[0].message]).toEqual([
      422,
      expect.stringContaining('no value for hard,'),
    ]);
    expect((await api.call('PUT', path, { name: 'Renamed' })).status).toBe(200);
  });

  it('an action is refused when a new signature does not fit the parameters that it has', async () => {
    const made = await create({ params: [{ name: 'level', value: '3' }] });
    expect(made.status).toBe(201);
    const changed = await api.call('PUT', `action/${made.body.id}`, { funcSignature: 'other(uint8 height)' });
    expect([changed.status, changed.body.errors[0].pointer]).toEqual([400, '/params/0/name']);
    const both = await api.call('PUT', `action/${made.body.id}`, {
      funcSignature: 'other(uint8 height)',
      params: [{ name: 'height', value: '9' }],
    });
    expect([both.status, both.body.funcAbi.inputs]).toEqual([200, [{ type: 'uint8', name: 'height' }]]);
  });

  it('an action with a wallet on another chain, an unknown one, or limits that are no amounts is refused', async () => {
    const make = (members: Json) =>
      api.call('POST', 'wallet', { tenantId: world.tenant.id, name: 'W', chainUid: 'base', ...members });
    const elsewhere = await make({});
    const moved = await create({ walletId: elsewhere.body.id });
    expect([moved.status, moved.body.errors[0].pointer]).toEqual([422, '/walletId']);
    expect((await create({ walletId: 987_654 })).status).toBe(422);
    for (const maxGasPrice of ['-1', 'ten', '']) expect((await make({ maxGasPrice })).status).toBe(400);
    expect((await create({ fireAt: 'soon' })).status).toBe(400);
  });

  it('an action is saved when all of it fits', async () => {
    const made = await create({
      params: [
        { name: 'to', value: address },
        { name: 'level', value: '0xff' },
        { name: 'what', value: '{"id":"1e18","tags":["0x01020304"]}' },
      ],
      ...binding({ scriptFilter: 'e.getTxHash() !== null', scriptParams: { to: 'e.meta.from' } }),
    });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty('fireAt');
    expect(
      (
        await create({
          funcSignature: 'f(uint8, bool)',
          params: [
            { name: 'a', value: '1' },
            { name: 'b', value: 'true' },
          ],
        })
      ).status,
    ).toBe(201);
  });
});

describe('the scripts of a binding', () => {
  const binding = (detectorId: number, members: Json) => ({
    funcSignature: 'pause()',
    detectors: [{ detectorId, ...members }],
  });
  const filter = (scriptFilter: string, detectorId = world.detector.id) =>
    create(binding(detectorId, { scriptFilter }));

  it.each([
    ['args.value > 100', /args is not defined/],
    ['e.severityName === "HIGH"', /e has no member severityName; did you mean e\.severity\?/],
    ['e.severity >= 0.5', /write e\.numericSeverity >= 50/],
    ['a.contract.addres === "0x"', /did you mean a\.contract\.address\?/],
    ['e.numericSeverity', /must give true or false/],
    ['e.walletName.length > 1', /fails on a sample alert: .*null/],
  ])('are refused when they cannot work: %s', async (source, message) => {
    const { status, body } = await filter(source);
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([
      400,
      '/detectors/0/scriptFilter',
      'script',
    ]);
    expect(body.errors[0].message).toMatch(message);
  });

  it('are held against the evidence of the detector or trigger that fires, on whichever side they are saved', async () => {
    const schema = await api.ok('POST', 'detector/schema', {
      title: 'Pauses',
      name: 'pause_state',
      version: '1.0.0',
    });
    const detector = await api.ok('POST', 'detector', {
      contractId: world.contract.id,
      schemaId: schema.id,
      name: 'Pauses',
    });
    expect((await filter('e.meta.isPaused === true', detector.id)).status).toBe(201);
    const wrong = await filter('e.meta.paused', detector.id);
    expect(wrong.body.errors[0].message).toMatch(
      /e\.meta has no member paused; .*isPaused, account, asset, sender/,
    );
    const actions = [{ actionId: world.action.id, scriptFilter: 'e.meta.paused' }];
    const side = await api.call('PUT', `detector/${detector.id}`, { actions });
    expect([side.status, side.body.errors[0].pointer]).toEqual([400, '/actions/0/scriptFilter']);
    const [alert] = world.trigger.alerts;
    const trigger = await api.call('PUT', `trigger/${world.trigger.id}`, {
      alerts: [{ id: alert.id, actions: [{ actionId: world.action.id, scriptFilter: 'args.amount > 1' }] }],
    });
    expect([trigger.status, trigger.body.errors[0].pointer]).toEqual([
      400,
      '/alerts/0/actions/0/scriptFilter',
    ]);
    expect(trigger.body.errors[0].message).toMatch(/did you mean e\.meta\.args\?/);
  });

  it('are tried on past alerts: what would never have fired, or failed, is a warning', async () => {
    const detector = await api.ok('POST', 'detector', {
      contractId: world.contract.id,
      schemaId: world.detectorSchema.id,
      name: 'Engine Ω',
      source: 'EXTERNAL',
    });
    expect((await filter('e.meta.amount > 5', detector.id)).headers.get('warning')).toBeNull();
    const alerts = [1, 2, 3].map((amount) => ({ eid: `a${amount}`, message: 'Moved.', meta: { amount } }));
    await api.ok('POST', `detector/${detector.id}/alert`, { alerts });
    const warningOf = async (source: string) => {
      const { status, headers } = await filter(source, detector.id);
      expect(status).toBe(201);
      return headers.get('warning');
    };
    expect(await warningOf('e.meta.amount > 5')).toMatch(
      /\/detectors\/0: the filter is true for none of the last 3 alerts of Engine \?/,
    );
    expect(await warningOf('e.meta.amounts.length > 5')).toMatch(
      /on 3 of the last 3 alerts .* fail: The filter/,
    );
    expect(await warningOf('e.meta.amount > 2')).toBeNull();
    expect(await warningOf('e.numericSeverity >= 0.5')).toMatch(/is always true/);
  });

  it('the scripts of a binding that were saved before a check existed stay, and can be sent back unchanged', async () => {
    const made = await filter('true');
    await api.store.query(
      sql`update action_detector set script_filter = 'e.severity >= 0.5' where action_id = ${made.body.id}`,
    );
    const record = await api.ok('GET', `action/${made.body.id}`);
    expect(record.detectors[0].scriptFilter).toBe('e.severity >= 0.5');
    const put = (detectors: Json[]) => api.call('PUT', `action/${made.body.id}`, { detectors });
    const { id, scriptFilter } = record.detectors[0];
    expect((await put([{ id, scriptFilter }])).status).toBe(200);
    expect((await put([{ id, scriptFilter: `${scriptFilter} ` }])).status).toBe(400);
  });

  it('the scripts of a binding of a license see the same alert', async () => {
    const save = (scoreScript: string) =>
      api.call('POST', 'license', { name: `L ${scoreScript.length}`, version: '1', scoreScript });
    const refused = await save("e.severity > 50 ? -1 : e.tag === 'tick' ? 1 : 0");
    expect(refused.body.errors.map(({ pointer, message }: Json) => [pointer, message])).toEqual([
      ['/scoreScript', expect.stringContaining('write e.numericSeverity > 50')],
      ['/scoreScript', expect.stringContaining('e has no member tag; did you mean e.tags?')],
    ]);
    expect((await save("e.type === 'tick' ? l.up : -e.numericSeverity * score + s[group]")).status).toBe(201);
  });
});
