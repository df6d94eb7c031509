import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { memberSchemas } from '../../src/model/schema.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { newBody } from './support/newBody.ts';
import { recordEndpoints } from './support/observe.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
const hidden = { code: 'hidden-character', message: expect.stringMatching(/U\+200B.* at position 4\./) };

/** Where the bodies that create records have names. */
const places = recordEndpoints
  .filter(({ method, path, body }) => method === 'POST' && !path.endsWith('/search') && body !== undefined)
  .flatMap(({ path, body }) =>
    Object.entries(memberSchemas(body!))
      .filter(([, schema]) => 'format' in schema && schema.format === 'name')
      .map(([member]): [string, string] => [path, member]),
  );

describe('a name', () => {
  it('is what most records have', () => {
    const kinds = places.map(([path]) => path);
    for (const kind of [
      '/tenant',
      '/organisation',
      '/user',
      '/plan',
      '/project',
      '/contract',
      '/wallet',
      '/apikey',
    ])
      expect(kinds).toContain(kind);
    expect(kinds.length).toBeGreaterThan(15);
  });

  it.each(places)(
    'POST %s: `%s` is refused with a character that no one sees, which is named',
    async (path, member) => {
      const body = { ...newBody(path, world), [member]: 'Pro\u200bj' };
      const answer = await api.call('POST', path.slice(1), body);
      expect([answer.status, answer.body.errors]).toEqual([400, [{ pointer: `/${member}`, ...hidden }]]);
    },
  );

  it.each([
    ['a control character', 'Pro\u0007', 'U\\+0007'],
    ['one that turns the text around', 'a\u202eb', 'U\\+202E'],
  ])('is refused with %s', async (_what, name, code) => {
    const { status, body } = await api.call('POST', 'project', { tenantId: world.tenant.id, name });
    expect([status, body.errors[0].message]).toEqual([400, expect.stringMatching(code)]);
  });

  it('is one however its accents are written, when made and when changed', async () => {
    const make = (name: string) => api.call('POST', 'project', { tenantId: world.tenant.id, name });
    const made = await make(decomposed);
    expect([made.status, made.body.name]).toEqual([201, composed]);
    expect((await make(composed)).status).toBe(409);
    const other = (await make('Other')).body.id;
    expect((await api.call('PUT', `project/${other}`, { name: decomposed })).status).toBe(409);
    const changed = await api.ok('PUT', `project/${other}`, { name: `${decomposed} 2` });
    expect(changed.name).toBe(`${composed} 2`);
  });

  it('a name inside of a record and of what is pushed is held to the same', async () => {
    const trigger = newBody('/trigger', world);
    const alerts = [{ ...trigger.alerts[0], name: 'Pro\u200bj' }];
    const refused = await api.call('POST', 'trigger', { ...trigger, alerts });
    expect([refused.status, refused.body.errors]).toEqual([400, [{ pointer: '/alerts/0/name', ...hidden }]]);
    const engine = { contractId: world.contract.id, schemaId: world.detectorSchema.id, name: 'Engine' };
    const { id } = await api.ok('POST', 'detector', { ...engine, source: 'EXTERNAL' });
    const finding = { eid: '1', message: 'Found.', name: 'Pro\u200bj' };
    const pushed = await api.call('POST', `detector/${id}/alert`, { alerts: [finding] });
    expect([pushed.status, pushed.body.errors]).toEqual([400, [{ pointer: '/alerts/0/name', ...hidden }]]);
    const csv = `address,name,tags\n0x${'a1'.repeat(20)},Pro\u200bj,MIXER\n`;
    const label = await api.call('POST', 'label/import', { tenantId: world.tenant.id, csv, source: 'own' });
    expect([label.status, label.text]).toEqual([422, expect.stringContaining('U+200B')]);
  });

  it('a name that was stored before may come back as it was read, and is not changed', async () => {
    const old = `Pro\u200bj ${decomposed}`;
    const trigger: Json = await api.ok('POST', 'trigger', newBody('/trigger', world));
    await api.store.query(sql`update "trigger" set name = ${old} where id = ${trigger.id}`);
    await api.store.query(sql`update trigger_alert set name = ${old} where trigger_id = ${trigger.id}`);
    const read = await api.ok('GET', `trigger/${trigger.id}`);
    const saved = await api.ok('PUT', `trigger/${trigger.id}`, { ...read, status: 'DISABLED' });
    expect([saved.status, saved.name, saved.alerts[0].name]).toEqual(['DISABLED', old, old]);
    const other = await api.call('PUT', `trigger/${trigger.id}`, { name: `${old}!` });
    expect([other.status, other.body.errors]).toEqual([400, [{ pointer: '/name', ...hidden }]]);
  });
});
