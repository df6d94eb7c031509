import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

const coin = 10n ** 18n;
let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

async function vaultWith(tokens: bigint, coins: bigint) {
  const [owner] = anvil.accounts;
  const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
  const vault = await anvil.deploy(artifacts.VaultV1);
  await token.send(owner, 'approve', vault.address, 10n ** 24n);
  if (tokens > 0n) await vault.send(owner, 'depositToken', token.address, tokens);
  if (coins > 0n) await vault.send({ from: owner, value: coins }, 'deposit');
  return { token, vault, owner };
}

async function observe(config: object, address: string) {
  const observer = await observeDetector(anvil.url, 'outflow_rate', config, { address });
  await observer.skip();
  return observer;
}

describe('outflow_rate', () => {
  it('sums up what leaves within the window and reports once when it is more than a share of the balance', async () => {
    const { token, vault, owner } = await vaultWith(100n * coin, 0n);
    const observer = await observe({ token: token.address, limit: '10%' }, vault.address);
    await vault.send(owner, 'withdrawToken', token.address, 4n * coin);
    await vault.send(owner, 'withdrawToken', token.address, 6n * coin);
    // What comes in is no outflow.
    await vault.send(owner, 'depositToken', token.address, 1n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'withdrawToken', token.address, 1n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'HIGH',
        message: expect.stringMatching(
          `^10 TKN left Watched within 1h, 10 % of the 100 TKN it held and more than the limit of 10%. In this block: 0.000000000000000001 TKN to ${owner} in transaction 0x[0-9a-f]{64}.$`,
        ),
        meta: {
          reason: 'limit',
          rawOutflow: (10n * coin + 1n).toString(),
          balanceBefore: '100',
          percent: 10,
        },
      },
    ]);
    await vault.send(owner, 'withdrawToken', token.address, 5n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await observer.close();
  });

  it('outflow_rate without a token watches coins and every token that leaves, each by itself', async () => {
    const { token, vault, owner } = await vaultWith(100n * coin, 10n * coin);
    const second = await anvil.deploy(artifacts.Token, 'Second', 'TWO', 6, 10n ** 12n);
    await second.send(owner, 'approve', vault.address, 10n ** 12n);
    await vault.send(owner, 'depositToken', second.address, 50_000_000n);
    const observer = await observe({}, vault.address);
    await vault.send(owner, 'withdrawToken', token.address, 9n * coin);
    await vault.send(owner, 'withdrawToken', second.address, 5_000_000n);
    await vault.send(owner, 'withdraw', coin);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'withdrawToken', token.address, 2n * coin);
    await vault.send(owner, 'withdrawToken', second.address, 1_000_000n);
    await vault.send(owner, 'withdraw', coin);
    expect((await observer.catchUp()).map(({ message }) => message.split(' In this')[0])).toEqual([
      '11 TKN left Watched within 1h, 11 % of the 100 TKN it held and more than the limit of 10%.',
      '6 TWO left Watched within 1h, 12 % of the 50 TWO it held and more than the limit of 10%.',
      '2 ETH left Watched within 1h, 20 % of the 10 ETH it held and more than the limit of 10%.',
    ]);
    await vault.send(owner, 'withdrawToken', second.address, 1_000_000n);
    expect(await observer.catchUp()).toEqual([]);
    await observer.close();
  });

  it('forgets what left before the window, and reports again', async () => {
    const { token, vault, owner } = await vaultWith(100n * coin, 0n);
    const observer = await observe({ token: token.address, limit: '5', window: '10 min' }, vault.address);
    const withdraw = async (amount: bigint) => {
      await vault.send(owner, 'withdrawToken', token.address, amount);
      return observer.catchUp();
    };
    expect(await withdraw(4n * coin)).toEqual([]);
    await anvil.increaseTime(660);
    expect(await withdraw(4n * coin)).toEqual([]);
    expect(await withdraw(2n * coin)).toMatchObject([{ meta: { outflow: '6' } }]);
    await anvil.increaseTime(660);
    expect(await withdraw(6n * coin)).toMatchObject([{ meta: { outflow: '6' } }]);
    await observer.close();
  });

  it('counts native coins that leave by inner calls', async () => {
    const { vault, owner } = await vaultWith(0n, 10n * coin);
    const observer = await observe({ limit: '50%' }, vault.address);
    await vault.send(owner, 'withdraw', 5n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send({ from: owner, value: coin }, 'deposit');
    await vault.send(owner, 'drain', owner);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { outflow: '11', symbol: 'ETH', percent: 110 } },
    ]);
    await observer.close();
  });

  it('counts native coins that leave by an inner call when nothing else touches the contract', async () => {
    const { vault, owner } = await vaultWith(0n, 10n * coin);
    const other = await anvil.deploy(artifacts.Victim);
    const observer = await observe({}, vault.address);
    await anvil.mine();
    await other.send(owner, 'forward', vault.address, vault.encode('drain', owner));
    expect(await observer.catchUp()).toMatchObject([{ meta: { outflow: '10', percent: 100 } }]);
    await observer.close();
  });

  it('takes a loan that is repaid in the same transaction for no outflow, and what is kept for one', async () => {
    const { token, vault, owner } = await vaultWith(100n * coin, 0n);
    const lender = await anvil.deploy(artifacts.FlashLender);
    const borrower = await anvil.deploy(artifacts.Attacker);
    await token.send(owner, 'transfer', lender.address, 50n * coin);
    const config = { token: token.address.toUpperCase().replace('0X', '0x') };
    const ofLender = await observe(config, lender.address);
    const ofVault = await observe(config, vault.address);
    const borrow = (from: string) =>
      borrower.send(owner, 'attack', lender.address, 3, token.address, 50n * coin, from);
    await borrow(`0x${'0'.repeat(40)}`);
    expect(await ofLender.catchUp()).toEqual([]);
    await borrow(vault.address);
    expect(await ofLender.catchUp()).toEqual([]);
    expect(await ofVault.catchUp()).toMatchObject([{ meta: { outflow: '100' } }]);
    await Promise.all([ofLender.close(), ofVault.close()]);
  });

  it('takes money that comes in as fast as it goes out for turnover, and sees when the balance falls', async () => {
    const { token, vault, owner } = await vaultWith(100n * coin, 0n);
    const observer = await observe({ token: token.address }, vault.address);
    for (let n = 0; n < 4; n++) {
      await vault.send(owner, 'withdrawToken', token.address, 4n * coin);
      await vault.send(owner, 'depositToken', token.address, 4n * coin);
    }
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'withdrawToken', token.address, 8n * coin);
    expect(await observer.catchUp()).toMatchObject([{ meta: { outflow: '24' } }]);
    await observer.close();
  });

  it('understands tokens whose Transfer indexes nothing', async () => {
    const { vault, owner } = await vaultWith(0n, 0n);
    const old = await anvil.deploy(artifacts.PlainToken);
    await old.send(owner, 'mint', vault.address, 100n * coin);
    const observer = await observe({ token: old.address }, vault.address);
    await vault.send(owner, 'drainToken', old.address, owner);
    expect(await observer.catchUp()).toMatchObject([{ meta: { symbol: 'OLD', outflow: '100' } }]);
    await observer.close();
  });

  it('reports when much more leaves than usual', async () => {
    const { token, vault, owner } = await vaultWith(1000n * coin, 0n);
    const config = { token: token.address, limit: '100%', window: '10 min', factor: 3 };
    const observer = await observe(config, vault.address);
    // Windows go by the calendar, so that the hour of the test would decide how many of them stay empty.
    await anvil.increaseTime(600 - (Number((await anvil.block('latest')).timestamp) % 600));
    for (let n = 0; n < 4; n++) {
      await anvil.increaseTime(660);
      await vault.send(owner, 'withdrawToken', token.address, 2n * coin);
    }
    await anvil.increaseTime(1260);
    await vault.send(owner, 'withdrawToken', token.address, 6n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'withdrawToken', token.address, 1n);
    const [found] = await observer.catchUp();
    expect(found).toMatchObject({
      meta: { reason: 'baseline', baseline: '2', rawOutflow: String(6n * coin + 1n) },
    });
    await observer.close();
  });

  it('keeps a small state however much leaves', async () => {
    const { token, vault, owner } = await vaultWith(1000n * coin, 0n);
    const observer = await observe({ token: token.address, window: '1 min', limit: '100%' }, vault.address);
    for (let n = 0; n < 60; n++) {
      await anvil.increaseTime(2);
      await vault.send(owner, 'withdrawToken', token.address, coin);
    }
    await observer.catchUp();
    expect(JSON.stringify(observer.memory()).length).toBeLessThan(4000);
    await observer.close();
  });

  it('refuses a limit that is neither an amount nor a share', async () => {
    await expect(observe({ limit: 'much' }, anvil.accounts[0])).rejects.toThrow('/limit must be an amount');
  });
});
