import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Observer, observeDetector } from '../../testing/observeDetector.ts';
import { startTraceProxy } from '../../testing/startTraceProxy.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const unit = 1_000_000n;
const k = 1_000n * unit;

let usdc: Contract;
let other: Contract;
let feed: Contract;
let router: Contract;
let book: Contract;
let batch: Contract;
let owner: string;
let user: string;
let thief: string;
let maker: string;

beforeAll(async () => {
  const { anvil } = chain;
  [owner, user, thief, maker] = anvil.accounts;
  usdc = await anvil.deploy(artifacts.Token, 'Dollar', 'USDC', 6, 10n ** 15n);
  other = await anvil.deploy(artifacts.Token, 'Other', 'OTHER', 6, 10n ** 15n);
  feed = await anvil.deploy(artifacts.PriceFeed, 8, 10n ** 8n);
  batch = await anvil.deploy(artifacts.Batch);
});

beforeEach(async () => {
  const { anvil } = chain;
  router = await anvil.deploy(artifacts.LooseRouter);
  book = await anvil.deploy(artifacts.OrderBook);
  for (const who of [user, maker]) {
    await usdc.send(owner, 'transfer', who, 2_000n * k);
    for (const spender of [router, book]) await usdc.send(who, 'approve', spender.address, 10n ** 30n);
  }
});

const tokens = () => [
  { token: usdc.address, usdFeed: feed.address },
  { token: other.address, usdFeed: feed.address },
];
const watch = (address: string, config: object = {}) =>
  chain.watch('allowance_drain', { tokens: tokens(), ...config }, { address });

/** Has the router pull from a user. */
const pull = (amount: bigint, from = user, token = usdc) =>
  router.send(thief, 'run', token.address, token.encode('transferFrom', from, thief, amount));

async function found(observer: Observer) {
  const findings = await observer.catchUp();
  expect(observer.faults).toEqual([]);
  return findings;
}

const later = (hours: number) => chain.anvil.rpc('evm_increaseTime', hours * 3600);

