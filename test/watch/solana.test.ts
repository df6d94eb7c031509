import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { concat, uint } from '../../src/chains/solana/abi/borsh.ts';
import { systemProgram, tokenProgram } from '../../src/chains/solana/abi/programs.ts';
import { freezeAccount, setAuthority, transferCoins } from '../../src/chains/solana/instructions.ts';
import { findSurfnet, keyOf, noSurfnet, type Solana, startSolana } from '../../testing/startSolana.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';

const surfnet = findSurfnet();

describe('Solana', () => {
  let solana: Solana;
  let vigil: TestWatch;
  const [bob, mint, vault] = [keyOf(9), keyOf(7), keyOf(5)];

  beforeEach(({ skip }) => skip(!surfnet, noSurfnet));
  beforeAll(async () => {
    if (!surfnet) return;
    solana = await startSolana(surfnet);
    await solana.pay(bob.address, 5_000_000_000n);
    vigil = await startTestWatch({ solana: { urls: [solana.url, solana.wsUrl], confirmations: 1 } });
    const members = { chainUid: 'solana', addressType: 'WALLET' };
    const wallet = await vigil.addContract(bob.address, { ...members, name: 'Treasury' });
    await vigil.addDetector(wallet, 'large_transfer', { threshold: '1' });
    await vigil.addDetector(wallet, 'outflow_rate', { limit: '50%' });
    await vigil.addDetector(wallet, 'wallet_balance', { trackAnyChange: true, when: 'block' });
    await vigil.addDetector(wallet, 'token_freeze');
    await vigil.addDetector(wallet, 'durable_nonce');
    await vigil.addDetector(wallet, 'ownership_change');
    const token = await vigil.addContract(mint.address, { chainUid: 'solana', name: 'USDX' });
    await vigil.addDetector(token, 'ownership_change');
    await vigil.addDetector(token, 'total_supply', { when: 'block' });
    for (const [triggerType, contractId] of [
      ['NATIVE_TRANSFER', wallet],
      ['FAILED_TX', wallet],
      ['ERC20_TRANSFER', token],
    ] as const)
      await vigil.ok('POST', 'trigger', { contractId, name: triggerType, triggerType, params: {} });
    vigil.watch();
    await vigil.reached('solana', await solana.slot());
  });
  afterAll(async () => {
    await vigil?.stop();
    await solana?.stop();
  });

  const raised = async (txHash: string) =>
    (await vigil.alerts(`txHash:${txHash}`))
      .map(
        ({ detectorSchemaName, triggerType, message }: Json) =>
          `${detectorSchemaName ?? triggerType}: ${message}`,
      )
      .sort();
  const reached = async () => vigil.reached('solana', await solana.slot());

  it('raises alerts for coins, over skipped slots, and takes them back with a fork', async () => {
    solana.skip(2);
    const out = await solana.send([transferCoins(bob.address, vault.address, 3_000_000_000n)], bob);
    await reached();
    expect(await raised(out)).toEqual([
      `NATIVE_TRANSFER: 3 SOL moved from ${bob.address} to ${vault.address} (Treasury).`,
      `large_transfer: 3 SOL moved from ${bob.address} to ${vault.address} (Treasury).`,
      expect.stringMatching(/^outflow_rate: /),
    ]);
    const [balance] = await vigil.alerts('detectorSchemaName:wallet_balance');
    expect(balance?.meta).toMatchObject({ previous: '5', balance: '2' });

    await solana.fork(1);
    solana.skip(4);
    const other = await solana.send([transferCoins(bob.address, vault.address, 10n ** 18n)], bob);
    await reached();
    expect(await raised(out)).toEqual([]);
    expect(await vigil.alerts(`txHash:${out} AND status:RETRACTED`)).toHaveLength(3);
    expect(await raised(other)).toEqual([expect.stringMatching(/^FAILED_TX: .*touches Treasury.*Custom/)]);
  });

  it('raises alerts for tokens: minted, moved, frozen, handed on; and for a durable nonce', async () => {
    const payer = solana.payer.address;
    const create = async (address: string, size: number, owner: string) => ({
      program: systemProgram,
      accounts: [
        { key: payer, isSigner: true, isWritable: true },
        { key: address, isSigner: true, isWritable: true },
      ],
      data: concat(
        uint(0n, 4),
        uint(BigInt(Number(await solana.rpc('getMinimumBalanceForRentExemption', size))), 8),
        uint(BigInt(size), 8),
        base58.decode(owner),
      ),
    });
    const hoard = keyOf(11);
    await solana.send(
      [
        await create(mint.address, 82, tokenProgram),
        {
          program: tokenProgram,
          accounts: [{ key: mint.address, isWritable: true }],
          data: concat(Uint8Array.of(20, 6), base58.decode(payer), Uint8Array.of(1), base58.decode(payer)),
        },
      ],
      mint,
    );
    const minted = await solana.send(
      [
        await create(hoard.address, 165, tokenProgram),
        {
          program: tokenProgram,
          accounts: [{ key: hoard.address, isWritable: true }, { key: mint.address }],
          data: concat(Uint8Array.of(18), base58.decode(bob.address)),
        },
        {
          program: tokenProgram,
          accounts: [
            { key: mint.address, isWritable: true },
            { key: hoard.address, isWritable: true },
            { key: payer, isSigner: true },
          ],
          data: concat(Uint8Array.of(7), uint(5_000_000n, 8)),
        },
      ],
      hoard,
    );
    const frozen = await solana.send([
      freezeAccount(tokenProgram, hoard.address, mint.address, payer),
      setAuthority(tokenProgram, mint.address, 'mint', payer, null),
    ]);
    const nonce = keyOf(13);
    const authorised = await solana.send(
      [
        await create(nonce.address, 80, systemProgram),
        {
          program: systemProgram,
          accounts: [
            { key: nonce.address, isWritable: true },
            { key: 'SysvarRecentB1ockHashes11111111111111111111' },
            { key: 'SysvarRent111111111111111111111111111111111' },
            { key: bob.address },
          ],
          data: concat(uint(6n, 4), base58.decode(bob.address)),
        },
      ],
      nonce,
    );
    await reached();
    expect(await raised(minted)).toEqual([
      `ERC20_TRANSFER: 5 ${mint.address} moved from the mint to ${bob.address} (USDX).`,
    ]);
    expect(await raised(frozen)).toEqual([
      `ownership_change: The mint authority of USDX was given up for good: it was ${payer}, in a transaction of ${payer}.`,
      `token_freeze: The token account ${hoard.address} of Treasury was frozen in a transaction of ${payer}.`,
    ]);
    expect(await raised(authorised)).toEqual([
      expect.stringContaining(
        `durable_nonce: The nonce account ${nonce.address} came under the authority of Treasury`,
      ),
    ]);
  });

  it('refuses what does not fit the family, and shows the chain as followed', async () => {
    const wrong = await vigil.call('POST', 'contract', {
      projectId: vigil.projectId,
      chainUid: 'solana',
      address: keyOf(21).address,
      name: 'Program',
      abi: [{ type: 'event', name: 'Paused', inputs: [] }],
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0]).toMatchObject({ pointer: '/abi', code: 'idl' });
    const { data } = await vigil.ok('GET', 'chain');
    expect(data.find(({ chainUid }: Json) => chainUid === 'solana')).toMatchObject({
      family: 'solana',
      followed: true,
      watchState: 'ok',
    });
  });
});
