import { beforeAll, describe, expect, it } from 'vitest';
import { erc20Transfer } from '../../src/triggers/erc20Transfer.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeTrigger } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain(observeTrigger);
let token: Contract;
let other: Contract;
beforeAll(async () => {
  token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 10n ** 12n);
  other = await chain.anvil.deploy(artifacts.Token, 'Other', 'OTH', 18, 10n ** 24n);
});

const amounts = (findings: readonly { meta: Record<string, unknown> }[]) =>
  findings.map(({ meta }) => `${String(meta.amount)} ${String(meta.symbol)}`);

describe('ERC20_TRANSFER', () => {
  it('reports all transfers of a watched token from the least amount on, but not of nothing', async () => {
    const [owner, friend, stranger] = chain.anvil.accounts;
    const all = await chain.watch('ERC20_TRANSFER', {}, token);
    const large = await chain.watch('ERC20_TRANSFER', { minAmount: '1.5' }, token);
    await token.send(owner, 'transfer', friend, 1_499_999n);
    await token.send(owner, 'transfer', friend, 1_500_000n);
    await token.send(friend, 'transfer', stranger, 0n);
    await other.send(owner, 'transfer', friend, 10n ** 18n);
    const found = await all.catchUp();
    expect(amounts(found)).toEqual(['1.499999 TKN', '1.5 TKN']);
    expect(found[1]).toMatchObject({
      message: `1.5 TKN moved from ${owner} to ${friend} (Watched).`,
      meta: { from: owner, to: friend, token: token.address, rawAmount: '1500000' },
    });
    expect(amounts(await large.catchUp())).toEqual(['1.5 TKN']);
    expect(large.memory()).toMatchObject({ own: { decimals: 6 } });
  });

  it('reports what a wallet gets and sends, by direction and token', async () => {
    const [owner, wallet, stranger] = chain.anvil.accounts;
    const world = { address: wallet, contract: { addressType: 'WALLET' } };
    const any = await chain.watch('ERC20_TRANSFER', {}, world);
    const incoming = await chain.watch('ERC20_TRANSFER', { direction: 'in' }, world);
    const outgoing = await chain.watch('ERC20_TRANSFER', { direction: 'out', minAmount: '2' }, world);
    const mixedCase = other.address.toUpperCase().replace('0X', '0x');
    const one = await chain.watch('ERC20_TRANSFER', { token: mixedCase }, world);
    await other.send(owner, 'transfer', wallet, 5n * 10n ** 18n);
    await token.send(owner, 'transfer', wallet, 3_000_000n);
    await token.send(wallet, 'transfer', stranger, 2_000_000n);
    await token.send(wallet, 'transfer', stranger, 1_999_999n - 1_000_000n);
    await token.send(owner, 'transfer', stranger, 1n);
    expect(amounts(await any.catchUp())).toEqual(['5 OTH', '3 TKN', '2 TKN', '0.999999 TKN']);
    expect(amounts(await incoming.catchUp())).toEqual(['5 OTH', '3 TKN']);
    expect(amounts(await outgoing.catchUp())).toEqual(['2 TKN']);
    expect(amounts(await one.catchUp())).toEqual(['5 OTH']);
  });

  it('takes a piece of an early collection, whose event indexes nothing, for an id and not for an amount', async () => {
    const [owner, friend] = chain.anvil.accounts;
    const kitties = await chain.anvil.deploy(artifacts.PlainCollection);
    const coin = await chain.anvil.deploy(artifacts.PlainToken);
    const tokens = await chain.watch(
      'ERC20_TRANSFER',
      {},
      { address: friend, contract: { addressType: 'WALLET' } },
    );
    const collection = await chain.watch('ERC20_TRANSFER', {}, kitties);
    const pieces = await chain.watch('ERC721_TRANSFER', {}, kitties);
    const coins = await chain.watch('ERC721_TRANSFER', {}, coin);
    const observers = [tokens, collection, pieces, coins];
    await kitties.send(owner, 'give', friend, 554_985n);
    await coin.send(owner, 'mint', friend, 554_985n);
    const [ofFriend, ofCollection, ofPieces, ofCoins] = await Promise.all(
      observers.map((observer) => observer.catchUp()),
    );
    expect(amounts(ofFriend!)).toEqual(['0.000000000000554985 OLD']);
    expect([ofCollection, ofCoins]).toEqual([[], []]);
    expect(ofPieces).toMatchObject([{ meta: { to: friend, tokenId: '554985', amount: '1', symbol: 'CK' } }]);
  });

  it('refuses what is no token', async () => {
    for (const token of ['native', 'energy'])
      expect(erc20Transfer.check?.({ token, direction: 'any', minAmount: '0' }, [], 'tron')).toMatchObject([
        { pointer: '/token' },
      ]);
    expect(erc20Transfer.check?.({ token: '1002000', direction: 'any', minAmount: '0' }, [], 'tron')).toEqual(
      [],
    );
  });

  it('does not take the transfer of a unique token for one of an amount', async () => {
    const [owner] = chain.anvil.accounts;
    const nft = await chain.anvil.deploy(artifacts.TokenNft);
    const trigger = await chain.watch('ERC20_TRANSFER', {}, nft);
    await nft.send(owner, 'mint', owner, 1n);
    expect(await trigger.catchUp()).toEqual([]);
  });
});

