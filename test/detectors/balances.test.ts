import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

const coin = 10n ** 18n;
let anvil: Anvil;
let token: Contract;
let wallets = 0;
beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 10n ** 15n);
});
afterAll(() => anvil.stop());

const newWallet = () => `0x${(0xabc000 + wallets++).toString(16).padStart(40, '0')}`;

async function observe(name: string, config: object, address: string) {
  const observer = await observeDetector(anvil.url, name, config, { address });
  await observer.skip();
  return observer;
}

describe('wallet_balance', () => {
  it('reports once when the balance falls below, and again after it was above', async () => {
    const wallet = newWallet();
    const observer = await observe('wallet_balance', { condition: '<< 1.5', when: 'block' }, wallet);
    const hold = async (amount: bigint) => {
      await anvil.setBalance(wallet, amount);
      await anvil.mine();
      return observer.catchUp();
    };
    expect(await hold((15n * coin) / 10n)).toEqual([]);
    expect(await hold((15n * coin) / 10n - 1n)).toMatchObject([
      { severity: 'MEDIUM', meta: { balance: '1.499999999999999999', symbol: 'ETH' } },
    ]);
    expect(await hold(coin)).toEqual([]);
    expect(await hold(2n * coin)).toMatchObject([{ severity: 'INFO', meta: { ended: true } }]);
    expect(await hold(0n)).toMatchObject([
      { message: 'Watched holds 0 ETH, which meets << 1.5.', meta: { transactions: [] } },
    ]);
    await observer.close();
  });

  it('knows the balance of a token and compares with the look before', async () => {
    const wallet = newWallet();
    const [owner] = anvil.accounts;
    await token.send(owner, 'transfer', wallet, 100_000_000n);
    const feed = await anvil.deploy(artifacts.PriceFeed, 8, 150_000_000n);
    const config = { token: token.address, condition: '>= 10%', when: 'block', usdFeed: feed.address };
    const observer = await observe('wallet_balance', config, wallet);
    await anvil.mine();
    await token.send(owner, 'transfer', wallet, 9_999_999n);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', wallet, 11_000_000n);
    expect(await observer.catchUp()).toMatchObject([
      {
        message: expect.stringMatching(
          /^Watched holds 120\.999999 TKN \(181\.49 USD\), before 109\.999999 TKN, which meets >= 10%\. In this block: 11 TKN from /,
        ),
        meta: { balance: '120.999999', previous: '109.999999', symbol: 'TKN', usd: '181.49' },
      },
    ]);
    await observer.close();
  });

  it('reports any change when asked to', async () => {
    const wallet = newWallet();
    const observer = await observe('wallet_balance', { trackAnyChange: true, when: 'block' }, wallet);
    await anvil.mine();
    await anvil.mine(3);
    expect(await observer.catchUp()).toEqual([]);
    await anvil.send({ to: wallet, value: 5n });
    const [found] = await observer.catchUp();
    expect(found).toMatchObject({ meta: { rawBalance: '5', previous: '0' } });
    expect(found?.message).toMatch(
      /^Watched holds 0\.000000000000000005 ETH, before 0 ETH\. In this block: 0\.000000000000000005 ETH from 0x[0-9a-f]{40} in transaction 0x[0-9a-f]{64}\.$/,
    );
    await observer.close();
  });

  it('wallet_balance without settings reports a fall by more than a tenth', async () => {
    const wallet = newWallet();
    const observer = await observe('wallet_balance', { when: 'block' }, wallet);
    const hold = async (amount: bigint) => {
      await anvil.setBalance(wallet, amount);
      await anvil.mine();
      return observer.catchUp();
    };
    expect([await hold(100n), await hold(90n), await hold(200n)]).toEqual([[], [], []]);
    expect(await hold(179n)).toMatchObject([{ meta: { rawBalance: '179', condition: '< -10%' } }]);
    await observer.close();
  });

  it('looks only as often as the schedule says', async () => {
    const wallet = newWallet();
    const observer = await observe('wallet_balance', { condition: '= 0', cron: '1 hour' }, wallet);
    await anvil.mine(3);
    const early = await observer.catchUp();
    await anvil.increaseTime(3600);
    await anvil.mine(3);
    expect([early.length, (await observer.catchUp()).length]).toEqual([0, 1]);
    await observer.close();
  });

  it('is a fault, not silence, when the token cannot be asked', async () => {
    const observer = await observe(
      'wallet_balance',
      { token: newWallet(), condition: '> 1', when: 'block' },
      newWallet(),
    );
    await anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.faults).toEqual([expect.stringContaining('balanceOf(address)')]);
    await observer.close();
  });

  it('refuses a condition that is none', async () => {
    await expect(observe('wallet_balance', { condition: 'below 5' }, newWallet())).rejects.toThrow(
      '/condition must be a condition such as',
    );
  });
});

