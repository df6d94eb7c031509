import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const ether = 10n ** 18n;

describe('price_manipulation', () => {
  it('sees a pool without events whose answer is bent while the contract reads it, and back or for good', async () => {
    const { anvil } = chain;
    const [, , thief] = anvil.accounts;
    const pool = await anvil.deploy(artifacts.RatePool);
    const lender = await anvil.deploy(artifacts.RateLender, pool.address);
    const batch = await anvil.deploy(artifacts.Batch);
    await anvil.send({ to: lender.address, value: ether });
    const observer = await chain.watch('price_manipulation', {}, lender);
    const bend = (percent: bigint) => pool.encode('skew', (ether * percent) / 100n);
    const borrow = lender.encode('borrow', thief, 1n);
    const run = (...prices: bigint[]) =>
      batch.send(
        thief,
        'run',
        [pool.address, lender.address, ...prices.slice(1).map(() => pool.address)],
        [bend(prices[0]!), borrow, ...prices.slice(1).map(bend)],
      );
    // What an ordinary trade does.
    await run(103n, 101n);
    await lender.send(thief, 'borrow', thief, 1n);
    expect(await observer.catchUp()).toEqual([]);
    await run(151n, 101n);
    await run(303n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'CRITICAL',
        meta: { pool: pool.address, question: 'get_virtual_price', movePercent: 49.5, restPercent: 100 },
      },
      { severity: 'HIGH', meta: { question: 'get_virtual_price', movePercent: 200, stays: true } },
    ]);
    // Any number of questions that someone else asks before.
    const noise = Array.from(
      { length: 110 },
      (_, n) => `${pool.encode('get_virtual_price')}${(n + 1).toString(16).padStart(64, '0')}`,
    );
    const inputs = [...noise, bend(620n), borrow];
    await batch.send(thief, 'run', [...noise.map(() => pool.address), pool.address, lender.address], inputs);
    expect(await observer.catchUp()).toMatchObject([{ severity: 'HIGH', meta: { pool: pool.address } }]);
    // Someone else's pool that no one reads says nothing.
    const own = await anvil.deploy(artifacts.RatePool);
    const loud = await anvil.deploy(artifacts.RateLender, own.address);
    await anvil.send({ to: loud.address, value: ether });
    await batch.send(
      thief,
      'run',
      [own.address, loud.address, lender.address],
      [own.encode('skew', 1n), loud.encode('borrow', thief, 1n), borrow],
    );
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.faults).toEqual([]);
  });
});

describe('illegitimate_transfer', () => {
  it('reports pieces that leave owners who neither take part nor have approved anyone, and no others', async () => {
    const { anvil } = chain;
    const [, owner, thief, operator] = anvil.accounts;
    const nft = await anvil.deploy(artifacts.LooseNft);
    const wallet = await anvil.deploy(artifacts.SmartWallet);
    const batch = await anvil.deploy(artifacts.Batch);
    for (let id = 0n; id < 20n; id++) await nft.send(owner, 'mint', id === 19n ? wallet.address : owner, id);
    await nft.send(owner, 'setApprovalForAll', operator, true);
    const observer = await chain.watch('illegitimate_transfer', {}, nft);
    await nft.send(owner, 'transferFrom', owner, thief, 0n);
    await nft.send(operator, 'transferFrom', owner, thief, 1n);
    await nft.send(owner, 'burnOf', owner, 2n);
    await wallet.send(thief, 'run', nft.address, nft.encode('transferFrom', wallet.address, thief, 19n));
    expect(await observer.catchUp()).toEqual([]);
    await nft.send(thief, 'burnOf', owner, 3n);
    const burn = (from: string, id: bigint) => nft.encode('burnOf', from, id);
    const ids = [4n, 5n, 6n, 7n, 8n, 9n, 10n, 11n, 12n, 13n];
    await batch.send(
      thief,
      'run',
      [nft.address, ...ids.map(() => nft.address)],
      // His own pieces before do not hide those of others.
      [burn(thief, 0n), ...ids.map((id) => burn(owner, id))],
    );
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { kind: 'nft', owners: [owner], tokenIds: ['3'], pieces: 1 } },
      { severity: 'CRITICAL', meta: { sender: thief, pieces: 10 } },
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('reports a piece among any number of moves of nothing', async () => {
    const { anvil } = chain;
    const [, owner, thief] = anvil.accounts;
    const kinds = await anvil.deploy(artifacts.MultiToken);
    const batch = await anvil.deploy(artifacts.Batch);
    await kinds.send(owner, 'mint', owner, 999n, 5n);
    const observer = await chain.watch('illegitimate_transfer', {}, kinds);
    const move = (id: number, value: bigint) => kinds.encode('move', owner, thief, BigInt(id), value);
    const moves = [...Array.from({ length: 250 }, (_, id) => move(id, 0n)), move(999, 5n)];
    const data = batch.encode(
      'run',
      moves.map(() => kinds.address),
      moves,
    );
    const { status } = await anvil.send({ from: thief, to: batch.address, data, gas: 29_000_000n });
    expect(status).toBe('success');
    expect(await observer.catchUp()).toMatchObject([{ severity: 'HIGH', meta: { tokenIds: ['999'] } }]);
  });

  it('reports what an account sends beyond what it had', async () => {
    const { anvil } = chain;
    const [owner, someone, thief] = anvil.accounts;
    const token = await anvil.deploy(artifacts.OverflowToken);
    const observer = await chain.watch('illegitimate_transfer', {}, token);
    await token.send(owner, 'transfer', someone, 400_000n * ether);
    await anvil.sendTogether([
      { from: owner, to: token.address, data: token.encode('transfer', thief, 100_000n * ether) },
      { from: thief, to: token.address, data: token.encode('transfer', owner, 100_000n * ether) },
    ]);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(thief, 'batchTransfer', [someone, thief], 2n ** 255n);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { kind: 'sum', owners: [thief], held: '0' } },
    ]);
    expect(observer.faults).toEqual([]);
  });
});