describe('ERC721_TRANSFER', () => {
  it('reports all transfers of a watched collection, and of those of a wallet by direction', async () => {
    const [owner, wallet, stranger] = chain.anvil.accounts;
    const nft = await chain.anvil.deploy(artifacts.TokenNft);
    const all = await chain.watch('ERC721_TRANSFER', {}, nft);
    const outgoing = await chain.watch('ERC721_TRANSFER', { direction: 'out' }, { address: wallet });
    const others = await chain.watch('ERC721_TRANSFER', { token: token.address }, { address: wallet });
    await nft.send(owner, 'mint', wallet, 7n);
    await nft.send(wallet, 'transferFrom', wallet, stranger, 7n);
    await nft.send(owner, 'burn', 7n);
    await token.send(owner, 'transfer', wallet, 1n);
    expect((await all.catchUp()).map(({ message }) => message)).toEqual([
      `VTC #7 was made for ${wallet} (Watched).`,
      `VTC #7 moved from ${wallet} to ${stranger} (Watched).`,
      `VTC #7 of ${stranger} was destroyed (Watched).`,
    ]);
    expect(await outgoing.catchUp()).toMatchObject([
      { meta: { from: wallet, to: stranger, tokenId: '7', token: nft.address } },
    ]);
    expect(await others.catchUp()).toEqual([]);
  });

  it('reports tokens of many kinds in one contract (ERC-1155), by direction', async () => {
    const [owner, wallet] = chain.anvil.accounts;
    const tokens = await chain.anvil.deploy(artifacts.MultiToken);
    const incoming = await chain.watch('ERC721_TRANSFER', { direction: 'in' }, { address: wallet });
    await tokens.send(owner, 'mint', owner, 7n, 9n);
    await tokens.send(owner, 'move', owner, wallet, 7n, 5n);
    await tokens.send(owner, 'move', owner, wallet, 7n, 0n);
    expect(await incoming.catchUp()).toMatchObject([
      { meta: { from: owner, to: wallet, tokenId: '7', amount: '5', tokens: 1, token: tokens.address } },
    ]);
  });
});

describe('NATIVE_TRANSFER', () => {
  const coin = 10n ** 18n;

  it('reports coins by direction and least amount', async () => {
    const [, wallet, friend] = chain.anvil.accounts;
    const any = await chain.watch('NATIVE_TRANSFER', {}, { address: wallet });
    const incoming = await chain.watch(
      'NATIVE_TRANSFER',
      { direction: 'in', minAmount: '1.5' },
      { address: wallet },
    );
    const outgoing = await chain.watch('NATIVE_TRANSFER', { direction: 'out' }, { address: wallet });
    await chain.anvil.send({ from: friend, to: wallet, value: (coin * 3n) / 2n });
    await chain.anvil.send({ from: friend, to: wallet, value: (coin * 3n) / 2n - 1n });
    await chain.anvil.send({ from: wallet, to: friend, value: coin });
    await chain.anvil.send({ from: wallet, to: friend });
    expect(amounts(await any.catchUp())).toEqual(['1.5 ETH', '1.499999999999999999 ETH', '1 ETH']);
    expect(await incoming.catchUp()).toMatchObject([
      {
        message: `1.5 ETH moved from ${friend} to ${wallet} (Watched).`,
        meta: { rawAmount: '1500000000000000000' },
      },
    ]);
    expect(amounts(await outgoing.catchUp())).toEqual(['1 ETH']);
  });

  it('does not report coins that came back because the transaction failed', async () => {
    const trigger = await chain.watch('NATIVE_TRANSFER', {}, token);
    const { status } = await chain.anvil.send({ to: token.address, value: coin });
    expect(status).toBe('reverted');
    expect(await trigger.catchUp()).toEqual([]);
  });
});
