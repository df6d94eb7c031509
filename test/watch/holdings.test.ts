import { afterAll, beforeAll, expect, it } from 'vitest';
import { functionSelector } from '../../src/codecs/evm/abi.ts';
import { sql } from '../../src/lib/sql.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const [vault, token, owner, next] = [address('22'), address('11'), address('aa'), address('bb')];
const text = (value: string) =>
  `${word(32n)}${word(BigInt(value.length)).slice(2)}${Buffer.from(value).toString('hex').padEnd(64, '0')}`;
const [symbol, decimals, owned, paused] = ['symbol()', 'decimals()', 'owner()', 'paused()'].map(
  functionSelector,
);
const ownershipTopic = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0';

const chain = createSimChain({ chainId: 31337, blockTimeSeconds: 600 });
/** From this block on the vault has half of its tokens, and another owner. */
let changedAt = Number.POSITIVE_INFINITY;
let simulator: Simulator;
let vigil: TestWatch;
let contractId: number;

beforeAll(async () => {
  simulator = await startSimulator({
    chain,
    state: {
      balance: () => 3n * 10n ** 18n,
      code: (_, { number }) => (number >= 0 ? '0x6001' : '0x'),
      storage: () => word(0n),
      call: ({ to, data = '0x' }, { number }) => {
        if (data === decimals) return word(6n);
        // Nothing of it may reach a page as markup.
        if (data === symbol) return text('<b>DUSD');
        if (to === token && data.startsWith('0x70a08231'))
          return word(number >= changedAt ? 250_000_000n : 500_000_000n);
        if (to !== vault) return '0x';
        if (data === owned) return word(BigInt(number >= changedAt ? next : owner));
        return data === paused ? word(0n) : '0x';
      },
    },
  });
  vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } });
  contractId = await vigil.addContract(vault, { name: 'Vault' });
  await vigil.addDetector(contractId, 'tvl_drop', { native: true, tokens: [{ token, threshold: '10%' }] });
  await vigil.addDetector(contractId, 'ownership_change', {});
  vigil.watch();
});
afterAll(async () => {
  await vigil?.stop();
  await simulator?.stop();
});

const range = () =>
  `from=${(chain.head.timestamp - 6 * 86_400) * 1000}&to=${chain.head.timestamp * 1000 + 999}`;
const holdings = async () => (await vigil.ok('GET', `contract/${contractId}/holdings?${range()}`)).data;
const rows = () =>
  vigil.store.query<{ count: number }>(sql`select count(*)::int as count from holding_sample`);

it('samples what the contract holds about once an hour, of what its detectors read anyway', async () => {
  // Twelve hours, six blocks each.
  chain.extend(72);
  await vigil.reached('anvil', 72);
  const [tokens, coins] = (await holdings()).sort((a: { asset: string }, b: { asset: string }) =>
    a.asset < b.asset ? -1 : 1,
  );
  expect([tokens.asset, coins.asset]).toEqual([token, 'native']);
  expect(tokens.symbol).toBe('‹b›DUSD');
  expect(tokens.decimals).toBe(6);
  expect(new Set(tokens.points.map(({ amount }: { amount: string }) => amount))).toEqual(new Set(['500']));
  expect(coins.points.at(-1)).toMatchObject({ amount: '3', usd: null });
  const now = async (asset: string) =>
    (await vigil.ok('GET', `contract/${contractId}/holdings?token=${asset}`)).now;
  expect(await now('native')).toMatchObject({ asset: 'native', symbol: 'ETH', amount: '3', blockNumber: 72 });
  // It answers no totalSupply(), so that it is no token for a form.
  expect(await now(token)).toBeNull();
  expect((await vigil.call('GET', `contract/${contractId}/holdings?token=dust`)).status).toBe(400);
  expect(tokens.points.length).toBeGreaterThanOrEqual(12);
  expect(tokens.points.length).toBeLessThanOrEqual(14);
});

it('samples a block that is alerted about, and forgets it when the block leaves the chain', async () => {
  const before = (await rows())[0]!.count;
  changedAt = 74;
  chain.extend([
    {},
    {
      logs: [
        {
          address: vault,
          topics: [ownershipTopic, word(BigInt(owner)), word(BigInt(next))],
        },
      ],
    },
  ]);
  await vigil.reached('anvil', 74);
  const dropped = (await holdings()).find(({ asset }: { asset: string }) => asset === token);
  // What it held before stays beside it.
  expect(dropped.points.map(({ amount }: { amount: string }) => amount).slice(-2)).toEqual(['500', '250']);
  expect(dropped.points.at(-1)).toMatchObject({ blockNumber: 74 });
  expect((await rows())[0]!.count).toBeGreaterThan(before);
  const facts = await vigil.ok('GET', `contract/${contractId}/facts`);
  expect(facts.fault).toBeNull();
  const [alert] = await vigil.alerts('detectorSchemaName:ownership_change');
  const fact = (name: string) => facts.data.find((one: { name: string }) => one.name === name);
  expect(fact('owner')).toMatchObject({ since: alert!.timestamp, alertUid: alert!.uid });
  expect(fact('owner').value.toLowerCase()).toBe(next);
  expect(fact('owner').watchedSince).toBeGreaterThan(0);
  // No detector says when it was last paused.
  expect(fact('paused')).toEqual({
    name: 'paused',
    value: 'false',
    since: null,
    alertUid: null,
    detectorId: null,
    watchedSince: null,
  });
  // Beside the one that is on by itself.
  expect(facts.detectors.slice(1)).toMatchObject([
    { schema: 'tvl_drop', judged: 0, precision: null },
    { schema: 'ownership_change', judged: 0, precision: null },
  ]);
  changedAt = Number.POSITIVE_INFINITY;
  chain.fork(72, 3);
  await vigil.reached('anvil', 75);
  const after = (await holdings()).find(({ asset }: { asset: string }) => asset === token);
  expect(after.points.map(({ amount }: { amount: string }) => amount)).not.toContain('250');
  const since = (await vigil.ok('GET', `contract/${contractId}/facts`)).data.find(
    ({ name }: { name: string }) => name === 'owner',
  );
  expect(since).toMatchObject({ since: null, alertUid: null });
});

it('answers another tenant as if the contract were not there, and refuses a range that is too long', async () => {
  const { id: strangerId } = await vigil.ok('POST', 'tenant', { name: 'Stranger' });
  const stranger = await vigil.token(strangerId, 'tenant-viewer');
  for (const path of ['holdings', 'facts']) {
    const { status } = await vigil.call('GET', `contract/${contractId}/${path}`, undefined, {
      token: stranger,
    });
    expect(status).toBe(404);
  }
  const refused = await vigil.call('GET', `contract/${contractId}/holdings?from=0&to=${Date.now()}`);
  expect(refused.status).toBe(400);
  expect((await vigil.call('GET', `contract/${contractId}/holdings?from=5&to=4`)).status).toBe(400);
});
