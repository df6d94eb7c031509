import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findSurfnet, keyOf, noSurfnet, type Solana, startSolana } from '../../../testing/startSolana.ts';
import { watched as watchedOnly } from '../../../testing/watched.ts';
import { concat, uint } from '../../codecs/solana/borsh.ts';
import { systemProgram, tokenProgram } from '../../codecs/solana/programs.ts';
import type { Block, Transaction } from '../../model/block.ts';
import { chains } from '../chains.ts';
import { createSolanaClient } from './createSolanaClient.ts';
import { freezeAccount, setAuthority, transferCoins } from './instructions.ts';
import type { Instruction } from './message.ts';

const surfnet = findSurfnet();

describe('Solana, on the real virtual machine', () => {
  let solana: Solana;
  let client: ReturnType<typeof createSolanaClient>;
  const [bob, mint, vault, thief] = [keyOf(9), keyOf(7), keyOf(5), keyOf(3)];

  beforeEach(({ skip }) => skip(!surfnet, noSurfnet));
  beforeAll(async () => {
    if (!surfnet) return;
    solana = await startSolana(surfnet);
    const urls = [solana.url];
    client = createSolanaClient({ chain: chains.solana, urls, now: Date.now, onCall: () => {} });
  });
  afterAll(async () => {
    await client?.close();
    await solana?.stop();
  });

  /** The transaction with all that it did, as if the address were watched. */
  async function seen(
    signature: string,
    watched: string,
  ): Promise<{ block: Block; transaction: Transaction }> {
    const slot = await client.blockOfTransaction(signature);
    const found = slot === null ? null : await client.block(slot);
    if (!found) throw new Error('The chain has no such transaction.');
    const block = await client.detail!(found, watchedOnly(watched));
    return { block, transaction: block.transactions.find(({ hash }) => hash === signature)! };
  }

  const create = async (address: string, size: number): Promise<Instruction> => {
    const rent = BigInt(Number(await solana.rpc('getMinimumBalanceForRentExemption', size)));
    return {
      program: systemProgram,
      accounts: [
        { key: solana.payer.address, isSigner: true, isWritable: true },
        { key: address, isSigner: true, isWritable: true },
      ],
      data: concat(uint(0n, 4), uint(rent, 8), uint(BigInt(size), 8), base58.decode(tokenProgram)),
    };
  };

  it('shows transfers of coins with their parties, and nothing of failed transactions but the fee', async () => {
    const paid = await solana.pay(bob.address, 777_000_000n);
    const { block, transaction } = await seen(paid, bob.address);
    expect(transaction.transfers).toEqual([
      { asset: 'native', from: solana.payer.address, to: bob.address, amount: 777_000_000n },
    ]);
    expect(transaction).toMatchObject({ from: solana.payer.address, to: bob.address, value: 777_000_000n });
    expect(transaction.parties!.recipients.has(bob.address)).toBe(true);
    expect(block.receiptOf!(paid)).toMatchObject({ isSuccess: true, price: 5000n });
    expect(block.holdingOf!('native', bob.address, 'block')).toBe(777_000_000n);
    expect(block.holdingOf!('native', bob.address, 'parent')).toBe(0n);
    expect(transaction.calls).toMatchObject([{ contract: systemProgram, position: 0 }]);

    const failed = await solana.pay(bob.address, 10n ** 18n);
    const { block: later, transaction: vain } = await seen(failed, bob.address);
    expect(vain.transfers).toEqual([]);
    expect(later.receiptOf!(failed)).toMatchObject({
      isSuccess: false,
      failure: expect.stringContaining('Custom'),
    });
    expect(later.parentHash).toBe(block.hash);
  });

  it('shows what becomes of a token: made, moved, frozen, its authority handed on', async () => {
    const payer = solana.payer.address;
    await solana.send(
      [
        await create(mint.address, 82),
        {
          program: tokenProgram,
          accounts: [{ key: mint.address, isWritable: true }],
          data: concat(Uint8Array.of(20, 6), base58.decode(payer), Uint8Array.of(1), base58.decode(payer)),
        },
      ],
      mint,
    );
    const account = (address: string, owner: string): Instruction => ({
      program: tokenProgram,
      accounts: [{ key: address, isWritable: true }, { key: mint.address }],
      data: concat(Uint8Array.of(18), base58.decode(owner)),
    });
    const move = (from: string, to: string, owner: string, amount: bigint): Instruction => ({
      program: tokenProgram,
      accounts: [
        { key: from, isWritable: true },
        { key: to, isWritable: true },
        { key: owner, isSigner: true },
      ],
      data: concat(Uint8Array.of(3), uint(amount, 8)),
    });
    const made = await solana.send(
      [
        await create(vault.address, 165),
        account(vault.address, bob.address),
        await create(thief.address, 165),
        account(thief.address, payer),
        {
          program: tokenProgram,
          accounts: [
            { key: mint.address, isWritable: true },
            { key: vault.address, isWritable: true },
            { key: payer, isSigner: true },
          ],
          data: concat(Uint8Array.of(7), uint(5_000_000n, 8)),
        },
      ],
      vault,
      thief,
    );
    expect((await seen(made, mint.address)).transaction.transfers[0]).toEqual({
      asset: mint.address,
      from: null,
      to: bob.address,
      amount: 5_000_000n,
    });
    // The mint is not among the accounts of a plain transfer.
    const moved = await solana.send([move(vault.address, thief.address, bob.address, 2_000_000n)], bob);
    const { transaction } = await seen(moved, mint.address);
    expect(transaction.transfers).toEqual([
      { asset: mint.address, from: bob.address, to: payer, amount: 2_000_000n },
    ]);
    const at = await client.header('latest');
    expect(
      await client.readState(at!, [
        { type: 'holding', asset: mint.address, holder: bob.address },
        { type: 'holding', asset: mint.address, holder: thief.address },
        { type: 'supply', asset: mint.address },
        { type: 'decimals', asset: mint.address },
        { type: 'symbol', asset: mint.address },
        { type: 'balance', address: bob.address },
        { type: 'decimals', asset: bob.address },
      ]),
    ).toEqual([
      { value: 3_000_000n },
      { value: 2_000_000n },
      { value: 5_000_000n },
      { value: 6 },
      { value: '' },
      { value: 777_000_000n },
      { missing: expect.stringContaining('no token'), isGone: true },
    ]);

    const frozen = await solana.send([
      freezeAccount(tokenProgram, vault.address, mint.address, payer),
      setAuthority(tokenProgram, mint.address, 'mint', payer, bob.address),
      setAuthority(tokenProgram, mint.address, 'freeze', payer, null),
    ]);
    expect((await seen(frozen, bob.address)).transaction.changes).toEqual([
      { subject: vault.address, what: 'frozen', before: 'false', after: 'true', position: 0 },
      {
        subject: mint.address,
        part: vault.address,
        what: 'frozen',
        before: 'false',
        after: 'true',
        position: 1,
      },
      {
        subject: bob.address,
        part: vault.address,
        what: 'frozen',
        before: 'false',
        after: 'true',
        position: 2,
      },
      { subject: mint.address, what: 'mint', before: payer, after: bob.address, position: 3 },
      { subject: mint.address, what: 'freeze', before: payer, after: null, position: 4 },
    ]);
  });

  it('fetches details of watched transactions only, with one call for each', async () => {
    const paid = await solana.pay(bob.address, 1000n);
    const slot = await client.blockOfTransaction(paid);
    await client.header('latest');
    solana.calls.length = 0;
    const found = await client.block(slot!);
    expect(
      (await client.detail!(found!, watchedOnly())).transactions.every(({ calls }) => calls?.length === 0),
    ).toBe(true);
    expect(solana.calls).toEqual(['getBlock']);
    await client.detail!(found!, watchedOnly(bob.address));
    expect(solana.calls).toEqual(['getBlock', 'getTransaction']);
  });

  it('passes skipped slots, and sees another branch', async () => {
    const first = await client.header('latest');
    solana.skip(3);
    await solana.send([transferCoins(solana.payer.address, bob.address, 1n)]);
    const next = await client.block(first!.number + 1, first!.hash);
    expect(next).toMatchObject({ number: first!.number + 4, parentHash: first!.hash });
    expect(await client.header(first!.number + 2)).toMatchObject({ hash: next!.hash });
    expect(await client.block(next!.number + 1)).toBeNull();
    await solana.fork(1);
    await solana.send([transferCoins(solana.payer.address, bob.address, 2n)]);
    const other = await client.block(first!.number + 1, first!.hash);
    expect(other).toMatchObject({ number: first!.number + 1, parentHash: first!.hash });
    expect(other!.hash).not.toBe(next!.hash);
  });
});
