import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const topic = (party: string) => word(BigInt(party));
const [vault, token, thief] = [address('22'), address('11'), address('ee')];
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const chain = createSimChain({ chainId: 31337 });
/** From this block on everything is another. */
let changedAt = Number.POSITIVE_INFINITY;
/** From this block on the vault has no tokens. */
let drainedAt = Number.POSITIVE_INFINITY;
let simulator: Simulator;
let vigil: TestWatch;
let watching: { stop(): Promise<void> };

beforeAll(async () => {
  const pick = <T>(number: number, before: T, after: T) => (number < changedAt ? before : after);
  simulator = await startSimulator({
    chain,
    state: {
      balance: (_, { number }) => pick(number, 1000n, 10n),
      code: (_, { number }) => pick(number, '0x6001', '0x6002'),
      storage: (_, slot, { number }) => (BigInt(slot) === 5n ? word(pick(number, 1n, 2n)) : word(0n)),
      call: ({ data = '0x' }, { number }) => {
        if (data === '0x313ce567') return word(6n);
        if (data.startsWith('0x70a08231')) return word(number >= drainedAt ? 0n : pick(number, 500n, 400n));
        return data === '0x06661abd' ? word(pick(number, 7n, 8n)) : '0x';
      },
    },
  });
  vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } });
});
afterAll(async () => {
  await vigil?.stop();
  await simulator?.stop();
});

const found = async (): Promise<Json[]> =>
  (await vigil.alerts()).filter(({ tags }: Json) => !tags.includes('fault'));

it('a change one block after a detector or trigger is created is seen, also by one that looks rarely and without a log', async () => {
  const other = await vigil.addContract(address('33'), { name: 'Other' });
  await vigil.addDetector(other, 'ownership_change');
  watching = vigil.watch();
  chain.extend(3);
  await vigil.reached('anvil', 3);
  const contractId = await vigil.addContract(vault, { name: 'Vault' });
  await vigil.addDetector(contractId, 'tvl_drop');
  await vigil.addDetector(contractId, 'contract_hash_verification');
  for (const [triggerType, params] of [
    ['STATE_CHANGE', { slot: '5', when: 'cron', cron: '10 min' }],
    ['BALANCE_CHANGE', { token }],
    ['VIEW_FUNCTION', { signature: 'count()(uint256)', when: 'cron', cron: '10 min' }],
  ] as const) {
    const alerts = [{ severity: 'HIGH', name: triggerType, message: null }];
    await vigil.ok('POST', 'trigger', { contractId, name: triggerType, triggerType, params, alerts });
  }
  changedAt = 4;
  chain.extend(1);
  await vigil.reached('anvil', 4);
  expect(await names()).toEqual(['BALANCE_CHANGE', 'tvl_drop']);
  chain.extend({ timestamp: chain.head.timestamp + 660 });
  await vigil.reached('anvil', 5);
  const all = ['BALANCE_CHANGE', 'STATE_CHANGE', 'VIEW_FUNCTION', 'contract_hash_verification', 'tvl_drop'];
  expect(await names()).toEqual(all);
  expect(await vigil.store.query(sql`select message from watch_fault`)).toEqual([]);
});

it('tvl_drop without settings sees a token leave that it did not know of', async () => {
  drainedAt = 6;
  const data = word(400n);
  chain.extend({ logs: [{ address: token, topics: [transferTopic, topic(vault), topic(thief)], data }] });
  await vigil.reached('anvil', 6);
  const drops = await until(async () => {
    const alerts = (await found()).filter(({ name, meta }) => name === 'tvl_drop' && meta.token === token);
    return alerts.length > 0 ? alerts : undefined;
  });
  // No node traces here, so that nothing but the token says so.
  expect(drops).toMatchObject([{ severity: 'MEDIUM', meta: { percent: 100, rawDrop: '400' } }]);
});

