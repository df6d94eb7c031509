import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findProgramAddress } from '../../src/chains/solana/findProgramAddress.ts';
import { freezeAccount, setAuthority, transferCoins } from '../../src/chains/solana/instructions.ts';
import { concat, uint } from '../../src/codecs/solana/borsh.ts';
import {
  loaderProgram,
  systemProgram,
  token2022Program,
  tokenProgram,
} from '../../src/codecs/solana/programs.ts';
import { memoIdl, memoProgram } from '../../testing/memoIdl.ts';
import { findSurfnet, keyOf, noSurfnet, type Solana, startSolana } from '../../testing/startSolana.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';

const surfnet = findSurfnet();

const rentSysvar = 'SysvarRent111111111111111111111111111111111';
const clockSysvar = 'SysvarC1ock11111111111111111111111111111111';

describe('Solana', () => {
  let solana: Solana;
  let vigil: TestWatch;
  const [bob, mint, vault] = [keyOf(9), keyOf(7), keyOf(5)];
  const [program, pausable] = [keyOf(23), keyOf(25)];
  const codeAccount = findProgramAddress(loaderProgram, base58.decode(program.address));

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
    await deploy();
    const code = await vigil.addContract(program.address, { chainUid: 'solana', name: 'Lending' });
    await vigil.addDetector(code, 'proxy_upgrade');
    await vigil.addDetector(code, 'ownership_change');
    const stoppable = await vigil.addContract(pausable.address, { chainUid: 'solana', name: 'PYX' });
    await vigil.addDetector(stoppable, 'pause_state');
    await vigil.addDetector(stoppable, 'access_control_change');
    const notes = await vigil.addContract(memoProgram, { chainUid: 'solana', name: 'Notes', abi: [memoIdl] });
    await vigil.addDetector(notes, 'custom_function', {
      signature: 'set_limit',
      expression: 'e.args.limit > 100n',
    });
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

  /** Where the code of a token program lies, as the loader keeps it before the code itself. */
  const codeHead = (authority: string) =>
    concat(uint(3n, 4), uint(0n, 8), Uint8Array.of(1), base58.decode(authority));
  const bufferHead = (authority: string) => concat(uint(1n, 4), Uint8Array.of(1), base58.decode(authority));
  const readData = async (address: string) => {
    const { value } = await solana.rpc('getAccountInfo', address, { encoding: 'base64' });
    return Buffer.from(value.data[0], 'base64');
  };
  const put = (address: string, data: Uint8Array, executable = false) =>
    solana.rpc('surfnet_setAccount', address, {
      lamports: 10_000_000_000,
      owner: loaderProgram,
      data: Buffer.from(data).toString('hex'),
      executable,
    });

  /** A program under the loader, which the payer may upgrade: its code is that of the token program. */
  async function deploy(): Promise<void> {
    const original = base58.encode((await readData(tokenProgram)).subarray(4));
    const code = (await readData(original)).subarray(45);
    await put(codeAccount, concat(codeHead(solana.payer.address), code));
    await put(program.address, concat(uint(2n, 4), base58.decode(codeAccount)), true);
    await put(keyOf(27).address, concat(bufferHead(solana.payer.address), code));
  }

  const raised = async (txHash: string) =>
    (await vigil.alerts(`txHash:${txHash}`))
      .map(
        ({ detectorSchemaName, triggerType, message }: Json) =>
          `${detectorSchemaName ?? triggerType}: ${message}`,
      )
      .sort();
  const reached = async () => vigil.reached('solana', await solana.slot());

  const create = async (address: string, size: number, owner: string) => ({
    program: systemProgram,
    accounts: [
      { key: solana.payer.address, isSigner: true, isWritable: true },
      { key: address, isSigner: true, isWritable: true },
    ],
    data: concat(
      uint(0n, 4),
      uint(BigInt(Number(await solana.rpc('getMinimumBalanceForRentExemption', size))), 8),
      uint(BigInt(size), 8),
      base58.decode(owner),
    ),
  });

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
      `ERC20_TRANSFER: 5 ${mint.address} moved from the mint to ${bob.address} (your Treasury) (USDX).`,
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

  it('raises alerts when the loader upgrades a program and hands it on', async () => {
    const payer = solana.payer.address;
    const buffer = keyOf(27).address;
    const upgraded = await solana.send([
      {
        program: loaderProgram,
        accounts: [
          { key: codeAccount, isWritable: true },
          { key: program.address, isWritable: true },
          { key: buffer, isWritable: true },
          { key: payer, isWritable: true },
          { key: rentSysvar },
          { key: clockSysvar },
          { key: payer, isSigner: true },
        ],
        data: uint(3n, 4),
      },
    ]);
    const handed = await solana.send([
      {
        program: loaderProgram,
        accounts: [
          { key: codeAccount, isWritable: true },
          { key: payer, isSigner: true },
          { key: bob.address },
        ],
        data: uint(4n, 4),
      },
    ]);
    await reached();
    expect(await raised(upgraded)).toEqual([expect.stringMatching(/^proxy_upgrade: .*Lending/)]);
    expect(await raised(handed)).toEqual([
      expect.stringMatching(new RegExp(`^ownership_change: .*Lending.*${bob.address}`)),
    ]);
  });

  it('raises alerts when a token of Token-2022 is paused and its pause authority handed on', async () => {
    const payer = solana.payer.address;
    const own = [
      { key: pausable.address, isWritable: true },
      { key: payer, isSigner: true },
    ];
    const call = (accounts: { key: string }[], ...parts: Uint8Array[]) => ({
      program: token2022Program,
      accounts,
      data: concat(...parts),
    });
    await solana.send(
      [
        // A mint with room for the extension, which comes before the mint itself.
        await create(pausable.address, 203, token2022Program),
        call([own[0]!], Uint8Array.of(44, 0), base58.decode(payer)),
        call([own[0]!], Uint8Array.of(20, 6), base58.decode(payer), Uint8Array.of(0)),
      ],
      pausable,
    );
    const paused = await solana.send([call(own, Uint8Array.of(44, 1))]);
    const handed = await solana.send([call(own, Uint8Array.of(6, 16, 1), base58.decode(bob.address))]);
    await reached();
    expect(await raised(paused)).toEqual([expect.stringMatching(/^pause_state: .*PYX/)]);
    expect(await raised(handed)).toEqual([
      expect.stringMatching(new RegExp(`^access_control_change: .*pause authority.*${bob.address}`)),
    ]);
  });

  it('decodes calls as Anchor programs take them by the IDL of the contract', async () => {
    const call = (limit: bigint) =>
      solana.send([
        {
          program: memoProgram,
          accounts: [{ key: solana.payer.address, isSigner: true }],
          data: concat(Buffer.from('setlimit'), uint(limit, 8), uint(3n, 4), Buffer.from('Bob')),
        },
      ]);
    const [high, low] = [await call(120n), await call(90n)];
    await reached();
    expect(await raised(low)).toEqual([]);
    expect(await raised(high)).toEqual([expect.stringMatching(/^custom_function: .*set_limit/)]);
    const [alert] = await vigil.alerts(`txHash:${high}`);
    expect(alert?.meta.args).toMatchObject({
      limit: '120',
      who: 'Bob',
      accounts: { admin: solana.payer.address },
    });
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
