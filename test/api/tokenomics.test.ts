import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { share } from '../support/share.ts';
import { anvilChain } from '../wallets/support/anvilChain.ts';
import { observe } from './support/observe.ts';

const coin = 10n ** 6n;
const day = 86_400_000;
const long = 4_000_000_000_000;
const team = '0x00000000000000000000000000000000000ABC01';
const sale = '0x00000000000000000000000000000000000abc02';

let anvil: Anvil;
let watch: TestWatch;
let api: TestApi;
beforeAll(async () => {
  anvil = await startAnvil();
  await anvil.deployMulticall();
  watch = await startTestWatch({ anvil: { urls: [anvil.url], startBlock: 0 } });
  api = observe(watch);
});
afterAll(async () => {
  await api.stop();
  await anvil.stop();
});

async function newToken(): Promise<{ token: Contract; id: number }> {
  const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 1000n * coin);
  // Capitals throughout, which is a spelling that is accepted.
  return { token, id: await watch.addContract(`0x${token.address.slice(2).toUpperCase()}`) };
}

async function newCategory(contractId: number, name: string, more: Json, ...plans: [number, string][][]) {
  const category = await api.ok('POST', 'tokenomics/category', { contractId, name, ...more });
  const schedules: Json[] = [];
  for (const plan of plans) {
    const amounts = plan.map(([timestamp, amount]) => ({ timestamp, amount }));
    const body = { categoryId: category.id, name: `${name} ${schedules.length}`, amounts };
    schedules.push(await api.ok('POST', 'tokenomics/schedule', body));
  }
  return { category, schedules };
}

const read = (id: number, query = '') => api.ok('GET', `contract/${id}/tokenomics${query}`);
const points = (...pairs: [number, string][]) => pairs.map(([timestamp, amount]) => ({ timestamp, amount }));

