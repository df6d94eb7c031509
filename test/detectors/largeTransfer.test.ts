import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
let token: Contract;
beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 10n ** 15n);
});
afterAll(() => anvil.stop());

async function observe(config: object, address: string) {
  const observer = await observeDetector(anvil.url, 'large_transfer', config, { address });
  await observer.skip();
  return observer;
}

describe('large_transfer', () => {
  it('reports a transfer of the token from the threshold on', async () => {
    const [owner, someone] = anvil.accounts;
    const observer = await observe({ threshold: '1000.5' }, token.address);
    await token.send(owner, 'transfer', someone, 1_000_499_999n);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', someone, 1_000_500_000n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'LOW',
        message: `1,000.5 TKN moved from ${owner.toLowerCase()} to ${someone.toLowerCase()} (Watched).`,
        meta: { amount: '1000.5', rawAmount: '1000500000', symbol: 'TKN', from: owner.toLowerCase() },
      },
    ]);
    expect(observer.memory()).toMatchObject({ own: { decimals: 6 } });
    await observer.close();
  });

  it('reports a token that a wallet receives, but not of another token nor of the other direction', async () => {
    const [owner, wallet] = anvil.accounts;
    const fake = await anvil.deploy(artifacts.FakeToken);
    const observer = await observe({ threshold: '5', token: token.address, direction: 'in' }, wallet);
    await fake.send(owner, 'pretend', owner, wallet, 10n ** 12n);
    await token.send(wallet, 'transfer', owner, 6_000_000n);
    await anvil.send({ from: owner, to: wallet, value: 10n ** 20n });
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', wallet, 5_000_000n);
    expect(await observer.catchUp()).toMatchObject([{ meta: { token: token.address.toLowerCase() } }]);
    await observer.close();
  });

  it('reports native coins that have really moved', async () => {
    const [sender] = anvil.accounts;
    const victim = await anvil.deploy(artifacts.Victim);
    const observer = await observe({ threshold: '2', token: 'native' }, victim.address);
    await anvil.send({ from: sender, to: victim.address, value: 2n * 10n ** 18n - 1n });
    await anvil.send({
      from: sender,
      to: victim.address,
      value: 10n ** 19n,
      data: victim.encode('failPanic'),
    });
    expect(await observer.catchUp()).toEqual([]);
    await anvil.send({ from: sender, to: victim.address, value: 2n * 10n ** 18n });
    expect(await observer.catchUp()).toMatchObject([
      { meta: { amount: '2', symbol: 'ETH', token: 'native' } },
    ]);
    await observer.close();
  });

  it('does not take an NFT for an amount, and a token without decimals has none', async () => {
    const [owner, someone] = anvil.accounts;
    const nft = await anvil.deploy(artifacts.TokenNft);
    const observer = await observe({ threshold: '1' }, nft.address);
    await nft.send(owner, 'mint', someone, 10n ** 30n);
    expect(await observer.catchUp()).toEqual([]);
    await observer.close();
    expect(observer.faults).toEqual([]);
  });

  it('refuses a configuration without a threshold', async () => {
    await expect(observe({}, token.address)).rejects.toThrow('/threshold is required');
    await expect(observe({ threshold: '5', token: 'gold' }, token.address)).rejects.toThrow(
      '/token must be native, or the address of a token',
    );
  });
});
