import { beforeEach, describe, expect, it } from 'vitest';
import { type Artifact, artifacts } from '../../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const unit = 10n ** 6n;

let maker: string;
let user: string;
let thief: string;
let vault: Contract;

const deployBy = async (from: string, artifact: Artifact, ...args: unknown[]): Promise<Contract> => {
  const { contractAddress } = await chain.anvil.send({ from, data: encodeDeployment(artifact, args) });
  return chain.anvil.at(contractAddress!, artifact.abi);
};

/** A contract that pays out any token to anyone, and that neither the maker nor a user of a token made. */
beforeEach(async () => {
  [, maker, user, thief] = chain.anvil.accounts;
  vault = await chain.anvil.deploy(artifacts.OpenVault);
});

const makeToken = () => deployBy(maker, artifacts.Token, 'Token', 'TKN', 6, 10_000_000n * unit);
const give = (token: Contract, from: string, amount = 1_000n * unit) =>
  token.send(from, 'transfer', vault.address, amount);
const take = (token: Contract, by = thief, amount = 900n * unit) =>
  vault.send(by, 'pay', token.address, by, amount);

const watchAll = async (blockTimeMs?: number) => {
  const observers = await Promise.all(
    ['drain', 'tvl_drop', 'outflow_rate'].map((name) =>
      chain.watch(name, {}, { address: vault.address, ...(blockTimeMs && { blockTimeMs }) }),
    ),
  );
  await chain.anvil.mine();
  for (const observer of observers) expect(await observer.catchUp()).toEqual([]);
  return async () => {
    const findings = await Promise.all(observers.map((observer) => observer.catchUp()));
    expect(observers.flatMap(({ faults }) => faults)).toEqual([]);
    return findings.map((ofDetector) => ofDetector.map(({ severity }) => severity));
  };
};

const silent = [['LOW'], ['LOW'], ['LOW']];
const alarm = [['CRITICAL'], ['CRITICAL'], ['HIGH']];

describe('the loss of a token without name or price', () => {
  it('alarms no one when its maker or its taker alone ever gave it, and says so', async () => {
    const observer = await chain.watch('drain', {}, { address: vault.address });
    const byMaker = await makeToken();
    await give(byMaker, maker);
    await chain.anvil.mine();
    const findings = await watchAll();
    await take(byMaker);
    expect(await findings()).toEqual(silent);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'LOW',
        message: expect.stringContaining('a token of no known worth'),
        meta: { unverified: true },
      },
    ]);
    const byTaker = await makeToken();
    await byTaker.send(maker, 'transfer', thief, 2_000n * unit);
    await give(byTaker, thief);
    await chain.anvil.mine();
    await take(byTaker);
    expect(await findings()).toEqual(silent);
  });

  it('alarms no one when the token never reported that the contract got it', async () => {
    const token = await deployBy(thief, artifacts.LyingToken);
    await token.send(user, 'claim', vault.address, 1_000n * unit);
    const findings = await watchAll();
    await take(token);
    expect(await findings()).toEqual(silent);
  });

  it('alarms when a user gave it, whatever the thief gives before and pays to that user', async () => {
    const token = await makeToken();
    await token.send(maker, 'transfer', user, 2_000n * unit);
    await token.send(maker, 'transfer', thief, 2_000n * unit);
    await give(token, user);
    for (let gift = 0; gift < 14; gift++) await give(token, thief, unit + BigInt(gift));
    const findings = await watchAll();
    const batch = await chain.anvil.deploy(artifacts.Batch);
    await batch.send(
      thief,
      'run',
      [vault.address, vault.address],
      [
        vault.encode('pay', token.address, user, unit),
        vault.encode('pay', token.address, thief, 900n * unit),
      ],
    );
    expect(await findings()).toEqual(alarm);
  });

  it('alarms when its maker gave it to a contract that the maker made or owns, or that names it', async () => {
    vault = await deployBy(maker, artifacts.OpenVault);
    const ofMaker = await makeToken();
    await give(ofMaker, maker);
    const findings = await watchAll();
    await take(ofMaker);
    expect(await findings()).toEqual(alarm);
    const token = await makeToken();
    vault = await deployBy(user, artifacts.LooseLocker, token.address);
    await give(token, maker);
    const named = await watchAll();
    await take(token);
    expect(await named()).toEqual(alarm);
  });

  it('alarms for pieces of a collection that a user gave, and not for those that their taker gave', async () => {
    const observer = await chain.watch('drain', {}, { address: vault.address });
    for (const [giver, severity] of [
      [user, 'CRITICAL'],
      [thief, 'LOW'],
    ] as const) {
      const pieces = await deployBy(thief, artifacts.TokenNft);
      for (const id of [1n, 2n, 3n]) await pieces.send(giver, 'mint', vault.address, id);
      await chain.anvil.mine();
      await observer.catchUp();
      await vault.send(
        thief,
        'runMany',
        [1n, 2n, 3n].map(() => pieces.address),
        [1n, 2n, 3n].map((id) => pieces.encode('transferFrom', vault.address, thief, id)),
      );
      expect(await observer.catchUp()).toMatchObject([{ severity }]);
    }
  });

  it('asks a giver for coins of before, and the holding for a day, where the chain is old enough', async () => {
    const { anvil } = chain;
    const token = await makeToken();
    await give(token, maker);
    // A day of 20 blocks.
    await anvil.mine(25);
    const findings = await watchAll(86_400_000 / 20);
    await take(token);
    expect(await findings()).toEqual(alarm);
    const fresh = `0x${'7'.repeat(40)}`;
    const young = await makeToken();
    await young.send(maker, 'transfer', fresh, 2_000n * unit);
    await anvil.send({ from: maker, to: fresh, value: 10n ** 18n });
    await anvil.rpc('anvil_impersonateAccount', fresh);
    await give(young, fresh);
    await anvil.mine();
    await findings();
    await take(young);
    expect(await findings()).toEqual(silent);
    await young.send(maker, 'transfer', user, unit);
    await give(young, user, unit);
    await give(young, fresh, 900n * unit);
    await findings();
    await take(young);
    const [drained, dropped] = await findings();
    expect([drained, dropped]).toEqual(alarm.slice(0, 2));
  });
});
