import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostQueues } from '../../src/lib/createHostQueues.ts';
import { type Egress, toEgress } from '../../src/lib/egress.ts';
import { raw, sql } from '../../src/lib/sql.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { sealStored } from '../../src/services/detectors/sealStored.ts';
import { findTargets, openTarget } from '../../src/store/destinations/targets.ts';
import { findDetectorToRun } from '../../src/store/watch/backtests.ts';
import { createHttpProbe } from '../../src/watch/reads/createHttpProbe.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';
import { loopback } from '../notify/support/notifyWorld.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';

let api: TestApi;
let world: World;
let sink: HttpSink;
let probeSchema: number;
beforeAll(async () => {
  api = await startTestApi({ egress: toEgress(loopback()) });
  world = await createWorld(api);
  sink = await startHttpSink();
  await publishDetectors(api.store, Date.now());
  const found = await api.ok('POST', 'detector/schema/search', { where: "name = 'http_probe'" });
  probeSchema = found.data[0].id;
});
afterAll(async () => {
  await api.stop();
  await sink.close();
});

/** Every row of the tables that could hold the secret, as text. */
async function stored(): Promise<string> {
  const texts = await Promise.all(
    ['destination', 'detector', 'backtest', 'audit_entry'].map((table) =>
      api.store.query<{ row: string }>(sql`select t::text as row from ${raw(table)} t`),
    ),
  );
  return JSON.stringify(texts);
}

const targetOf = async (id: number) => {
  const [sealed] = await findTargets(api.store, [id]);
  return openTarget(api.services.keyring, sealed!, Date.now());
};

describe('the webhook address of MESSENGER_B', () => {
  const secret = 'T00-secret-path';
  const uri = `https://hooks.example.com/services/${secret}`;
  const shown = 'https://hooks.example.com/[sealed]';
  const make = (body: Json) => api.ok('POST', 'destination', { tenantId: world.tenant.id, ...body });

  it('is sealed, shown by its origin, and sent back as it was read', async () => {
    for (const given of [{ messengerBUri: uri }, { value: uri }]) {
      const made = await make({ type: 'MESSENGER_B', ...given });
      expect([made.messengerBUri, made.value]).toEqual([shown, shown]);
      const path = `destination/${made.id}`;
      const read = await api.ok('GET', path);
      expect(await api.ok('PUT', path, read)).toMatchObject({ value: shown, updatedAt: made.updatedAt });
      expect((await api.ok('PUT', path, { messengerBUri: uri })).updatedAt).toBe(made.updatedAt);
      expect(await targetOf(made.id)).toMatchObject({ messengerBUri: uri });
      const other = `${uri}/other`;
      expect(await api.ok('PUT', path, { ...read, messengerBUri: other })).toMatchObject({ value: shown });
      expect(await targetOf(made.id)).toMatchObject({ messengerBUri: other });
      const elsewhere = { messengerBUri: 'https://evil.example/[sealed]' };
      expectProblem(await api.call('PUT', path, elsewhere), 400, '/messengerBUri');
    }
    const beside = { type: 'HTTP', uri: 'https://example.com/a', messengerBUri: uri };
    const refused = await api.call('POST', 'destination', { tenantId: world.tenant.id, ...beside });
    expectProblem(refused, 422, '/messengerBUri');
    expect(await stored()).not.toContain(secret);
  });

  it('the webhook address of MESSENGER_B that an earlier version stored in the clear is sealed at the start, once', async () => {
    const { id } = await make({ type: 'MESSENGER_B', value: 'https://hooks.example.com/x' });
    await api.store.query(
      sql`update destination set value = ${uri}, messenger_b_uri = ${uri}, sealed_messenger_b_uri = null where id = ${id}`,
    );
    await sealStored(api.store, api.services.keyring);
    await sealStored(api.store, api.services.keyring);
    expect(await api.ok('GET', `destination/${id}`)).toMatchObject({ value: shown, messengerBUri: shown });
    expect(await targetOf(id)).toMatchObject({ messengerBUri: uri });
  });
});

