import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectors } from '../../src/detectors/detectors.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { triggers } from '../../src/triggers/triggers.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { observe } from './support/observe.ts';

let api: TestApi;
let contractId: number;
let schemas: Json[];
beforeAll(async () => {
  api = observe(await startTestApi());
  contractId = (await createWorld(api)).contract.id;
  await publishDetectors(api.store, Date.now());
  schemas = (await api.ok('POST', 'detector/schema/search', { size: 1000 })).data;
});
afterAll(() => api.stop());

function newDetector(schemaName: string, desc: string, more: Json = {}) {
  const schemaId = schemas.find(({ name }) => name === schemaName)!.id;
  return api.call('POST', 'detector', { contractId, schemaId, name: 'D', config: { desc }, ...more });
}

function newTrigger(triggerType: string, ...messages: (string | null)[]) {
  const alerts = messages.map((message) => ({ severity: 'HIGH', name: 'A', message }));
  return api.call('POST', 'trigger', { contractId, name: 'T', triggerType, alerts });
}

describe('the message template of a detector', () => {
  it('may name every member of its findings, what stands below them, and members of the alert', async () => {
    const { fields } = detectors.get('ownership_change')!;
    const all = fields.map((name) => `{${name}}`).join(' ');
    for (const desc of [
      all,
      '{event.deeper.still}',
      '{severity} {txHash} {blockNumber}',
      'a {{brace}} {',
      '',
    ])
      expect((await newDetector('ownership_change', desc)).status, desc).toBe(201);
  });

  it('is refused with a member that no such alert has, by name, with the nearest and the known ones', async () => {
    const { status, body } = await newDetector(
      'ownership_change',
      'From {previousOwner} to {newOwnr}, {zzz.a}.',
    );
    expect([status, body.code]).toEqual([400, 'invalid-input']);
    expect(body.errors).toMatchObject([
      { pointer: '/config/desc', code: 'unknown-member' },
      { pointer: '/config/desc', code: 'unknown-member' },
    ]);
    expect(body.errors[0].message).toMatch(
      /^\{newOwnr\} is not a member of this alert; did you mean \{newOwner\}\? It has event, .*txHash/,
    );
    expect(body.errors[1].message).toMatch(
      /^\{zzz\.a\} .*; it has event, getter, account, previousOwner, newOwner/,
    );
  });

  it('is held to the detector’s kind on update too, and may stay as it is otherwise', async () => {
    const { body: made } = await newDetector('ownership_change', '{newOwner}');
    const change = (more: Json) => api.call('PUT', `detector/${made.id}`, more);
    expect((await change({ config: { desc: '{owner}' } })).body.errors[0].pointer).toBe('/config/desc');
    const other = schemas.find(({ name }) => name === 'pause_state')!.id;
    expect((await change({ schemaId: other })).status).toBe(400);
    expect((await change({ schemaId: other, config: { desc: '{isPaused}' } })).status).toBe(200);
    expect((await change({ name: 'Other' })).status).toBe(200);
  });

  it('the message template of a detector that is fed from outside may name anything', async () => {
    expect((await newDetector('ownership_change', '{anything}', { source: 'EXTERNAL' })).status).toBe(201);
  });

  it.each([...detectors.keys()])(
    'the message template of %s finds its members listed where it is documented',
    (name) => {
      const { desc } = schemas.find((schema) => schema.name === name)!.configSchema.properties;
      const { fields } = detectors.get(name)!;
      expect(new Set(fields).size).toBe(fields.length);
      expect(desc.description).toContain(`(${fields.join(', ')})`);
    },
  );
});

describe('the message template of a trigger alert', () => {
  it.each([...triggers.keys()])('may name what %s finds', (type) => {
    const { fields } = triggers.get(type)!;
    expect(fields.length).toBeGreaterThan(0);
    expect(new Set(fields).size).toBe(fields.length);
  });

  it('is refused with a member that no such alert has, each at its place', async () => {
    const good = await newTrigger('FUNCTION_CALL', '{from} called {function}: {args.amount}', null, '{name}');
    expect(good.status).toBe(201);
    const { status, body } = await newTrigger('FUNCTION_CALL', '{from}', '{sender}');
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([
      400,
      '/alerts/1/message',
      'unknown-member',
    ]);
    expect(body.errors[0].message).toContain('function, signature, selector, args');
  });

  it('is held to the type on update, also when only the type changes', async () => {
    const { body: made } = await newTrigger('FUNCTION_CALL', '{args.amount}');
    const change = (more: Json) => api.call('PUT', `trigger/${made.id}`, more);
    const alerts = made.alerts.map((alert: Json) => ({ ...alert, message: '{amount}' }));
    expect((await change({ alerts })).body.errors[0].pointer).toBe('/alerts/0/message');
    expect((await change({ triggerType: 'NATIVE_TRANSFER' })).body.errors[0].pointer).toBe(
      '/alerts/0/message',
    );
    expect((await change({ triggerType: 'NATIVE_TRANSFER', alerts })).status).toBe(200);
    expect((await change({ name: 'Other' })).status).toBe(200);
  });
});
