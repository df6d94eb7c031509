import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../../testing/createContract.ts';
import { observeTrigger } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const ether = 10n ** 18n;
let vault: Contract;
let router: Contract;
let thief: Contract;

beforeAll(async () => {
  const { anvil } = chain;
  vault = await anvil.deploy(artifacts.SilentVault);
  router = await anvil.deploy(artifacts.Router);
  thief = await anvil.deploy(artifacts.Thief, vault.address);
});

async function fill(): Promise<void> {
  const [owner] = chain.anvil.accounts;
  await vault.send({ from: owner, value: 10n * ether }, 'deposit');
}

/** What a trigger finds of what happens next. */
async function triggered(type: string, params: object, address: string, act: () => Promise<unknown>) {
  const observer = await observeTrigger(chain.anvil.url, type, params, {
    address,
    contract: { name: 'Vault', abi: vault.abi },
  });
  try {
    await observer.skip();
    await act();
    return await observer.catchUp();
  } finally {
    await observer.close();
  }
}

describe('inner calls without a log', () => {
  it('are seen as reentrancy and as a drain', async () => {
    const [, , attacker] = chain.anvil.accounts;
    await fill();
    const world = { ...vault, contract: { name: 'Vault', abi: vault.abi } };
    const entered = await chain.watch('reentrancy', {}, world);
    const drained = await chain.watch('drain', { share: 20 }, world);
    const { transactionHash } = await thief.send({ from: attacker, value: ether }, 'attack');
    const [found, ...more] = await entered.catchUp();
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      severity: 'CRITICAL',
      txHash: transactionHash,
      meta: { caller: thief.address, function: 'withdraw', outerFunction: 'withdraw', isReverted: false },
    });
    expect(found?.meta.path).toBe(
      `${attacker} → ${thief.address} → Vault → ${thief.address} → Vault.withdraw`,
    );
    expect(await drained.catchUp()).toMatchObject([
      {
        severity: 'CRITICAL',
        txHash: transactionHash,
        meta: { sender: attacker, percent: 100, recipients: [thief.address] },
      },
    ]);
  });

  it('count for function calls, transfers and creations, each once, unless innerCalls is false', async () => {
    const [, , someone, recipient] = chain.anvil.accounts;
    await fill();
    const sweep = vault.encode('sweep', recipient, ether);
    const forward = () => router.send(someone, 'forward', vault.address, sweep);
    const signature = 'sweep(address,uint256)';
    expect(await triggered('FUNCTION_CALL', { signature }, vault.address, forward)).toMatchObject([
      {
        meta: {
          function: 'sweep',
          from: router.address,
          args: { to: expect.stringMatching(new RegExp(recipient, 'i')), amount: ether.toString() },
          path: `${someone} → ${router.address} → Vault.sweep`,
        },
      },
    ]);
    const off = { signature, innerCalls: false };
    expect(await triggered('FUNCTION_CALL', off, vault.address, forward)).toEqual([]);
    const direct = () => vault.send(someone, 'sweep', recipient, ether);
    expect(await triggered('FUNCTION_CALL', { signature }, vault.address, direct)).toHaveLength(1);
    expect(await triggered('NATIVE_TRANSFER', { direction: 'out' }, vault.address, forward)).toMatchObject([
      { meta: { from: vault.address, to: recipient, amount: '1' } },
    ]);
    const make = () => router.send(someone, 'make', encodeDeployment(artifacts.SilentVault, []));
    expect(await triggered('CONTRACT_CREATED', {}, router.address, make)).toHaveLength(1);
  });

  it('do not count when they are reverted, but attempts to enter again do', async () => {
    const [, , someone, recipient] = chain.anvil.accounts;
    const tooMuch = vault.encode('sweep', recipient, 10n ** 24n);
    const attempt = () => router.send(someone, 'tryForward', vault.address, tooMuch);
    const signature = 'sweep(address,uint256)';
    expect(await triggered('FUNCTION_CALL', { signature }, vault.address, attempt)).toEqual([]);
  });

  it('make a transaction touch the contract', async () => {
    const [, , someone, recipient] = chain.anvil.accounts;
    await fill();
    const labels = [{ address: someone, name: 'Known thief', tags: ['EXPLOIT'], score: 90 }];
    const observer = await chain.watch('attack_detector', {}, { ...vault, labels });
    await router.send(someone, 'forward', vault.address, vault.encode('sweep', recipient, ether));
    await vault.send(someone, 'sweep', recipient, ether);
    expect(await observer.catchUp()).toHaveLength(2);
  });
});

describe('suspicious_deployment', () => {
  it('tells of a contract that names the watched one, also when a contract creates it', async () => {
    const [, , , , , fresh] = chain.anvil.accounts;
    const observer = await chain.watch(
      'suspicious_deployment',
      {},
      { ...vault, contract: { abi: vault.abi } },
    );
    const code = encodeDeployment(artifacts.Thief, [vault.address]);
    const { contractAddress } = await chain.anvil.send({ from: fresh, data: code });
    await router.send(fresh, 'make', code);
    await chain.anvil.send({ from: fresh, data: encodeDeployment(artifacts.Router, []) });
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      {
        severity: 'MEDIUM',
        meta: { sender: fresh, contractAddress, nonce: 0, functions: ['withdraw()', 'deposit()'] },
      },
      { severity: 'MEDIUM', meta: { sender: fresh, creator: router.address } },
    ]);
  });
});

describe('price_manipulation', () => {
  it('tells of a price that moves away and back around a call of the contract', async () => {
    const [, , someone, recipient] = chain.anvil.accounts;
    await fill();
    const pool = await chain.anvil.deploy(artifacts.ToyPool);
    const observer = await chain.watch('price_manipulation', { pools: [pool.address] }, vault);
    const use = vault.encode('sweep', recipient, 1n);
    const { transactionHash } = await pool.send(
      someone,
      'pushAndBack',
      500n * ether,
      2000n * ether,
      vault.address,
      use,
    );
    await pool.send(someone, 'pushAndBack', 999n * ether, 1001n * ether, vault.address, use);
    await pool.send(
      someone,
      'pushAndBack',
      500n * ether,
      2000n * ether,
      router.address,
      router.encode('forward', recipient, '0x'),
    );
    expect(await observer.catchUp()).toMatchObject([
      { txHash: transactionHash, meta: { pool: pool.address, movePercent: 300, restPercent: 100 } },
    ]);
  });
});
