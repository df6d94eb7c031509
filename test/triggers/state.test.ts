import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeTrigger } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain(observeTrigger);
const coin = 10n ** 18n;
let victim: Contract;
let token: Contract;
beforeAll(async () => {
  victim = await chain.anvil.deploy(artifacts.Victim);
  token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 10n ** 12n);
});

describe('BALANCE_CHANGE', () => {
  it('reports every change of native coins, also of those that inner calls move', async () => {
    const trigger = await chain.watch('BALANCE_CHANGE', {}, victim);
    const forwarder = await chain.anvil.deploy(artifacts.Victim);
    await trigger.skip();
    const [sender] = chain.anvil.accounts;
    await forwarder.send({ from: sender, value: 2n * coin }, 'forward', victim.address, '0x');
    await chain.anvil.mine();
    expect(await trigger.catchUp()).toMatchObject([
      {
        message: expect.stringMatching(/^The balance of Watched rose from 0 ETH to 2 ETH\./),
        meta: { before: '0', after: '2', change: '2', token: 'native' },
      },
    ]);
    await chain.anvil.mine(2);
    expect(await trigger.catchUp()).toEqual([]);
  });

  it('reports a change only when the new balance meets the condition, and of an edge once', async () => {
    const [, , , , wallet, friend] = chain.anvil.accounts;
    const below = await chain.watch('BALANCE_CHANGE', { condition: '< 5' }, { address: wallet });
    const edge = await chain.watch('BALANCE_CHANGE', { condition: '<< 5' }, { address: wallet });
    const fall = await chain.watch('BALANCE_CHANGE', { condition: '<= -50%' }, { address: wallet });
    const told = new Map([below, edge, fall].map((trigger) => [trigger, [] as unknown[]]));
    for (const balance of [10n, 5n, 4n, 3n, 5n, 2n]) {
      await chain.anvil.setBalance(wallet, balance * coin);
      await chain.anvil.send({ from: friend, to: friend });
      // A balance that is set holds for the newest block only, so each is looked at before the next.
      for (const [trigger, balances] of told)
        balances.push(...(await trigger.catchUp()).map(({ meta }) => meta.after));
    }
    expect([...told.values()]).toEqual([
      ['4', '3', '2'],
      ['4', '2'],
      ['5', '2'],
    ]);
  });

  it('follows a token by its transfers, whatever else happens in the block', async () => {
    const [owner, wallet, friend] = chain.anvil.accounts;
    const trigger = await chain.watch(
      'BALANCE_CHANGE',
      { token: token.address, condition: '++1.5' },
      { address: wallet },
    );
    const transfer = (from: string, to: string, amount: bigint) => ({
      from,
      to: token.address,
      data: token.encode('transfer', to, amount),
    });
    await chain.anvil.sendTogether([transfer(owner, wallet, 1_000_000n), transfer(owner, wallet, 500_000n)]);
    await token.send(owner, 'transfer', wallet, 1_499_999n);
    await token.send(wallet, 'transfer', friend, 2_000_000n);
    // It comes and goes within a block.
    await chain.anvil.sendTogether([
      transfer(owner, wallet, 9_000_000n),
      transfer(wallet, friend, 9_000_000n),
    ]);
    expect(await trigger.catchUp()).toMatchObject([
      {
        message: expect.stringMatching(
          /^The balance of Watched rose from 0 TKN to 1\.5 TKN\. In this block: 1 TKN from 0x[0-9a-f]{40} in transaction 0x[0-9a-f]{64}; 0\.5 TKN from /,
        ),
        meta: { rawAfter: '1500000' },
      },
    ]);
    expect(trigger.faults).toEqual([]);
  });
});

