import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
let vault: Contract;
let token: Contract;
beforeAll(async () => {
  anvil = await startAnvil();
  vault = await anvil.deploy(artifacts.VaultV1);
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
});
afterAll(() => anvil.stop());

async function observe(name: string, config: object, { address, abi } = vault) {
  const world = { address, contract: { abi } };
  const observer = await observeDetector(anvil.url, name, { when: 'block', ...config }, world);
  await observer.skip();
  const after = async (...steps: Promise<unknown>[]) => {
    await Promise.all(steps);
    return observer.catchUp();
  };
  return { ...observer, after };
}

const setValue = (value: bigint) => vault.send(anvil.accounts[0], 'setValue', value);

describe('contract_call', () => {
  it('compares what a function gives with a condition', async () => {
    const observer = await observe('contract_call', { function: 'reading()(uint256)', condition: '>> 100' });
    expect(await observer.after(setValue(100n))).toEqual([]);
    expect(await observer.after(setValue(101n))).toMatchObject([
      {
        severity: 'MEDIUM',
        message: 'reading() of Watched gives 101, which meets >> 100.',
        meta: { value: '101', function: 'reading()' },
      },
    ]);
    expect(await observer.after(setValue(500n))).toEqual([]);
    expect(await observer.after(setValue(1n))).toMatchObject([
      {
        severity: 'INFO',
        message: 'reading() of Watched gives 1, which no longer meets >> 100.',
        meta: { value: '1', ended: true },
      },
    ]);
    expect(await observer.after(setValue(101n))).toHaveLength(1);
    await observer.close();
  });

  it('reports a value that stays where it should not be once and when that is over, again after a time, or at every look', async () => {
    await setValue(1n);
    const config = {
      function: 'reading()(uint256)',
      condition: '> 100',
      severity: 'HIGH',
      desc: 'Too much!',
    };
    const begins = { severity: 'HIGH', message: 'Too much!' };
    const ends = { severity: 'INFO', message: 'reading() of Watched gives 1, which no longer meets > 100.' };
    const once = await observe('contract_call', config);
    const every = await observe('contract_call', { ...config, repeat: 'every look', reportEnd: false });
    const hourly = await observe('contract_call', { ...config, repeat: '1 h', cooldown: '2 h' });
    await setValue(101n);
    await anvil.mine(3);
    await setValue(1n);
    expect(await once.catchUp()).toMatchObject([begins, ends]);
    expect(await every.catchUp()).toMatchObject([begins, begins, begins, begins]);
    expect(await hourly.catchUp()).toMatchObject([begins, ends]);
    // What begins within the cooldown is held back, and so is its end.
    await setValue(101n);
    await setValue(1n);
    expect(await hourly.catchUp()).toEqual([]);
    expect(await once.catchUp()).toMatchObject([begins, ends]);
    for (const observer of [once, every, hourly]) await observer.close();
    await expect(observe('contract_call', { ...config, repeat: 'sometimes' })).rejects.toThrow(
      '/repeat must be "once", "every look", or a length of time',
    );
  });

  it('asks another contract with parameters, and knows the decimals', async () => {
    const [owner, someone] = anvil.accounts;
    const observer = await observe('contract_call', {
      function: 'balanceOf(address)(uint256)',
      params: [someone],
      target: token.address,
      decimals: 18,
      condition: '>= 1.5',
    });
    expect(await observer.after(token.send(owner, 'transfer', someone, 15n * 10n ** 17n - 1n))).toEqual([]);
    expect(await observer.after(token.send(owner, 'transfer', someone, 1n))).toMatchObject([
      { meta: { value: '1.5' } },
    ]);
    await observer.close();
  });

  it('runs a script that sees the value of the last look', async () => {
    await setValue(10n);
    const script = 'e.previous !== null && e.value > e.previous * 2n && e.values[0] === e.value';
    const observer = await observe('contract_call', { function: 'value()(uint256)', script });
    expect(await observer.after(setValue(10n))).toEqual([]);
    expect(await observer.after(setValue(20n))).toEqual([]);
    expect(await observer.after(setValue(41n))).toMatchObject([{ meta: { value: '41', previous: '20' } }]);
    await observer.close();
  });

  it('wants both to hold when both are given', async () => {
    const config = { function: 'value()(uint256)', condition: '> 5', script: 'e.value % 2n === 0n' };
    const observer = await observe('contract_call', config);
    expect(await observer.after(setValue(4n))).toEqual([]);
    expect(await observer.after(setValue(7n))).toEqual([]);
    expect(await observer.after(setValue(8n))).toHaveLength(1);
    await observer.close();
  });

  it('reports any change when there is neither, and takes what is given from the ABI', async () => {
    await setValue(1n);
    const observer = await observe('contract_call', { function: 'owner()' });
    await anvil.mine(2);
    expect(await observer.catchUp()).toEqual([]);
    expect(
      await observer.after(vault.send(anvil.accounts[0], 'initialize', anvil.accounts[1])),
    ).toMatchObject([{ meta: { value: anvil.accounts[1].toLowerCase(), previous: `0x${'0'.repeat(40)}` } }]);
    await observer.close();
  });

  it('looks at the result that is named', async () => {
    const feed = await anvil.deploy(artifacts.PriceFeed, 8, 500n);
    const signature = 'latestRoundData()(uint80 roundId, int256 answer, uint256, uint256, uint80)';
    const observer = await observe(
      'contract_call',
      { function: signature, result: 'answer', condition: '< +0' },
      feed,
    );
    expect(await observer.after(feed.send(anvil.accounts[0], 'set', 1n))).toEqual([]);
    expect(await observer.after(feed.send(anvil.accounts[0], 'set', -1n))).toMatchObject([
      { meta: { value: '-1' } },
    ]);
    await observer.close();
    const wrong = await observe('contract_call', { function: signature, result: 'price' }, feed);
    await wrong.after(anvil.mine());
    expect(wrong.faults).toEqual(['The function has no result price; it has roundId, answer, 2, 3, 4.']);
    await wrong.close();
  });

  it('reports once, or always, when the call fails, and nothing when failures are not tracked', async () => {
    const [owner] = anvil.accounts;
    const base = { function: 'reading()(uint256)', condition: '> 1e30' };
    const once = await observe('contract_call', base);
    const always = await observe('contract_call', { ...base, errAlways: true });
    const never = await observe('contract_call', { ...base, trackErr: false });
    await vault.send(owner, 'setBroken', true);
    await anvil.mine();
    expect(await once.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { error: expect.stringContaining('custom error') } },
    ]);
    expect(await always.catchUp()).toHaveLength(2);
    expect(await never.catchUp()).toEqual([]);
    await vault.send(owner, 'setBroken', false);
    expect(await once.catchUp()).toEqual([]);
    await vault.send(owner, 'setBroken', true);
    expect(await once.catchUp()).toHaveLength(1);
    await vault.send(owner, 'setBroken', false);
    await Promise.all([once.close(), always.close(), never.close()]);
  });

  it('says exactly which parameter is wrong', async () => {
    const observer = await observe('contract_call', {
      function: 'deposits(address,address)(uint256)',
      params: ['0x1'],
    });
    await observer.after(anvil.mine());
    expect(observer.faults).toEqual(['There must be 2 values (address, address), not 1.']);
    await observer.close();
    await expect(observe('contract_call', { function: 'no thing' })).rejects.toThrow(
      '/function must be a function',
    );
  });
});