describe('GET /contract/{id}/tokenomics', () => {
  it('gives what is planned over time and what the chain holds now, asked in one call', async () => {
    const { token, id } = await newToken();
    const owner = anvil.accounts[0];
    await token.send(owner, 'transfer', team, 250n * coin + 1n);
    await token.send(owner, 'transfer', sale, 90n * coin);
    const { category, schedules } = await newCategory(
      id,
      'Team',
      { address: team, amount: '500.5' },
      [
        [day, '100'],
        [long, '200'],
      ],
      [
        [day, '0.5'],
        [2 * day, '50'],
      ],
    );
    await newCategory(id, 'Sale', { address: sale, amount: '400' }, [[3 * day, '100']]);
    await newCategory(id, 'Later', {}, [[long, '7']]);
    await newCategory(id, 'Unplanned', { address: sale });
    const gone = await newCategory(id, 'Off', { address: team, amount: '9' }, [[day, '9']]);
    await api.ok('PUT', `tokenomics/category/${gone.category.id}`, { status: 'DISABLED' });

    await read(id);
    watch.calls.clear();
    const answer = await read(id);
    expect(watch.calls.get('eth_call')).toBe(1);
    expect(answer).toMatchObject({
      contractId: id,
      chainUid: 'anvil',
      block: Number(await anvil.blockNumber()),
      symbol: 'TKN',
      decimals: 6,
      fault: null,
      totalSupply: { planned: '900.5', actual: '1000' },
      circulating: {
        line: points([day, '100.5'], [2 * day, '150.5'], [3 * day, '250.5'], [long, '457.5']),
        planned: '250.5',
        actual: '1000',
        difference: '749.5',
        locked: '0',
      },
    });
    expect(Math.abs(answer.timestamp - Date.now())).toBeLessThan(60_000);
    expect(answer.categories[0]).toEqual({
      id: category.id,
      uid: category.uid,
      name: 'Team',
      address: team,
      amount: '500.5',
      line: points([day, '100.5'], [2 * day, '150.5'], [long, '350.5']),
      planned: '150.5',
      actual: '250.000001',
      difference: '99.500001',
      samples: [],
      schedules: [
        {
          id: schedules[0]!.id,
          uid: schedules[0]!.uid,
          name: 'Team 0',
          line: points([day, '100'], [long, '300']),
          planned: '100',
        },
        {
          id: schedules[1]!.id,
          uid: schedules[1]!.uid,
          name: 'Team 1',
          line: points([day, '0.5'], [2 * day, '50.5']),
          planned: '50.5',
        },
      ],
    });
    expect(answer.categories.slice(1)).toMatchObject([
      { name: 'Sale', planned: '100', actual: '90', difference: '-10' },
      { name: 'Later', address: null, planned: '0', actual: null, difference: null },
      { name: 'Unplanned', amount: null, line: [], planned: null, actual: '90', difference: null },
    ]);
  });

  it('cuts the lines to the range, opening with what holds at its start', async () => {
    const { id } = await newToken();
    const plan: [number, string][] = [
      [day, '1'],
      [3 * day, '2'],
      [5 * day, '4'],
    ];
    await newCategory(id, 'Team', { address: team }, plan);
    const lineOf = async (query: string) => {
      const { categories, circulating } = await read(id, query);
      expect(circulating.line).toEqual(categories[0].line);
      expect(categories[0].schedules[0].line).toEqual(categories[0].line);
      expect(categories[0].planned).toBe('7');
      return categories[0].line;
    };
    expect(await lineOf(`?from=${2 * day}&to=${4 * day}`)).toEqual(points([2 * day, '1'], [3 * day, '3']));
    expect(await lineOf(`?from=${3 * day}`)).toEqual(points([3 * day, '3'], [5 * day, '7']));
    expect(await lineOf(`?to=${3 * day}`)).toEqual(points([day, '1'], [3 * day, '3']));
    expect(await lineOf('?from=1&to=1')).toEqual(points([1, '0']));
  });

  it('takes the circulating supply from its detector: levels of the schedule, without what lockers hold', async () => {
    const { token, id } = await newToken();
    const [owner, locker] = anvil.accounts;
    await token.send(owner, 'transfer', locker, 400n * coin);
    const config = {
      lockerAddresses: [locker],
      schedule: [
        { at: '2999-01-01T00:00:00Z', supply: '900' },
        { at: '2020-01-01T00:00:00Z', supply: '500' },
      ],
    };
    const detectorId = await watch.addDetector(id, 'circulation_supply', config);
    expect((await read(id)).circulating).toMatchObject({
      line: points([Date.parse('2020-01-01'), '500'], [Date.parse('2999-01-01'), '900']),
      planned: '500',
      actual: '600',
      difference: '100',
      locked: '400',
    });
    await api.ok('PUT', `detector/${detectorId}`, { status: 'DISABLED' });
    expect((await read(id)).circulating).toMatchObject({ line: [], planned: null, actual: '1000' });
  });

  it('shows what alerts saw of the past', async () => {
    const { token, id } = await newToken();
    await newCategory(id, 'Team', { address: team }, [[day, '100']]);
    await watch.addDetector(id, 'tokenomics_allocation', { when: 'block' });
    const watching = watch.watch();
    await until(async () => {
      await anvil.mine();
      return (await read(id)).categories[0].samples.length > 0;
    });
    await anvil.increaseTime(60);
    await token.send(anvil.accounts[0], 'transfer', team, 150n * coin);
    await watch.reached('anvil', Number(await anvil.blockNumber()));
    await watching.stop();
    const [{ samples }] = (await read(id)).categories;
    expect(samples.map(({ amount }: Json) => amount)).toEqual(['0', '150']);
    expect((await read(id, `?to=${samples[0].timestamp}`)).categories[0].samples).toEqual([samples[0]]);
  });

  it('gives the plan alone, and the reason, for a contract that is no token', async () => {
    const id = await watch.addContract(anvil.accounts[5]);
    await newCategory(id, 'Team', { address: team, amount: '5' }, [[day, '5']]);
    expect(await read(id)).toMatchObject({
      fault: { code: 'not-a-token' },
      block: null,
      symbol: null,
      decimals: null,
      totalSupply: { planned: '5', actual: null },
      circulating: { planned: '5', actual: null, difference: null, locked: null },
      categories: [{ planned: '5', actual: null, difference: null }],
    });
  });

  it('gives the plan alone, and the reason, for a chain that is not configured', async () => {
    const id = await watch.addContract(team, { chainUid: 'base' });
    await newCategory(id, 'Team', { address: team }, [[day, '5']]);
    const answer = await read(id);
    expect(answer.fault).toEqual({
      code: 'chain-not-configured',
      message: 'No endpoint is configured for base; an administrator adds one by POST /chain/base/endpoint.',
    });
    expect(answer.categories).toMatchObject([{ planned: '5', actual: null }]);
  });

  it('does not wait for nodes that are away, nor for long for those that hang', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    for (const port of [9, (silent.address() as AddressInfo).port]) {
      const chain = anvilChain(`http://127.0.0.1:${port}`);
      const other = observe(await startTestApi({ chains: chain }));
      const { id: tenantId } = await other.ok('POST', 'tenant', { name: 'T' });
      const project = await other.ok('POST', 'project', { tenantId, name: 'P' });
      const body = { projectId: project.id, name: 'C', chainUid: 'anvil', address: team };
      const { id } = await other.ok('POST', 'contract', body);
      const begun = performance.now();
      const answer = await other.ok('GET', `contract/${id}/tokenomics`);
      expect(performance.now() - begun).toBeLessThan(9000);
      expect(answer.fault.code).toBe('chain-unavailable');
      await other.stop();
      await chain.close();
    }
    silent.closeAllConnections();
    silent.close();
  });

  it.each([
    ['?from=2&to=1', '/query/to'],
    ['?from=-1', '/query/from'],
    ['?to=tomorrow', '/query/to'],
    ['?since=1', '/query/since'],
    ['?from=99999999999999999', '/query/from'],
  ])('refuses %s', async (query, pointer) => {
    const { id } = await newToken();
    const { status, body } = await api.call('GET', `contract/${id}/tokenomics${query}`);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  });

  it('is for callers who may see the contract: 404 to another tenant, until the project is shared', async () => {
    const { id } = await newToken();
    await newCategory(id, 'Team', { address: team }, [[day, '5']]);
    const stranger = await api.ok('POST', 'tenant', { name: 'Strangers' });
    const token = await api.token(stranger.id, 'tenant-viewer');
    const ask = () => api.call('GET', `contract/${id}/tokenomics`, undefined, { token });
    expect((await ask()).status).toBe(404);
    const { projectId } = await api.ok('GET', `contract/${id}`);
    await share(api, projectId, [stranger.id]);
    expect(await ask()).toMatchObject({
      status: 200,
      body: { categories: [{ name: 'Team', planned: '5' }] },
    });
    await api.ok('PUT', `project/${projectId}`, { viewTenantIds: [] });
    await api.ok('DELETE', `contract/${id}`);
    expect((await api.call('GET', `contract/${id}/tokenomics`)).status).toBe(404);
  });
});

