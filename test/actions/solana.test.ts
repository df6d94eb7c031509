import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transferCoins } from '../../src/chains/solana/instructions.ts';
import { concat, uint } from '../../src/codecs/solana/borsh.ts';
import { systemProgram, tokenProgram } from '../../src/codecs/solana/programs.ts';
import { memoIdl, memoProgram } from '../../testing/memoIdl.ts';
import {
  findSurfnet,
  type Key,
  keyOf,
  noSurfnet,
  type Solana,
  startSolana,
} from '../../testing/startSolana.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { skipWaits } from './support/intents.ts';

const surfnet = findSurfnet();
const ends = ['CONFIRMED', 'FAILED', 'SKIPPED', 'CANCELED'];

describe('actions on Solana', () => {
  let solana: Solana;
  let vigil: TestWatch;
  let wallet: Json;
  const [treasury, guard, safe, mint, hoard] = [9, 15, 17, 7, 5].map(keyOf) as [Key, Key, Key, Key, Key];

  beforeEach(({ skip }) => skip(!surfnet, noSurfnet));
  beforeAll(async () => {
    if (!surfnet) return;
    solana = await startSolana(surfnet);
    await solana.pay(treasury.address, 5_000_000_000n);
    await solana.pay(guard.address, 1_000_000_000n);
    vigil = await startTestWatch({ solana: { urls: [solana.url], confirmations: 1 } });
    const pair = concat(guard.secret, base58.decode(guard.address));
    wallet = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: vigil.tenantId,
      chainUid: 'solana',
      name: 'Guard',
      privateKey: base58.encode(pair),
    });
    vigil.act();
  });
  afterAll(async () => {
    await vigil?.stop();
    await solana?.stop();
  });

  const balanceOf = async (address: string) => Number((await solana.rpc('getBalance', address)).value);
  const intents = async ({ id }: Json): Promise<Json[]> =>
    (await vigil.ok('GET', `action/${id}/intent`)).data;
  /** Blocks come with transactions only, one with each; equal ones would be one. */
  async function mine(blocks: number): Promise<void> {
    for (let left = blocks; left > 0; left -= 10) {
      const amounts = Array.from({ length: Math.min(left, 10) }, (_, n) => 1_000_000n + BigInt(n));
      await Promise.all(amounts.map((amount) => solana.pay(safe.address, amount)));
    }
  }
  const ended = (action: Json, blocks = 1) =>
    until(async () => {
      await skipWaits(vigil);
      const [intent] = await intents(action);
      if (intent && ends.includes(intent.state)) return intent;
      if (intent?.state === 'SUBMITTED') await mine(blocks);
      return undefined;
    });

  it('answers an alert with a payment, once, and says before what it would do', async () => {
    const contractId = await vigil.addContract(treasury.address, {
      chainUid: 'solana',
      addressType: 'WALLET',
      name: 'Treasury',
    });
    const detectorId = await vigil.addDetector(contractId, 'large_transfer', { threshold: '1' });
    const action: Json = await vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Pay the keeper',
      funcSignature: 'transfer',
      params: [
        { name: 'to', value: safe.address },
        { name: 'lamports', value: '250000000' },
      ],
      fireAt: 'head',
      detectors: [{ detectorId }],
    });
    const simulated = await vigil.ok('POST', `action/${action.id}/simulate`, {});
    expect(simulated).toMatchObject({ fires: true, success: true, reason: null, balance: '1000000000' });
    const before = await balanceOf(guard.address);
    vigil.watch();
    await vigil.reached('solana', await solana.slot());
    const out = await solana.send([transferCoins(treasury.address, hoard.address, 3_000_000_000n)], treasury);
    await vigil.reached('solana', await solana.slot());
    expect(await vigil.alerts(`txHash:${out}`)).toHaveLength(1);
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED', nonce: null, walletAddress: guard.address });
    expect(await balanceOf(guard.address)).toBe(before - Number(intent.cost));
    expect(Number(intent.cost)).toBeGreaterThanOrEqual(250_005_000);
    expect(await intents(action)).toHaveLength(1);
    // Another branch without the payment that raised the alert.
    const depth = (await solana.slot()) - Number((await vigil.alerts(`txHash:${out}`))[0]?.blockNumber) + 1;
    await solana.fork(depth);
    await solana.pay(safe.address, 1_000_000n);
    await solana.pay(safe.address, 1_000_000n);
    await until(async () => (await vigil.alerts(`txHash:${out} AND status:RETRACTED`)).length === 1);
    expect(await vigil.alerts(`txHash:${out}`)).toEqual([]);
  });

  it('signs again only when the blockhash of what was lost has expired at a final height', async () => {
    const contractId = await vigil.addContract(safe.address, { chainUid: 'solana', name: 'Safe' });
    const action: Json = await vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Pay again',
      funcSignature: 'transfer',
      params: [
        { name: 'to', value: hoard.address },
        { name: 'lamports', value: '10000000' },
      ],
      fireAt: 'head',
    });
    const before = await balanceOf(hoard.address);
    solana.setDeaf(true);
    await vigil.ok('POST', `action/${action.id}/execute`, {});
    const intent = () => intents(action).then(([only]) => only ?? {});
    await until(async () => (await intent()).state === 'SUBMITTED');
    const { txHash: lost } = await intent();
    await mine(100);
    await skipWaits(vigil);
    expect((await intent()).txHash).toBe(lost);
    await until(async () => {
      await mine(10);
      await skipWaits(vigil);
      return (await intent()).txHash !== lost;
    });
    solana.setDeaf(false);
    expect((await ended(action, 100)).state).toBe('CONFIRMED');
    expect((await intent()).txHash).not.toBe(lost);
    expect(await balanceOf(hoard.address)).toBe(before + 10_000_000);
  });

  it('calls a program as its Anchor IDL says', async () => {
    const contractId = await vigil.addContract(memoProgram, {
      chainUid: 'solana',
      name: 'Notes',
      abi: [memoIdl],
    });
    const action: Json = await vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Lower the limit',
      funcSignature: 'set_limit',
      params: [
        { name: 'admin', value: guard.address },
        { name: 'limit', value: '90' },
        { name: 'who', value: 'Bob' },
      ],
      fireAt: 'head',
    });
    await vigil.ok('POST', `action/${action.id}/execute`, {});
    const { state, txHash } = await ended(action);
    expect(state).toBe('CONFIRMED');
    const { transaction, meta } = await solana.rpc('getTransaction', txHash, { encoding: 'json' });
    const { accountKeys, instructions } = transaction.message;
    const called = instructions.filter((one: Json) => accountKeys[one.programIdIndex] === memoProgram);
    expect(meta.err).toBeNull();
    expect(called.map((one: Json) => one.accounts.map((place: number) => accountKeys[place]))).toEqual([
      [guard.address],
    ]);
    expect(Buffer.from(base58.decode(called[0].data)).toString('latin1')).toBe(
      'setlimitZ\0\0\0\0\0\0\0\x03\0\0\0Bob',
    );
  });

  it('freezes a token account, refuses what the chain would refuse, and what needs other keys', async () => {
    const create = async (address: string, size: number) => ({
      program: systemProgram,
      accounts: [
        { key: solana.payer.address, isSigner: true, isWritable: true },
        { key: address, isSigner: true, isWritable: true },
      ],
      data: concat(
        uint(0n, 4),
        uint(BigInt(Number(await solana.rpc('getMinimumBalanceForRentExemption', size))), 8),
        uint(BigInt(size), 8),
        base58.decode(tokenProgram),
      ),
    });
    const account = keyOf(19);
    await solana.send(
      [
        await create(mint.address, 82),
        {
          program: tokenProgram,
          accounts: [{ key: mint.address, isWritable: true }],
          data: concat(
            Uint8Array.of(20, 6),
            base58.decode(guard.address),
            Uint8Array.of(1),
            base58.decode(guard.address),
          ),
        },
        await create(account.address, 165),
        {
          program: tokenProgram,
          accounts: [{ key: account.address, isWritable: true }, { key: mint.address }],
          data: concat(Uint8Array.of(18), base58.decode(treasury.address)),
        },
      ],
      mint,
      account,
    );
    const contractId = await vigil.addContract(mint.address, { chainUid: 'solana', name: 'USDX' });
    const members = {
      contractId,
      walletId: wallet.id,
      name: 'Freeze',
      funcSignature: 'freezeAccount',
      fireAt: 'head',
    };
    const params = (address: string) => [
      { name: 'account', value: address },
      { name: 'program', value: 'token' },
    ];
    const action: Json = await vigil.ok('POST', 'action', { ...members, params: params(account.address) });
    await vigil.ok('POST', `action/${action.id}/execute`, {});
    expect(await ended(action)).toMatchObject({ state: 'CONFIRMED' });
    const { value } = await solana.rpc('getAccountInfo', account.address, { encoding: 'base64' });
    expect(Buffer.from(value.data[0], 'base64')[108]).toBe(2);

    const again = await vigil.ok('POST', `action/${action.id}/simulate`, {});
    expect(again).toMatchObject({ success: false, reason: expect.stringContaining('Custom') });
    const wrong = await vigil.call('POST', 'action', { ...members, params: params('0x12') });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0].message).toContain('base58');
    const unknown = await vigil.call('POST', 'action', {
      ...members,
      gasTip: '1',
      params: params(account.address),
    });
    expect(unknown.body.errors[0]).toMatchObject({ pointer: '/gasTip' });
  });
});