describe('invariant', () => {
  const terms = [
    { name: 'shares', function: 'totalShares()(uint256)' },
    { name: 'assets', function: 'totalAssets()(uint256)' },
  ];
  const setShares = (shares: bigint, assets: bigint) =>
    vault.send(anvil.accounts[0], 'setShares', shares, assets);

  it('reports once when it breaks, and again after it held', async () => {
    const observer = await observe('invariant', { terms, expression: 'shares * 2n <= assets' });
    expect(await observer.after(setShares(50n, 100n))).toEqual([]);
    expect(await observer.after(setShares(51n, 100n))).toMatchObject([
      {
        severity: 'HIGH',
        message: 'shares * 2n <= assets no longer holds for Watched: shares = 51, assets = 100.',
        meta: { left: '102', right: '100', gap: '2', terms: { shares: '51', assets: '100' } },
      },
    ]);
    expect(await observer.after(setShares(60n, 100n))).toEqual([]);
    expect(await observer.after(setShares(1n, 100n))).toMatchObject([
      { severity: 'INFO', message: expect.stringContaining('shares * 2n <= assets holds again for Watched') },
    ]);
    expect(await observer.after(setShares(60n, 100n))).toHaveLength(1);
    await observer.close();
  });

  it('allows for a tolerance, as a share or an amount', async () => {
    const share = await observe('invariant', { terms, expression: 'shares == assets', tolerance: '1%' });
    const amount = await observe('invariant', { terms, expression: 'shares == assets', tolerance: '5' });
    await setShares(1010n, 1000n);
    expect(await share.catchUp()).toEqual([]);
    expect(await amount.catchUp()).toHaveLength(1);
    await setShares(995n, 1000n);
    expect(await amount.catchUp()).toMatchObject([{ severity: 'INFO', meta: { ended: true } }]);
    await setShares(989n, 1000n);
    expect(await share.catchUp()).toHaveLength(1);
    await Promise.all([share.close(), amount.close()]);
  });

  it('compares balances, and takes any expression that gives true or false', async () => {
    const [owner] = anvil.accounts;
    await setShares(0n, 0n);
    const config = {
      terms: [
        { name: 'held', balanceOf: vault.address, token: token.address },
        { name: 'coins', balanceOf: vault.address },
        terms[0],
      ],
      expression: 'held >= shares && coins < 5n',
    };
    const observer = await observe('invariant', config);
    expect(await observer.after(token.send(owner, 'transfer', vault.address, 7n))).toEqual([]);
    expect(await observer.after(setShares(7n, 0n))).toEqual([]);
    expect(await observer.after(anvil.send({ to: vault.address, value: 5n }))).toMatchObject([
      { meta: { terms: { held: '7', coins: '5', shares: '7' } } },
    ]);
    await observer.close();
  });

  it('is a fault when it cannot be judged', async () => {
    for (const [config, fault] of [
      [{ terms, expression: 'shares <= nothing' }, 'The script failed: '],
      [{ terms, expression: 'shares + assets' }, 'must give true or false'],
      [
        { terms, expression: 'shares > 1n || assets > 1n', tolerance: '1%' },
        'A tolerance needs an expression',
      ],
      [{ terms: [{ name: 'x' }], expression: 'x > 1n' }, 'The term x needs a function or balanceOf.'],
      [{ terms: [{ name: 'x', function: 'gone()(uint256)' }], expression: 'x > 1n' }, 'gone() of 0x'],
    ] as const) {
      const observer = await observe('invariant', config);
      expect(await observer.after(anvil.mine())).toEqual([]);
      expect(observer.faults).toEqual([expect.stringContaining(fault)]);
      await observer.close();
    }
  });

  it('refuses names that no expression can have', async () => {
    const bad = { terms: [{ name: 'a b', balanceOf: vault.address }], expression: 'true' };
    await expect(observe('invariant', bad)).rejects.toThrow('/terms/0/name');
    await expect(observe('invariant', { terms: [], expression: 'true' })).rejects.toThrow('/terms');
  });
});
