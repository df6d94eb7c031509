import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const zero = `0x${'0'.repeat(40)}`;
const aave = 0;
const balancer = 1;
const uniswap = 2;
const silent = 3;

let token: Contract;
let lender: Contract;
let vault: Contract;
let attacker: Contract;

beforeAll(async () => {
  const { anvil } = chain;
  const [owner] = anvil.accounts;
  token = await anvil.deploy(artifacts.Token, 'Dollar', 'USD', 6, 10n ** 15n);
  lender = await anvil.deploy(artifacts.FlashLender);
  vault = await anvil.deploy(artifacts.VaultV1);
  attacker = await anvil.deploy(artifacts.Attacker);
  await token.send(owner, 'transfer', lender.address, 10n ** 12n);
  await token.send(owner, 'transfer', vault.address, 1_000_000n);
});

describe('flash_loan', () => {
  it.each([
    ['aave', aave],
    ['balancer', balancer],
  ])('tells of a loan of %s in a transaction that takes tokens from the contract', async (provider, kind) => {
    const [owner, , thief] = chain.anvil.accounts;
    await token.send(owner, 'transfer', vault.address, 1_000_000n);
    const observer = await chain.watch('flash_loan', {}, vault);
    const amount = 2_500_500_000n;
    const call = [lender.address, kind, token.address, amount, vault.address];
    const { transactionHash } = await attacker.send(thief, 'attack', ...call);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      {
        severity: 'HIGH',
        txHash: transactionHash,
        meta: {
          provider,
          lender: lender.address,
          borrower: attacker.address,
          sender: thief,
          token: token.address,
          value: '2500500000',
          amount: '2500.5',
          symbol: 'USD',
        },
      },
    ]);
    expect(found[0]?.message).toContain('a flash loan of 2,500.5 USD from');
  });

  it('reports a loan of a Uniswap pool although the event does not name the token', async () => {
    const [owner, , thief] = chain.anvil.accounts;
    await token.send(owner, 'transfer', vault.address, 1_000_000n);
    const observer = await chain.watch('flash_loan', {}, vault);
    await attacker.send(thief, 'attack', lender.address, uniswap, token.address, 7n, vault.address);
    expect(await observer.catchUp()).toMatchObject([{ meta: { provider: 'uniswap', value: '7' } }]);
  });

  it('reports a loan of an ERC-3156 lender that the transaction calls itself, unless it failed', async () => {
    const { anvil } = chain;
    const [owner, , thief] = anvil.accounts;
    const silentLender = await anvil.deploy(artifacts.Lender3156);
    await token.send(owner, 'transfer', silentLender.address, 1_000n);
    await token.send(owner, 'transfer', vault.address, 1_000_000n);
    const observer = await chain.watch('flash_loan', {}, vault);
    const data = `0x${vault.address.slice(2).padStart(64, '0')}`;
    const call = [attacker.address, token.address] as const;
    const failing = silentLender.encode('flashLoan', ...call, 2_000n, data);
    await anvil.send({ from: thief, to: silentLender.address, data: failing });
    expect(await observer.catchUp()).toEqual([]);
    await silentLender.send(thief, 'flashLoan', ...call, 1_000n, data);
    expect(await observer.catchUp()).toMatchObject([
      {
        meta: {
          provider: 'erc3156',
          lender: silentLender.address,
          borrower: attacker.address,
          value: '1000',
        },
      },
    ]);
  });

  it('keeps quiet about loans that do not concern the contract, other kinds of lenders and mere transfers', async () => {
    const [owner, , thief] = chain.anvil.accounts;
    const all = await chain.watch('flash_loan', {}, vault);
    const some = await chain.watch('flash_loan', { providers: ['balancer'] }, vault);
    await attacker.send(thief, 'attack', lender.address, aave, token.address, 5n, zero);
    await token.send(owner, 'transfer', vault.address, 1_000_000n);
    expect(await all.catchUp()).toEqual([]);
    await attacker.send(thief, 'attack', lender.address, aave, token.address, 5n, vault.address);
    expect(await all.catchUp()).toHaveLength(1);
    expect(await some.catchUp()).toEqual([]);
  });

  it('sees a loan that no event reports through a contract of the borrower, by its repayment', async () => {
    const [owner, , thief] = chain.anvil.accounts;
    const observer = await chain.watch('flash_loan', {}, vault);
    await token.send(owner, 'transfer', vault.address, 7n);
    await attacker.send(thief, 'attack', lender.address, silent, token.address, 5n, zero);
    expect(await observer.catchUp()).toEqual([]);
    await attacker.send(thief, 'attack', lender.address, silent, token.address, 5n, vault.address);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { provider: 'other', lender: lender.address, borrower: attacker.address, value: '5' } },
    ]);
  });

  it('sees a swap of the watched pair that gives first, and not one without data', async () => {
    const [owner, borrower] = chain.anvil.accounts;
    const pair = await chain.anvil.deploy(artifacts.SwapPair, token.address, token.address);
    await token.send(owner, 'transfer', pair.address, 100n);
    const observer = await chain.watch('flash_loan', {}, pair);
    await pair.send(borrower, 'swap', 0n, 5n, borrower, '0x');
    expect(await observer.catchUp()).toEqual([]);
    await pair.send(borrower, 'swap', 0n, 7n, borrower, '0x01');
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'LOW', meta: { provider: 'uniswap', lender: pair.address, borrower, value: '7' } },
    ]);
  });

  it('refuses an unknown provider', async () => {
    await expect(chain.watch('flash_loan', { providers: ['bank'] }, vault)).rejects.toThrow('/providers/0');
  });
});
