import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw, sql } from '../../src/lib/sql.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { share } from '../support/share.ts';

let api: TestApi;
let world: World;
let sent: { token: string };
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  sent = { token: await api.token(world.tenant.id, 'tenant-manager') };
});
afterAll(() => api.stop());

const expire = (expirationDate: number) =>
  api.ok('PUT', `subscription/${world.subscription.id}`, { expirationDate });
const setTenant = (status: string) => api.ok('PUT', `tenant/${world.tenant.id}`, { status });
const later = 4_000_000_000_000;

/** Each way in which a tenant may read but not write. */
const standings = [
  ['subscription-expired', () => expire(world.subscription.startDate + 1), () => expire(later)],
  ['tenant-disabled', () => setTenant('DISABLED'), () => setTenant('ACTIVE')],
] as const;

describe.each(standings)('a tenant that may not write (%s)', (code, begin, end) => {
  beforeAll(async () => {
    await begin();
    api.advance(1000);
  });
  afterAll(end);

  it('can halt its actions, and not let them run again', async () => {
    expect(await api.ok('POST', 'action/halt', undefined, sent)).toMatchObject({ halted: true });
    expect(expectProblem(await api.call('POST', 'action/resume', undefined, sent), 403).code).toBe(code);
    expect(await api.ok('GET', 'action/halt', undefined, sent)).toMatchObject({ halted: true });
  });

  it('takes no new user by an invite that was made before, which stays open', async () => {
    const body = {
      tenantId: world.tenant.id,
      email: `${code}@example.com`,
      roles: ['tenant-viewer'],
      url: 'https://console.example.com/accept',
    };
    const made = await api.call('POST', 'invite', body);
    const uid = new URL(made.headers.get('x-invite-accept-link')!).searchParams.get('invite')!;
    const accept = () =>
      api.call(
        'POST',
        `invite/${uid}/accept`,
        { name: 'Bob', password: 'correct horse battery' },
        { token: null },
      );
    expect(expectProblem(await accept(), 403).code).toBe(code);
    await end();
    expect((await accept()).status).toBe(201);
    await begin();
  });
});

describe('findings of an outside engine', () => {
  it('raise nothing for a detector that is disabled, or whose project or schema is', async () => {
    const schema = await api.ok('POST', 'detector/schema', { title: 'E', name: 'engine', version: '1' });
    const body = { contractId: world.contract.id, schemaId: schema.id, name: 'Engine', source: 'EXTERNAL' };
    const detector = await api.ok('POST', 'detector', body);
    let n = 0;
    const push = () =>
      api.call('POST', `detector/${detector.id}/alert`, { alerts: [{ eid: `e${++n}`, message: 'Found.' }] });
    expect((await push()).status).toBe(200);
    for (const [table, id, word] of [
      ['detector', detector.id, 'detector'],
      ['contract', world.contract.id, 'contract'],
      ['project', world.project.id, 'project'],
      ['detector_schema', schema.id, 'detector schema'],
    ] as const) {
      const set = (status: string) =>
        api.store.query(sql`update ${raw(table)} set status = ${status} where id = ${id}`);
      await set('DISABLED');
      const refused = expectProblem(await push(), 409);
      expect([refused.code, refused.detail]).toEqual(['conflict', expect.stringContaining(`The ${word} is`)]);
      await set('ACTIVE');
    }
    expect((await push()).status).toBe(200);
    const found = await api.ok('POST', 'alert/search', { query: `detectorId:${detector.id}` });
    expect(found.data).toHaveLength(2);
  });
});