describe('tvl_drop', () => {
  it('reports drops from the threshold on, the worse the larger the share', async () => {
    const wallet = newWallet();
    const observer = await observe('tvl_drop', {}, wallet);
    const hold = async (amount: bigint) => {
      await anvil.setBalance(wallet, amount);
      await anvil.mine();
      return observer.catchUp();
    };
    expect(await hold(1000n)).toEqual([]);
    expect(await hold(991n)).toEqual([]);
    expect(await hold(2000n)).toEqual([]);
    expect(await hold(1980n)).toMatchObject([{ severity: 'LOW', meta: { percent: 1, rawDrop: '20' } }]);
    expect(await hold(1881n)).toMatchObject([{ severity: 'MEDIUM' }]);
    expect(await hold(1504n)).toMatchObject([{ severity: 'HIGH' }]);
    expect(await hold(0n)).toMatchObject([{ severity: 'CRITICAL', meta: { percent: 100, after: '0' } }]);
    expect(await hold(0n)).toEqual([]);
    await observer.close();
  });

  it('reports each asset that a drain takes, also by inner calls', async () => {
    const [owner, thief] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    await token.send(owner, 'transfer', vault.address, 50_000_000n);
    await anvil.send({ to: vault.address, value: 3n * coin });
    const config = { tokens: [{ token: token.address, threshold: '10' }], nativeThreshold: '50%' };
    const observer = await observe('tvl_drop', config, vault.address);
    await anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
    await anvil.sendTogether([
      { to: vault.address, data: vault.encode('drain', thief) },
      { to: vault.address, data: vault.encode('drainToken', token.address, thief) },
    ]);
    const found = await observer.catchUp();
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        `^Watched lost 50 TKN, 100 % of the 50 TKN it held, and now holds 0 TKN. In this block: 50 TKN to ${thief} in transaction 0x[0-9a-f]{64}.$`,
      ),
      expect.stringMatching(
        `^Watched lost 3 ETH, 100 % of the 3 ETH it held, and now holds 0 ETH. In this block: transaction 0x[0-9a-f]{64} of ${owner} touched it;`,
      ),
    ]);
    const [tokens] = found;
    expect(tokens).toMatchObject({
      txHash: expect.stringMatching(/^0x/),
      meta: {
        transactions: [{ txHash: tokens?.txHash, counterparty: thief, direction: 'out', amount: '50' }],
      },
    });
    expect(new Set(found.map(({ key }) => key)).size).toBe(2);
    await observer.close();
  });

  it('leaves alone what is below an absolute threshold, and native coins that are not watched', async () => {
    const [owner] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    await token.send(owner, 'approve', vault.address, 10n ** 12n);
    await vault.send(owner, 'depositToken', token.address, 50_000_000n);
    await anvil.send({ to: vault.address, value: 3n * coin });
    const config = { tokens: [{ token: token.address, threshold: '10' }], native: false };
    const observer = await observe('tvl_drop', config, vault.address);
    await anvil.mine();
    await vault.send(owner, 'withdrawToken', token.address, 9_999_999n);
    await vault.send(owner, 'withdraw', 2n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'withdrawToken', token.address, 10_000_000n);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { drop: '10', symbol: 'TKN' } },
    ]);
    await observer.close();
  });

  it('refuses a token without an address', async () => {
    await expect(observe('tvl_drop', { tokens: [{ threshold: '1%' }] }, newWallet())).rejects.toThrow(
      '/tokens/0/token is required',
    );
  });
});