describe('allowance_drain', () => {
  it('reports what a router pulls from users, as severely as it is worth', async () => {
    const observer = await watch(router.address);
    await pull(5n * k);
    expect(await found(observer)).toEqual([]);
    for (const [amount, severity] of [
      [20n, 'MEDIUM'],
      [150n, 'HIGH'],
      [1_100n, 'CRITICAL'],
    ] as const) {
      await pull(amount * k);
      const [finding, ...more] = await found(observer);
      expect(more).toEqual([]);
      expect(finding).toMatchObject({
        severity,
        meta: {
          sender: thief,
          spender: router.address,
          usd: String(Number(amount) * 1000),
          owners: [user],
          recipients: [thief],
        },
      });
      expect(finding!.message).toContain('neither sent it nor took part in it');
    }
  });

  it('reports it at the token, by its spender, for those who watch the holders', async () => {
    const observer = await watch(usdc.address, { tokens: [] });
    // A thousandth of the supply is reported where no price is known.
    await pull(1_200n * k);
    expect(await found(observer)).toMatchObject([
      { severity: 'MEDIUM', meta: { spender: router.address, supplyPercent: 0.12 } },
    ]);
  });

  it('follows a pull through a conduit to the router that asked for it', async () => {
    const conduit = await chain.anvil.deploy(artifacts.LooseConduit);
    const front = await chain.anvil.deploy(artifacts.ConduitRouter);
    await usdc.send(user, 'approve', conduit.address, 10n ** 30n);
    const observer = await watch(front.address, { transferProxies: [conduit.address] });
    await front.send(thief, 'take', conduit.address, usdc.address, user, thief, 200n * k);
    expect(await found(observer)).toMatchObject([{ severity: 'HIGH', meta: { spender: front.address } }]);
  });

  it('is silent where the owner sends the transaction, stands on the way, or gets as much for it', async () => {
    const wallet = await chain.anvil.deploy(artifacts.SmartWallet);
    await usdc.send(owner, 'transfer', wallet.address, 500n * k);
    await wallet.send(user, 'run', usdc.address, usdc.encode('approve', router.address, 10n ** 30n));
    await other.send(owner, 'transfer', maker, 2_000n * k);
    await other.send(maker, 'approve', book.address, 10n ** 30n);
    const observers = await Promise.all([watch(router.address), watch(book.address)]);
    await router.send(user, 'run', usdc.address, usdc.encode('transferFrom', user, thief, 200n * k));
    await wallet.send(
      thief,
      'run',
      router.address,
      router.encode('run', usdc.address, usdc.encode('transferFrom', wallet.address, thief, 200n * k)),
    );
    await book.send(maker, 'fill', usdc.address, user, 400n * k, other.address, 399n * k);
    for (const observer of observers) expect(await found(observer)).toEqual([]);
  });

  it('learns what an order book does by design, and reports what is beyond it', async () => {
    const observer = await watch(book.address);
    const fill = (amount: bigint) =>
      book.send(maker, 'fill', usdc.address, user, amount * k, other.address, 0n);
    let alerts = 0;
    for (let hour = 0; hour < 12; hour++) {
      await fill(30n);
      await fill(20n);
      await later(2);
      alerts += (await found(observer)).length;
    }
    expect(alerts).toBeLessThanOrEqual(2);
    await fill(60n);
    await later(2);
    expect(await found(observer)).toEqual([]);
    await fill(400n);
    expect(await found(observer)).toMatchObject([{ severity: 'HIGH', meta: { usual: 50_000 } }]);
  });

  it('sees what leaves accounts without code where no node traces, and nothing where contracts pay by themselves', async () => {
    const blind = await startTraceProxy(chain.anvil.url);
    blind.tracing = 'unknown';
    const config = { tokens: tokens() };
    const observer = await observeDetector(blind.url, 'allowance_drain', config, router);
    await observer.skip();
    const vault = await chain.anvil.deploy(artifacts.OpenVault);
    await usdc.send(owner, 'transfer', vault.address, 500n * k);
    await router.send(thief, 'run', vault.address, vault.encode('pay', usdc.address, thief, 400n * k));
    expect(await found(observer)).toEqual([]);
    await pull(200n * k);
    expect(await found(observer)).toMatchObject([{ severity: 'HIGH', meta: { owners: [user] } }]);
    // Behind any number of payments that a token of the thief claims.
    const fake = await chain.anvil.deploy(artifacts.LyingToken);
    const owners = Array.from({ length: 55 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, 'e')}`);
    const claims = owners.flatMap((one) => [
      fake.encode('claim', one, 1n),
      fake.encode('claimMove', one, thief, 1n),
    ]);
    const inner = router.encode('run', usdc.address, usdc.encode('transferFrom', user, thief, 600n * k));
    const targets = [...claims.map(() => fake.address), router.address];
    await router.send(thief, 'run', batch.address, batch.encode('run', targets, [...claims, inner]));
    expect(await found(observer)).toMatchObject([{ severity: 'HIGH', meta: { owners: [user] } }]);
    await observer.close();
    await blind.stop();
  });

  it('adds up small pulls of many transactions', async () => {
    const observer = await watch(router.address);
    for (let count = 0; count < 12; count++) await pull(9n * k);
    const findings = await found(observer);
    expect(findings.map(({ severity }) => severity)).toEqual(['MEDIUM', 'MEDIUM', 'MEDIUM']);
    await pull(40n * k);
    expect(await found(observer)).toMatchObject([{ severity: 'HIGH', meta: { inHour: 148_000 } }]);
  });
});

describe('an adversary of allowance_drain', () => {
  it('cannot set it off with tokens that he made, nor with money that he has only within the transaction', async () => {
    const fake = await chain.anvil.deploy(artifacts.Token, 'Dollar', 'USDC', 6, 10n ** 15n);
    await fake.send(owner, 'transfer', user, 5_000n * k);
    await fake.send(user, 'approve', router.address, 10n ** 30n);
    const purse = await chain.anvil.deploy(artifacts.SmartWallet);
    const bank = await chain.anvil.deploy(artifacts.OpenVault);
    await usdc.send(owner, 'transfer', bank.address, 5_000n * k);
    await purse.send(thief, 'run', usdc.address, usdc.encode('approve', router.address, 10n ** 30n));
    const observer = await watch(router.address);
    await pull(5_000n * k, user, fake);
    await batch.send(
      thief,
      'run',
      [bank.address, router.address],
      [
        bank.encode('pay', usdc.address, purse.address, 5_000n * k),
        router.encode(
          'run',
          usdc.address,
          usdc.encode('transferFrom', purse.address, bank.address, 5_000n * k),
        ),
      ],
    );
    expect(await found(observer)).toMatchObject([{ severity: 'LOW', meta: { unverified: true } }]);
  });

  it('cannot silence it with dust, with made-up tokens, or with worthless tokens that he gives for it', async () => {
    const fake = await chain.anvil.deploy(artifacts.Token, 'Dollar', 'USDC', 6, 10n ** 15n);
    await fake.send(owner, 'transfer', thief, 5_000n * k);
    await usdc.send(maker, 'transfer', thief, 5n * k);
    await usdc.send(thief, 'approve', router.address, 10n ** 30n);
    const observer = await watch(router.address);
    for (let hour = 0; hour < 30; hour++) {
      await router.send(maker, 'run', usdc.address, usdc.encode('transferFrom', thief, thief, 1n));
      await router.send(maker, 'run', usdc.address, usdc.encode('transferFrom', thief, maker, 100n * unit));
      await later(1);
    }
    expect(await found(observer)).toEqual([]);
    await fake.send(thief, 'transfer', batch.address, 1_000n * k);
    await batch.send(
      thief,
      'run',
      [fake.address, router.address, usdc.address],
      [
        fake.encode('transfer', user, 1_000n * k),
        router.encode('run', usdc.address, usdc.encode('transferFrom', user, thief, 1_500n * k)),
        usdc.encode('transferFrom', thief, user, 0n),
      ],
    );
    expect(await found(observer)).toMatchObject([{ severity: 'CRITICAL', meta: { usd: '1500000' } }]);
  });
});
