import { Secp256k1 } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
const gwei = 10n ** 9n;
/** In `npm run prove:pending` blocks come by themselves, as on a public chain. */
const isProof = process.env.PROVE_ROUNDS !== undefined;
const rounds = Number(process.env.PROVE_ROUNDS ?? 3);

let anvil: Anvil;
let vigil: TestWatch;
let vault: Contract;
let raider: Contract;
let wallet: Json;
let action: Json;

beforeAll(async () => {
  anvil = await startAnvil({ order: 'fees' });
  vigil = await startTestWatch({ anvil: { urls: [anvil.wsUrl], confirmations: 0 } }, undefined, {
    pendingDropMs: 0,
  });
  wallet = await vigil.ok('POST', 'wallet', {
    allowedCalls: null,
    tenantId: vigil.tenantId,
    chainUid: 'anvil',
    name: 'Guardian',
    privateKey: Secp256k1.randomPrivateKey(),
    maxGasPrice: '500',
    maxHourlySpend: '1000',
  });
  await anvil.setBalance(wallet.address, 1000n * ether);
  vault = await anvil.deploy(artifacts.GuardedVault, wallet.address);
  raider = await anvil.deploy(artifacts.Raider, vault.address);
  const contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
  const detectorId = await vigil.addDetector(contractId, 'drain');
  action = await vigil.ok('POST', 'action', {
    contractId,
    walletId: wallet.id,
    name: 'Pause',
    funcSignature: 'pause()',
    fireAt: 'pending',
    detectors: [{ detectorId }],
  });
  vigil.watch();
  vigil.act();
  await anvil.mine();
  await until(async () => (await pendingState()) === 'ok');
});

afterAll(async () => {
  await vigil?.stop();
  await anvil?.stop();
});

async function pendingState(): Promise<string> {
  const { data } = await vigil.ok('GET', 'chain');
  return data.find(({ chainUid }: Json) => chainUid === 'anvil').pending.state;
}

const intents = async (): Promise<Json[]> =>
  (await vigil.ok('GET', `action/${action.id}/intent?size=1000`)).data;

/** An open vault with money, and no block until one is asked for. */
async function fill(): Promise<void> {
  await anvil.setAutomine(true);
  const [owner] = anvil.accounts;
  await vault.send(owner, 'reopen');
  await anvil.setBalance(vault.address, 5n * ether);
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
  await anvil.setAutomine(false);
}

async function attack(tip: bigint, nonce?: string): Promise<string> {
  const fee = `0x${(tip + 10n * gwei).toString(16)}`;
  return anvil.rpc<string>('eth_sendTransaction', {
    from: anvil.accounts[2],
    to: raider.address,
    data: raider.encode('attack'),
    gas: '0x30d40',
    maxFeePerGas: fee,
    maxPriorityFeePerGas: `0x${tip.toString(16)}`,
    ...(nonce !== undefined && { nonce }),
  });
}

/** The newest intent, once it is in this state. */
async function reaches(before: number, state: string): Promise<Json> {
  await until(async () => {
    const found = await intents();
    return found.length > before && found[0]?.state === state;
  });
  return (await intents())[0]!;
}

async function placeOf(hash: string): Promise<{ block: number; index: number; isSuccess: boolean }> {
  await anvil.receipt(hash as `0x${string}`);
  const { blockNumber, transactionIndex, status } = await anvil.rpc<Record<string, string>>(
    'eth_getTransactionReceipt',
    hash,
  );
  return { block: Number(blockNumber), index: Number(transactionIndex), isSuccess: status === '0x1' };
}