it('a subscriber that is noticed late is shown the blocks since it was created, from its baseline on', async () => {
  changedAt = drainedAt = Number.POSITIVE_INFINITY;
  chain.extend(1);
  const { number } = chain.head;
  await vigil.reached('anvil', number);
  const contractId = await vigil.addContract(address('44'), { name: 'Late' });
  // Its notice is lost, as while the connection to the database is down.
  await vigil.store.query(sql`alter table detector disable trigger detector_watch`);
  await vigil.addDetector(contractId, 'tvl_drop', {}, { name: 'late balance' });
  const signature = 'Transfer(address indexed from, address indexed to, uint256 value)';
  await vigil.addDetector(contractId, 'custom_event', { signature }, { name: 'late event' });
  await vigil.store.query(sql`alter table detector enable trigger detector_watch`);
  changedAt = number + 1;
  chain.extend({
    logs: [{ address: address('44'), topics: [transferTopic, topic(vault), topic(thief)], data: word(1n) }],
  });
  await vigil.reached('anvil', number + 1);
  await vigil.store.query(sql`select pg_notify('vigil_watch', ${`contract ${contractId}`})`);
  chain.extend(1);
  await vigil.reached('anvil', number + 2);
  expect(await inBlocks(contractId)).toEqual([
    ['late balance', number + 1],
    ['late event', number + 1],
  ]);
});

it('a subscriber is not shown what was there before it was created, although the chain is not processed that far', async () => {
  changedAt = Number.POSITIVE_INFINITY;
  const { number } = chain.head;
  await vigil.reached('anvil', number);
  // Nothing is processed for now.
  simulator.setFaults({ errorRate: 1, methods: ['eth_getLogs'] });
  changedAt = number + 2;
  chain.extend(3);
  const add = async (byte: string) => {
    const contractId = await vigil.addContract(address(byte), { name: 'New' });
    const signature = 'Transfer(address indexed from, address indexed to, uint256 value)';
    await vigil.addDetector(contractId, 'tvl_drop', {}, { name: 'new balance' });
    await vigil.addDetector(contractId, 'custom_event', { signature }, { name: 'new event' });
    return contractId;
  };
  const contractId = await add('66');
  simulator.setFaults({});
  chain.extend(1);
  await vigil.reached('anvil', number + 4);
  expect(await inBlocks(contractId)).toEqual([]);
  // Nor to one that was created while nothing was processed at all.
  await watching.stop();
  const log = (byte: string) => ({
    logs: [{ address: address(byte), topics: [transferTopic, topic(vault), topic(thief)], data: word(1n) }],
  });
  chain.extend(log('77'));
  const later = await add('77');
  chain.extend(log('77'));
  watching = vigil.watch();
  await vigil.reached('anvil', number + 6);
  expect(await inBlocks(later)).toEqual([['new event', number + 6]]);
});

it('a baseline that the nodes do not answer is asked for again, and the blocks meanwhile are compared with it', async () => {
  changedAt = Number.POSITIVE_INFINITY;
  chain.extend(1);
  const { number } = chain.head;
  await vigil.reached('anvil', number);
  const contractId = await vigil.addContract(address('55'), { name: 'Unread' });
  await vigil.addDetector(contractId, 'tvl_drop', {}, { name: 'unread balance' });
  simulator.setFaults({ errorRate: 1, methods: ['eth_getBalance', 'eth_call'] });
  changedAt = number + 1;
  chain.extend(1);
  await until(async () => (await vigil.store.query(sql`select from watch_fault`)).length > 0);
  simulator.setFaults({});
  chain.extend(1);
  await vigil.reached('anvil', number + 2);
  expect(await inBlocks(contractId)).toEqual([['unread balance', number + 1]]);
  expect(await vigil.store.query(sql`select message from watch_fault`)).toEqual([]);
});

async function inBlocks(contractId: number): Promise<[string, number][]> {
  const alerts = (await found()).filter((alert) => alert.contractId === contractId);
  return alerts
    .map(({ name, blockNumber }): [string, number] => [name, Number(blockNumber)])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

async function names(): Promise<string[]> {
  return (await found()).map(({ name }) => name).sort((one, other) => (one < other ? -1 : 1));
}