describe('initializer_call', () => {
  it('reports who sets up a contract that is in use, also within a transaction, but neither its deployer nor a failure', async () => {
    const { anvil } = chain;
    const [owner, , thief] = anvil.accounts;
    const contract = await anvil.deploy(artifacts.LooseInit);
    const wallet = await anvil.deploy(artifacts.SmartWallet);
    const observer = await chain.watch('initializer_call', { allowedCallers: [owner] }, contract);
    await contract.send(owner, 'initialize', owner);
    await contract.send(thief, 'use');
    await anvil.send({
      from: thief,
      to: contract.address,
      data: contract.encode('initialize', thief),
      gas: 24_000n,
    });
    expect(await observer.catchUp()).toEqual([]);
    await wallet.send(thief, 'run', contract.address, contract.encode('initialize', thief));
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'CRITICAL',
        meta: { sender: thief, caller: wallet.address, previousOwner: owner, newOwner: thief },
      },
    ]);
    await contract.send(thief, 'initialize', thief);
    expect(await observer.catchUp()).toMatchObject([{ severity: 'HIGH', meta: { caller: thief } }]);
    expect(observer.faults).toEqual([]);
  });
});

describe('reentrancy over the contracts of a project', () => {
  it('reports a sister that is entered while a call is open and something is missing from both', async () => {
    const { anvil } = chain;
    const [owner, , thief] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.SisterVault);
    const sister = await anvil.deploy(artifacts.SisterVault);
    const stranger = await anvil.deploy(artifacts.SisterVault);
    const tool = await anvil.deploy(artifacts.SisterThief);
    for (const { address } of [vault, sister])
      await anvil.send({ from: owner, to: address, value: 10n * ether });
    const own = {
      [vault.address]: { name: 'Vault', projectId: 1 },
      [sister.address]: { name: 'Share book', projectId: 1 },
      [stranger.address]: { name: 'Other', projectId: 2 },
    };
    const observer = await chain.watch('reentrancy', {}, { address: vault.address, contract: { own } });
    await tool.send(thief, 'rob', vault.address, stranger.address, ether);
    await tool.send(thief, 'rob', vault.address, sister.address, 10n ** 16n);
    expect(await observer.catchUp()).toEqual([]);
    await tool.send(thief, 'rob', vault.address, sister.address, 5n * ether);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { entered: sister.address, caller: tool.address } },
    ]);
    expect(observer.faults).toEqual([]);
  });
});

describe('price_manipulation over the contracts of a project', () => {
  it('counts a pool that another contract of the project reads', async () => {
    const { anvil } = chain;
    const [, , thief] = anvil.accounts;
    const pool = await anvil.deploy(artifacts.RatePool);
    const lender = await anvil.deploy(artifacts.RateLender, pool.address);
    const vault = await anvil.deploy(artifacts.OpenVault);
    const batch = await anvil.deploy(artifacts.Batch);
    await anvil.send({ to: lender.address, value: ether });
    const contract = { own: { [lender.address]: { name: 'Lender', projectId: 1 } } };
    const observer = await chain.watch('price_manipulation', {}, { address: vault.address, contract });
    await batch.send(
      thief,
      'run',
      [pool.address, lender.address, vault.address, pool.address],
      [
        pool.encode('skew', 2n * ether),
        lender.encode('borrow', thief, 1n),
        vault.encode('touch'),
        pool.encode('skew', ether),
      ],
    );
    expect(await observer.catchUp()).toMatchObject([{ severity: 'CRITICAL', meta: { pool: pool.address } }]);
    expect(observer.faults).toEqual([]);
  });
});

describe('outflow_rate of a pool', () => {
  it('takes a falling price for no outflow, and still reports a swap that robs the pool', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const coin = await anvil.deploy(artifacts.Token, 'Falling', 'FALL', 18, 10n ** 27n);
    const dollar = await anvil.deploy(artifacts.Token, 'Dollar', 'USDC', 18, 10n ** 27n);
    const pair = await anvil.deploy(artifacts.SwapPair, coin.address, dollar.address);
    let [x, y] = [1_000n * ether, 1_000n * ether];
    await coin.send(owner, 'transfer', pair.address, x);
    await dollar.send(owner, 'transfer', pair.address, y);
    await coin.send(owner, 'approve', pair.address, 10n ** 30n);
    const observer = await chain.watch('outflow_rate', { token: dollar.address, limit: '20%' }, pair);
    for (let count = 0; count < 6; count++) {
      const sold = 100n * ether;
      const out = (y * sold) / (x + sold);
      await pair.send(owner, 'sell', sold, out);
      [x, y] = [x + sold, y - out];
    }
    expect(await observer.catchUp()).toEqual([]);
    await pair.send(owner, 'sell', ether, y / 2n);
    expect(await observer.catchUp()).toMatchObject([{ severity: 'HIGH', meta: { percent: 49.9999 } }]);
    expect(observer.faults).toEqual([]);
  });
});