describe('a credential in a configuration', () => {
  const auth = 'Bearer probe-secret';
  const add = (config: Json) =>
    api.ok('POST', 'detector', {
      contractId: world.contract.id,
      schemaId: probeSchema,
      name: 'Probe',
      config,
    });
  const run = async (id: number) => {
    const { config } = await findDetectorToRun(api.store, world.tenant.id, id);
    const { url, auth: sealed } = config as { url: string; auth: string };
    const { probe, close } = createHttpProbe({
      egress: toEgress(loopback()),
      hosts: createHostQueues(),
      keyring: api.services.keyring,
    });
    const request = { url, method: 'GET', headers: { authorization: sealed }, timeoutMs: 5000 };
    const answer = await probe(request, world.tenant.id);
    await close();
    return answer;
  };

  it('is sealed, never shown again, sent to its own receiver, and to no other', async () => {
    const url = `${sink.url}/probe`;
    const made = await add({ url, auth });
    expect(made.config).toEqual({ url, auth: '[sealed]' });
    const path = `detector/${made.id}`;
    expect((await api.ok('PUT', path, { config: made.config })).updatedAt).toBe(made.updatedAt);
    await api.ok('PUT', path, { config: { ...made.config, url: `${sink.url}/other` } });
    expect(await run(made.id)).toMatchObject({ status: 200 });
    expect(sink.received.at(-1)).toMatchObject({ path: '/other', headers: { authorization: auth } });
    const moved = { config: { url: 'https://evil.example/', auth: '[sealed]' } };
    expectProblem(await api.call('PUT', path, moved), 400, '/config/auth');
    const none = { contractId: world.contract.id, schemaId: probeSchema, name: 'P', config: moved.config };
    expectProblem(await api.call('POST', 'detector', none), 400, '/config/auth');
    const long = { config: { url, auth: 'x'.repeat(4001) } };
    expectProblem(await api.call('PUT', path, long), 400, '/config/auth');
    await api.ok('PUT', path, { config: { url, auth: 'y'.repeat(4000) } });
    expect(await run(made.id)).toMatchObject({ status: 200 });
    expect(await stored()).not.toContain('probe-secret');
    expect((await api.call('GET', 'audit?size=1000')).text).not.toContain('probe-secret');
  });

  it('a credential in a configuration that an earlier version stored in the clear is sealed at the start, once', async () => {
    const { id } = await add({ url: `${sink.url}/old` });
    const config = { url: `${sink.url}/old`, auth };
    await api.store.query(
      sql`update detector set config = ${JSON.stringify(config)}::jsonb where id = ${id}`,
    );
    await sealStored(api.store, api.services.keyring);
    await sealStored(api.store, api.services.keyring);
    expect((await api.ok('GET', `detector/${id}`)).config).toEqual({ ...config, auth: '[sealed]' });
    await run(id);
    expect(sink.received.at(-1)).toMatchObject({ path: '/old', headers: { authorization: auth } });
  });

  it('a credential in a configuration of an internal service brings the status alone, and the body only where the network is the tenant’s own', async () => {
    const own = { ...toEgress(new BlockList()), tenantNetworks: new Map([[world.tenant.id, loopback()]]) };
    const ask = async (egress: Egress) => {
      const { probe, close } = createHttpProbe({
        egress,
        hosts: createHostQueues(),
        keyring: api.services.keyring,
      });
      const url = `${sink.url}/inside`.replace('127.0.0.1', 'localhost');
      const answer = await probe({ url, method: 'GET', headers: {}, timeoutMs: 5000 }, world.tenant.id);
      await close();
      return answer;
    };
    expect(await ask({ ...own, ...toEgress(loopback()) })).toMatchObject({
      status: 200,
      body: '',
      internal: 'withheld',
    });
    expect(await ask(own)).toMatchObject({ status: 200, internal: 'unshown' });
    expect(await ask({ ...own, ...toEgress(new BlockList()) })).toMatchObject({
      failure: expect.stringContaining('private'),
    });
  });
});