describe('a backtest of a proposed detector', () => {
  it('is for those who may write the contract, and not for those who may look at it', async () => {
    const guest = await createWorld(api);
    await share(api, world.project.id, [guest.tenant.id]);
    const token = await api.token(guest.tenant.id, 'tenant-user');
    await api.ok('GET', `contract/${world.contract.id}`, undefined, { token });
    const body = {
      contractId: world.contract.id,
      schemaId: world.detectorSchema.id,
      fromBlock: 1,
      toBlock: 2,
    };
    expectProblem(await api.call('POST', 'detector/backtest', body, { token }), 422, '/contractId');
    const own = { ...body, contractId: guest.contract.id };
    // Its own gets as far as its configuration, which this schema has none for.
    expectProblem(await api.call('POST', 'detector/backtest', own, { token }), 422, '/config');
  });
});

describe('the plan', () => {
  const limit = (maxDetectors: number) => api.ok('PUT', `plan/${world.plan.id}`, { maxDetectors });
  const used = async (): Promise<Json> => (await api.ok('GET', 'auth/me', undefined, sent)).plan.use;

  it('counts every detector whatever its source says, but for the one that comes with the contract', async () => {
    const attack = await api.ok('POST', 'detector/schema', {
      title: 'Attack',
      name: 'attack_detector',
      version: '9',
    });
    const { maxDetectors } = await used();
    const place = { projectId: world.project.id, chainUid: 'anvil', name: 'C' };
    const address = '0x00000000000000000000000000000000000000a1';
    const contract = await api.ok('POST', 'contract', { ...place, address }, sent);
    expect((await used()).maxDetectors).toBe(maxDetectors);
    const make = (schemaId: number) =>
      api.call(
        'POST',
        'detector',
        { contractId: contract.id, schemaId, name: 'D', source: 'ATTACK_DETECTOR' },
        sent,
      );
    await limit(maxDetectors + 2);
    expect((await make(world.detectorSchema.id)).status).toBe(201);
    expect((await make(attack.id)).status).toBe(201);
    expect(expectProblem(await make(attack.id), 403)).toMatchObject({
      code: 'plan-limit',
      count: maxDetectors + 2,
    });
    const { data } = await api.ok('POST', 'detector/search', {
      where: `contractId = ${contract.id} and name = 'Attack detector'`,
    });
    const turned = await api.call(
      'PUT',
      `detector/${data[0].id}`,
      { schemaId: world.detectorSchema.id, source: 'EXTERNAL' },
      sent,
    );
    // Another one of the contract takes its place as the one that is not counted.
    expect(turned.status).toBe(200);
    const second = await api.ok('POST', 'detector/search', {
      where: `contractId = ${contract.id} and schema.name = 'attack_detector'`,
    });
    const again = await api.call(
      'PUT',
      `detector/${second.data[0].id}`,
      { schemaId: world.detectorSchema.id, source: 'EXTERNAL' },
      sent,
    );
    expect(expectProblem(again, 403).code).toBe('plan-limit');
  });

  it('does not count the AML detector that a contract asks for, but a second one of its kind', async () => {
    const schema = await api.ok('POST', 'detector/schema', { title: 'AML', name: 'aml', version: '9' });
    const { maxDetectors } = await used();
    await limit(maxDetectors);
    for (let times = 0; times < 2; times++)
      await api.ok('PUT', `contract/${world.contract.id}`, { amlRequired: true, name: 'AML' }, sent);
    expect((await used()).maxDetectors).toBe(maxDetectors);
    const second = { contractId: world.contract.id, schemaId: schema.id, name: 'More', source: 'PLATFORM' };
    expect(expectProblem(await api.call('POST', 'detector', second, sent), 403).code).toBe('plan-limit');
  });

  it('counts API keys until they end', async () => {
    const { maxApiKeys } = await used();
    await api.ok('PUT', `plan/${world.plan.id}`, { maxApiKeys: maxApiKeys + 1 });
    const make = () =>
      api.call('POST', 'apikey', { label: 'short', roles: ['tenant-viewer'], lifetime: 60 }, sent);
    expect((await make()).status).toBe(201);
    expect(expectProblem(await make(), 403).code).toBe('plan-limit');
    api.advance(60_000);
    expect((await used()).maxApiKeys).toBe(maxApiKeys);
    expect((await make()).status).toBe(201);
  });
});
