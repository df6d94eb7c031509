import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const coin = 10n ** 18n;
const usd = 1_000_000n;

let weth: Contract;
let token: Contract;
let vault: Contract;
let batch: Contract;
let mill: Contract;
let owner: string;
let thief: string;

beforeAll(async () => {
  const { anvil } = chain;
  [owner, thief] = [anvil.accounts[0]!, anvil.accounts[2]!];
  weth = await anvil.deploy(artifacts.WrappedCoin);
  batch = await anvil.deploy(artifacts.Batch);
  mill = await anvil.deploy(artifacts.TokenMill);
});

/** A new vault with 100 wrapped coins and 1,000,000 units of a real token. */
beforeEach(async () => {
  const { anvil } = chain;
  vault = await anvil.deploy(artifacts.OpenVault);
  token = await anvil.deploy(artifacts.LyingToken);
  await token.send(owner, 'claim', vault.address, 1_000_000n * usd);
  await weth.send({ from: owner, value: 100n * coin }, 'deposit');
  await weth.send(owner, 'transfer', vault.address, 100n * coin);
});

type Call = [contract: Contract, name: string, ...args: unknown[]];

/** All calls in one transaction of the thief. */
const rob = (...calls: Call[]) =>
  batch.send(
    thief,
    'run',
    calls.map(([{ address }]) => address),
    calls.map(([contract, name, ...args]) => contract.encode(name, ...args)),
  );

const takeToken = (share: bigint): Call => [vault, 'pay', token.address, thief, 10_000n * usd * share];

const millOf = async (count: bigint) => {
  mill = await chain.anvil.deploy(artifacts.TokenMill);
  await chain.anvil.send({
    from: owner,
    to: mill.address,
    data: mill.encode('make', count, vault.address, coin),
    gas: 29_000_000n,
  });
};

describe.each(['drain', 'tvl_drop', 'outflow_rate'])('%s', (detector) => {
  const watch = async (config: object = {}) => {
    const observer = await chain.watch(detector, config, { address: vault.address });
    await chain.anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
    return observer;
  };

  it('reports a loss behind and before any number of payments that worthless tokens claim', async () => {
    await millOf(25n);
    const noise: Call = [mill, 'claimMoves', vault.address, thief, coin / 2n];
    for (const order of [
      [noise, takeToken(45n)],
      [takeToken(50n), noise],
    ]) {
      const observer = await watch();
      await rob(...order);
      const found = await observer.catchUp();
      expect(observer.faults).toEqual([]);
      const severe = found.filter(({ severity }) => severity === 'HIGH' || severity === 'CRITICAL');
      expect(severe).toHaveLength(1);
      expect(severe[0]!.message).toContain('USDC');
    }
  });

  it('reports a loss as severely when worthless tokens and dust come in with it', async () => {
    await millOf(1n);
    await weth.send({ from: thief, value: 1n }, 'deposit');
    await weth.send(thief, 'transfer', batch.address, 1n);
    const observer = await watch();
    await rob([mill, 'claimMoves', vault.address, vault.address, 0n], takeToken(90n), [
      weth,
      'transfer',
      vault.address,
      1n,
    ]);
    expect(await observer.catchUp()).toMatchObject([
      { severity: detector === 'outflow_rate' ? 'HIGH' : 'CRITICAL' },
    ]);
  });

  it('is not set off by a token of a stranger that claims to have been taken', async () => {
    const fake = await chain.anvil.deploy(artifacts.LyingToken);
    await fake.send(thief, 'claim', vault.address, 50_000_000n * usd);
    const observer = await watch();
    await fake.send(thief, 'claimMove', vault.address, thief, 48_000_000n * usd);
    const found = await observer.catchUp();
    expect(found.filter(({ severity }) => severity !== 'LOW')).toEqual([]);
    for (const { message } of found) expect(message).toContain('Nothing but the token');
  });

  it('reports wrapped coins that are unwrapped and taken', async () => {
    const observer = await watch();
    await rob([vault, 'unwrapTo', weth.address, thief, 90n * coin]);
    expect(await observer.catchUp()).toMatchObject([
      { severity: detector === 'outflow_rate' ? 'HIGH' : 'CRITICAL' },
    ]);
  });

  it('is silent when coins are only wrapped or unwrapped', async () => {
    const observer = await watch();
    await chain.anvil.send({ from: owner, to: vault.address, value: 50n * coin });
    await vault.send(owner, 'wrap', weth.address, 50n * coin);
    await vault.send(owner, 'unwrapTo', weth.address, vault.address, 150n * coin);
    await vault.send(owner, 'wrap', weth.address, 149n * coin);
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.faults).toEqual([]);
  });
});