describe('STATE_CHANGE', () => {
  it('reports another value in the slot, once for each change', async () => {
    const [sender] = chain.anvil.accounts;
    const trigger = await chain.watch('STATE_CHANGE', { slot: '0' }, victim);
    const elsewhere = await chain.watch('STATE_CHANGE', { slot: '0x01' }, victim);
    await chain.anvil.mine();
    await victim.send(sender, 'ping', 1n, '');
    await chain.anvil.mine();
    await victim.send(sender, 'ping', 1n, '');
    expect(await trigger.catchUp()).toMatchObject([
      {
        message: 'Storage slot 0x0 of Watched changed from 0x0 to 0x1.',
        meta: { before: `0x${'0'.repeat(64)}`, after: `0x${'1'.padStart(64, '0')}` },
      },
      { message: 'Storage slot 0x0 of Watched changed from 0x1 to 0x2.' },
    ]);
    expect(await elsewhere.catchUp()).toEqual([]);
  });

  it('sees a change of the very first block that it is shown', async () => {
    const trigger = await chain.watch('STATE_CHANGE', { slot: '0' }, victim);
    await victim.send(chain.anvil.accounts[0], 'ping', 1n, '');
    expect(await trigger.catchUp()).toHaveLength(1);
  });

  it('checks only as often as configured', async () => {
    const [sender] = chain.anvil.accounts;
    const trigger = await chain.watch('STATE_CHANGE', { slot: '0', when: 'cron', cron: '1 day' }, victim);
    await victim.send(sender, 'ping', 1n, '');
    expect(await trigger.catchUp()).toEqual([]);
    await chain.anvil.increaseTime(86_400);
    await victim.send(sender, 'ping', 1n, '');
    expect(await trigger.catchUp()).toHaveLength(1);
  });
});

describe('VIEW_FUNCTION', () => {
  it('reports every change without a condition', async () => {
    const [owner, holder] = chain.anvil.accounts;
    const trigger = await chain.watch(
      'VIEW_FUNCTION',
      { signature: 'balanceOf(address)(uint256)', params: [holder] },
      token,
    );
    await chain.anvil.mine();
    const before = await token.call('balanceOf', holder);
    await token.send(owner, 'transfer', holder, 1n);
    await chain.anvil.mine();
    expect(await trigger.catchUp()).toMatchObject([
      {
        message: expect.stringMatching(
          /^balanceOf of Watched gives [\d.]+ TKN, (it was [\d.]+ TKN|1 more than before)\.$/,
        ),
        meta: { function: 'balanceOf', before: String(before), params: [holder] },
      },
    ]);
  });

  it('reports a result that meets the condition, at the first look and at each change', async () => {
    const feed = await chain.anvil.deploy(artifacts.PriceFeed, 8, 100n);
    const [sender] = chain.anvil.accounts;
    const signature = 'latestRoundData()(uint80 round, int256 answer, uint256, uint256, uint80)';
    const above = await chain.watch(
      'VIEW_FUNCTION',
      { signature, result: 'answer', condition: '>= 100' },
      feed,
    );
    const fall = await chain.watch(
      'VIEW_FUNCTION',
      { signature, result: 'answer', condition: '<= -10%' },
      feed,
    );
    const results = async (trigger: typeof above) => (await trigger.catchUp()).map(({ meta }) => meta.result);
    await chain.anvil.mine(2);
    for (const price of [99n, 110n, 99n]) await feed.send(sender, 'set', price);
    expect(await results(above)).toEqual(['100', '110']);
    expect(await results(fall)).toEqual(['99']);
  });

  it('reports when the result comes to equal a value', async () => {
    const [owner] = chain.anvil.accounts;
    const paused = await chain.watch('VIEW_FUNCTION', { signature: 'paused()(bool)', equals: true }, token);
    const stranger = await chain.watch(
      'VIEW_FUNCTION',
      { signature: 'owner()', equals: chain.anvil.accounts[1] },
      { ...token, contract: { abi: token.abi } },
    );
    await chain.anvil.mine();
    await token.send(owner, 'pause');
    await chain.anvil.mine();
    await token.send(owner, 'unpause');
    await token.send(owner, 'pause');
    await token.send(owner, 'unpause');
    expect(await paused.catchUp()).toHaveLength(2);
    expect(await stranger.catchUp()).toEqual([]);
    expect(stranger.faults).toEqual([]);
  });

  it('makes a function that fails a visible fault', async () => {
    const trigger = await chain.watch('VIEW_FUNCTION', { signature: 'missing()(uint256)' }, victim);
    await chain.anvil.mine();
    expect(await trigger.catchUp()).toEqual([]);
    expect(trigger.faults).toEqual([expect.stringMatching(/^missing\(\) of 0x\w+ failed/)]);
  });
});