describe('tokenomics records', () => {
  it('take only addresses of the contract’s chain, on create and on update', async () => {
    const { id: contractId } = await newToken();
    const wrong = ['0x12', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', team.replace('ABC', 'aBc'), ''];
    const good = await api.ok('POST', 'tokenomics/category', { contractId, name: 'Team', address: team });
    for (const address of wrong) {
      const answers = [
        await api.call('POST', 'tokenomics/category', { contractId, name: 'Team', address }),
        await api.call('PUT', `tokenomics/category/${good.id}`, { address }),
      ];
      for (const { status, body } of answers)
        expect([status, body.errors[0].pointer, body.errors[0].code], address).toEqual([
          422,
          '/address',
          'not-an-address',
        ]);
    }
    expect(await api.ok('GET', `tokenomics/category/${good.id}`)).toEqual(good);
    expect(await api.ok('PUT', `tokenomics/category/${good.id}`, { address: null })).toMatchObject({
      address: null,
      uid: good.uid,
    });
  });

  it('keep releases in order of time', async () => {
    const { id: contractId } = await newToken();
    const { schedules } = await newCategory(contractId, 'Team', {}, [
      [3 * day, '3'],
      [day, '1'],
    ]);
    const [{ id, uid, amounts }] = schedules as [Json];
    expect(amounts).toEqual(points([day, '1'], [3 * day, '3']));
    const change = { amounts: points([2 * day, '2'], [day, '1']) };
    expect(await api.ok('PUT', `tokenomics/schedule/${id}`, change)).toMatchObject({
      uid,
      amounts: points([day, '1'], [2 * day, '2']),
    });
  });

  it.each([
    [[{ timestamp: 1, amount: 5 }], '/amounts/0/amount'],
    [[{ timestamp: 1, amount: '-5' }], '/amounts/0/amount'],
    [[{ timestamp: 1, amount: '1e3' }], '/amounts/0/amount'],
    [[{ timestamp: 1, amount: '1_000' }], '/amounts/0/amount'],
    [[{ timestamp: '2026-01-01', amount: '5' }], '/amounts/0/timestamp'],
    [[{ timestamp: -1, amount: '5' }], '/amounts/0/timestamp'],
    [[{ timestamp: 1, amount: '5', note: 'x' }], '/amounts/0/note'],
    [[{ amount: '5' }], '/amounts/0/timestamp'],
    [[], '/amounts'],
  ])('refuse the releases %j', async (amounts, pointer) => {
    const { id: contractId } = await newToken();
    const { category, schedules } = await newCategory(contractId, 'Team', {}, [[day, '1']]);
    const body = { categoryId: category.id, name: 'Bad', amounts };
    for (const { status, body: problem } of [
      await api.call('POST', 'tokenomics/schedule', body),
      await api.call('PUT', `tokenomics/schedule/${schedules[0]!.id}`, { amounts }),
    ])
      expect([status, problem.errors[0].pointer]).toEqual([400, pointer]);
  });
});