describe('an action that fires at pending transactions', () => {
  it(
    'is mined before the attack in the same block',
    async () => {
      for (let round = 0; round < rounds; round++) {
        await fill();
        const before = (await intents()).length;
        if (isProof) await anvil.rpc('evm_setIntervalMining', 2);
        const hash = await attack(BigInt(1 + (round % 40)) * gwei);
        if (!isProof) {
          await reaches(before, 'SUBMITTED');
          await anvil.mine();
        }
        const intent = await reaches(before, 'CONFIRMED');
        if (isProof) await anvil.rpc('evm_setIntervalMining', 0);
        const [stopped, pause] = [await placeOf(hash), await placeOf(intent.txHash)];
        expect(stopped).toMatchObject({ block: pause.block, isSuccess: false });
        expect(pause.index).toBeLessThan(stopped.index);
        expect(await anvil.balance(vault.address)).toBe(5n * ether);
        expect(await intents()).toHaveLength(before + 1);
        await anvil.setAutomine(true);
        // The attempt stays on record, although it failed.
        await until(async () => (await vigil.alerts(`txHash:${hash}`))[0]?.blockNumber === pause.block);
        const [alert] = await vigil.alerts(`txHash:${hash}`);
        expect(alert).toMatchObject({
          uid: intent.alertUid,
          message: expect.stringMatching(/did not do this/),
        });
      }
    },
    isProof ? 3_600_000 : undefined,
  );

  it('is not sent when the caps of its wallet do not allow it to come first', async () => {
    await fill();
    const before = (await intents()).length;
    const hash = await attack(900n * gwei);
    const intent = await reaches(before, 'FAILED');
    expect(intent.reason).toMatch(/too late.* 500 gwei \(maxGasPrice\)/);
    expect(intent.transactions).toEqual([]);
    await anvil.mine();
    expect(await placeOf(hash)).toMatchObject({ isSuccess: true });
    await anvil.setAutomine(true);
    await until(async () => (await vigil.alerts(`txHash:${hash}`))[0]?.blockNumber != null);
    expect(await intents()).toHaveLength(before + 1);
  });

  it('is called off when the attack vanishes', async () => {
    await fill();
    const before = (await intents()).length;
    const hash = await attack(2n * gwei);
    await reaches(before, 'SUBMITTED');
    await anvil.rpc('anvil_dropTransaction', hash);
    await until(async () => (await intents())[0]?.transactions.length === 2);
    await anvil.mine();
    await anvil.setAutomine(true);
    const { reason, transactions } = await reaches(before, 'CANCELED');
    expect(reason).toMatch(/vanished/);
    expect(transactions.map(({ isVoid }: Json) => isVoid)).toEqual([false, true]);
    expect(await vault.call('paused')).toBe(false);
    // The same transaction again, as someone may send it once more.
    await anvil.setAutomine(false);
    expect(await attack(2n * gwei)).toBe(hash);
    await reaches(before + 1, 'SUBMITTED');
    await anvil.mine();
    await anvil.setAutomine(true);
    await reaches(before + 1, 'CONFIRMED');
    expect(await placeOf(hash)).toMatchObject({ isSuccess: false });
    expect(await anvil.balance(vault.address)).toBe(5n * ether);
  });

  it('pays more when the attacker does, in the place of the first call', async () => {
    await fill();
    const before = (await intents()).length;
    const first = await attack(2n * gwei);
    await reaches(before, 'SUBMITTED');
    const { nonce } = await anvil.rpc<{ nonce: string }>('eth_getTransactionByHash', first);
    const second = await attack(60n * gwei, nonce);
    await until(async () => (await intents())[0]?.transactions.length === 2);
    await reaches(before, 'SUBMITTED');
    await until(async () => (await intents())[0]?.transactions[1].broadcastAt !== null);
    await anvil.mine();
    await anvil.setAutomine(true);
    const intent = await reaches(before, 'CONFIRMED');
    expect(intent.transactions.map(({ isVoid }: Json) => isVoid)).toEqual([false, false]);
    expect((await placeOf(intent.txHash)).index).toBeLessThan((await placeOf(second)).index);
    expect(await intents()).toHaveLength(before + 1);
    expect(await anvil.balance(vault.address)).toBe(5n * ether);
  });
});
