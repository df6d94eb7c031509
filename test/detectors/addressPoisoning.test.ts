import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const name = 'address_poisoning';
const one = 10n ** 18n;
const genuine = `0xabcd${'1'.repeat(32)}ef01`;
const lookAlike = `0xabcd${'2'.repeat(32)}ef01`;
/** Ends with one byte in common instead of two. */
const almost = `0xabcd${'2'.repeat(32)}0001`;

let token: Contract;
let fake: Contract;
beforeAll(async () => {
  const { anvil } = chain;
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1_000n * one);
  fake = await anvil.deploy(artifacts.FakeToken);
  for (const address of [lookAlike, almost]) {
    await anvil.impersonate(address);
    await anvil.setBalance(address, 10n * one);
    await token.send(anvil.accounts[0], 'transfer', address, one);
  }
});

/** A wallet that has just paid the genuine address. */
async function watchPayer(config = {}) {
  const [wallet] = chain.anvil.accounts;
  const observer = await chain.watch(name, config, { address: wallet });
  await token.send(wallet, 'transfer', genuine, 5n * one);
  expect(await observer.catchUp()).toEqual([]);
  return { wallet, observer };
}

describe('address_poisoning', () => {
  it('reports zero-value, forged and dust transfers that show a look-alike', async () => {
    const { anvil } = chain;
    const { wallet, observer } = await watchPayer();
    const [, attacker] = anvil.accounts;
    await token.send(attacker, 'transferFrom', wallet, lookAlike, 0n);
    await fake.send(attacker, 'pretend', wallet, lookAlike, 5_000_000n);
    await token.send(lookAlike, 'transfer', wallet, 1n);
    await anvil.send({ from: lookAlike, to: wallet, value: 1n });
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      { severity: 'HIGH', meta: { kind: 'zeroValue', lookAlike, genuine, token: token.address } },
      { meta: { kind: 'forged', lookAlike, token: fake.address, amount: '5', symbol: 'USDC' } },
      { meta: { kind: 'dust', lookAlike, value: '1' } },
      { meta: { kind: 'dust', lookAlike, token: 'native' } },
    ]);
    expect(found[2]?.message).toContain(`looks like ${genuine} that Watched has paid`);
  });

  it('reports addresses that are labelled as scams although they look like no one', async () => {
    const { anvil } = chain;
    const [wallet, stranger, scammer] = anvil.accounts;
    const labels = [{ address: scammer.toLowerCase(), name: 'Poisoner', tags: ['SCAM'] }];
    const observer = await chain.watch(name, {}, { address: wallet, labels });
    for (const from of [stranger, scammer]) await anvil.send({ from, to: wallet, value: 1n });
    await anvil.send({ from: wallet, to: scammer, value: 1n });
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'HIGH',
        meta: { kind: 'dust', lookAlike: scammer.toLowerCase(), label: 'Poisoner (SCAM, score 100)' },
      },
      { severity: 'CRITICAL', meta: { kind: 'payment' } },
    ]);
  });

  it('is critical when the wallet falls for it', async () => {
    const { wallet, observer } = await watchPayer();
    await token.send(wallet, 'transfer', lookAlike, 2n * one);
    await chain.anvil.send({ from: wallet, to: lookAlike, value: one });
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { kind: 'payment', lookAlike, amount: '2', symbol: 'TKN' } },
      { severity: 'CRITICAL', meta: { kind: 'payment', amount: '1', symbol: 'ETH' } },
    ]);
  });

  it('keeps quiet about the genuine address and about addresses that only begin alike', async () => {
    const { wallet, observer } = await watchPayer();
    await token.send(wallet, 'transfer', genuine, one);
    await token.send(almost, 'transfer', wallet, 1n);
    await fake.send(wallet, 'pretend', genuine, wallet, 5n);
    expect(await observer.catchUp()).toEqual([]);
    const loose = await watchPayer({ suffix: 1 });
    await token.send(almost, 'transfer', wallet, 1n);
    expect(await loose.observer.catchUp()).toMatchObject([{ meta: { lookAlike: almost } }]);
  });

  it('does not learn from payments that others have made up', async () => {
    const { anvil } = chain;
    const [wallet, attacker] = anvil.accounts;
    const observer = await chain.watch(name, {}, { address: wallet });
    await fake.send(attacker, 'pretend', wallet, genuine, 5n);
    await token.send(lookAlike, 'transfer', wallet, 1n);
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.memory()).toBeUndefined();
  });

  it('forgets recipients beyond its history and after so many blocks', async () => {
    const { anvil } = chain;
    const few = await watchPayer({ history: 2 });
    const brief = await watchPayer({ past: 4 });
    const [wallet, second, third] = anvil.accounts;
    await token.send(wallet, 'transfer', second, 1n);
    await token.send(lookAlike, 'transfer', wallet, 1n);
    expect(await few.observer.catchUp()).toHaveLength(1);
    expect(await brief.observer.catchUp()).toHaveLength(1);
    await token.send(wallet, 'transfer', third, 1n);
    await token.send(lookAlike, 'transfer', wallet, 1n);
    expect(await few.observer.catchUp()).toEqual([]);
    expect(await brief.observer.catchUp()).toEqual([]);
    const paid = [second, third].map((address) => [address, expect.any(Number)]);
    expect(few.observer.memory()).toMatchObject({ own: { paid } });
  });

  it('is not stopped by a log that has no values', async () => {
    const { anvil } = chain;
    const { wallet, observer } = await watchPayer();
    const forger = await anvil.deploy(artifacts.Forger);
    const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
    await forger.send(wallet, 'forgeFor', transfer, wallet);
    await token.send(lookAlike, 'transfer', wallet, 1n);
    expect(await observer.catchUp()).toHaveLength(1);
    expect(observer.faults).toEqual([]);
  });

  it('refuses to compare no bytes', async () => {
    const [address] = chain.anvil.accounts;
    await expect(chain.watch(name, { prefix: 0 }, { address })).rejects.toThrow('/prefix must be at least 1');
  });
});
