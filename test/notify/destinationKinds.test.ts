import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DestinationType,
  destinationKinds,
  ownMembers,
} from '../../src/destinations/destinationKinds.ts';
import { raw, sql } from '../../src/lib/sql.ts';
import { destinationTypes } from '../../src/model/enumerations.ts';
import { findTargets, openTarget } from '../../src/store/destinations/targets.ts';
import { destinationTable } from '../../src/store/tables/destinationTable.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { sampleDestinations, secretsOf } from '../support/sampleDestinations.ts';

let api: TestApi;
let tenantId: number;
beforeAll(async () => {
  api = await startTestApi();
  tenantId = (await createWorld(api)).tenant.id;
});
afterAll(() => api.stop());

/** Members that destinations of every kind have. */
const common =
  'id createdAt updatedAt tenantId type name uid tags value messengerABotUsername settings gets groupWindowMs confirmed'.split(
    ' ',
  );
const withSettings = sampleDestinations.filter(({ settings }) => settings !== undefined);

describe('the list of kinds', () => {
  it('names every member of the record that not all kinds have', () => {
    const named = destinationTypes.flatMap(ownMembers);
    expect(Object.keys(destinationTable.fields).sort()).toEqual([...common, ...named].sort());
  });

  it('has a sealed column for each member of the record that is not public', () => {
    for (const type of destinationTypes)
      for (const name of ownMembers(type)) {
        if (destinationKinds[type].members[name]?.isPublic) continue;
        const column = `sealed${name[0]!.toUpperCase()}${name.slice(1)}`;
        expect(Object.keys(destinationTable.hidden ?? {}), `${type} ${name}`).toContain(column);
      }
  });

  it('is what the API lists, with the secrets of each kind', async () => {
    const { data } = await api.ok('GET', 'destination/kind');
    expect(data.map(({ type }: Json) => type)).toEqual(destinationTypes);
    for (const { type, settings, secrets } of data) {
      const hidden = Object.keys(settings.properties).filter((name) => settings.properties[name].writeOnly);
      for (const name of hidden) expect(secrets).toContain(`settings.${name}`);
      const open = Object.values(destinationKinds[type as DestinationType].settings).filter(
        (s) => s.isPublic,
      );
      expect(hidden).toHaveLength(Object.keys(settings.properties).length - open.length);
    }
  });
});

describe.each(withSettings)('the settings of $type', (body) => {
  const make = () => api.ok('POST', 'destination', { tenantId, ...body });
  const openSettings = async (id: number) => {
    const [sealed] = await findTargets(api.store, [id]);
    return (await openTarget(api.services.keyring, sealed!, Date.now())).settings;
  };

  it('are sealed by default, shown nowhere, and sent back as they were read', async () => {
    const made = await make();
    const path = `destination/${made.id}`;
    const read = await api.call('GET', path);
    expect(await openSettings(made.id)).toMatchObject(body.settings);
    const back = await api.ok('PUT', path, read.body);
    expect(back.updatedAt).toBe(made.updatedAt);
    expect(await openSettings(made.id)).toMatchObject(body.settings);
    const seen = [
      JSON.stringify(made),
      read.text,
      (await api.call('POST', `destination/search`, { where: `id = ${made.id}` })).text,
      (await api.call('POST', `${path}/preview`, {})).text,
      (await api.call('GET', 'audit?size=1000')).text,
      (await api.call('POST', `${path}/test`)).text,
      (await api.call('PUT', path, { settings: { ...body.settings, unknown: 1 } })).text,
      JSON.stringify(await storedRows()),
    ];
    for (const secret of secretsOf(body)) for (const text of seen) expect(text).not.toContain(secret);
  });

  it('refuse what the kind does not name, and go when it becomes another kind', async () => {
    const unknown = { ...body, tenantId, settings: { ...body.settings, other: 'x' } };
    expectProblem(await api.call('POST', 'destination', unknown), 400, '/settings/other');
    const none = { tenantId, type: 'HTTP', uri: 'https://example.com/', settings: { other: 'x' } };
    expectProblem(await api.call('POST', 'destination', none), 400, '/settings/other');
    const { id, value } = await make();
    if (body.type === 'HTTP') return;
    expectProblem(await api.call('PUT', `destination/${id}`, { value: `${value}/other` }), 422, '/value');
    await api.ok('PUT', `destination/${id}`, { type: 'MESSENGER_A' });
    const { settings, value: left } = await api.ok('GET', `destination/${id}`);
    expect([settings, left]).toEqual([{}, null]);
    expect(await openSettings(id)).toEqual({});
  });
});

/** Every row that could hold a secret, as text. */
async function storedRows() {
  return Promise.all(
    ['destination', 'audit_entry', 'delivery_message'].map((table) =>
      api.store.query<{ row: string }>(sql`select t::text as row from ${raw(table)} t`),
    ),
  );
}
