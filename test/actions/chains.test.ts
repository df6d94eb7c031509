import { Address, Secp256k1 } from 'ox';
import { afterAll, describe, expect, it } from 'vitest';
import { type Hsm, openHsm } from '../../src/wallets/pkcs11/openHsm.ts';
import { createMempool } from '../../testing/simulator/createMempool.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { createSoftHsm, hasSoftHsm, type SoftHsm } from '../wallets/support/softHsm.ts';
import { useGuardedVault } from './support/guardedVault.ts';

let token: SoftHsm | undefined;
let hsm: Hsm | undefined;

async function openModule(): Promise<Hsm | undefined> {
  if (!hasSoftHsm) return undefined;
  token = await createSoftHsm();
  hsm = await openHsm(token);
  return hsm;
}

describe('a wallet whose key is in a PKCS#11 module', () => {
  const chain = useGuardedVault({ hsm: openModule });
  afterAll(async () => {
    await hsm?.close();
    await token?.remove();
  });

  it('signs actions', async (context) => {
    context.skip(!hasSoftHsm, 'SoftHSM2 is not installed (Debian package softhsm2)');
    const { vigil, anvil } = chain;
    const wallet = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: vigil.tenantId,
      chainUid: 'anvil',
      name: 'Vaulted',
      type: 'HSM',
    });
    await anvil.setBalance(wallet.address, 10n ** 18n);
    const action = await chain.addAction({ walletId: wallet.id, params: [{ name: 'value', value: '9' }] });
    await vigil.ok('POST', `action/${action.id}/execute`);
    expect(await chain.ended(action)).toMatchObject([{ state: 'CONFIRMED', walletAddress: wallet.address }]);
    expect(await chain.vault.call('value')).toBe(9n);
  });
});

it('an action on a chain that knows a gas price only is sent as a transaction of the older kind', async () => {
  const key = Secp256k1.randomPrivateKey();
  const sender = Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey: key }));
  const chain = createSimChain({ chainId: 31337 });
  const mempool = createMempool(chain, { balances: { [sender]: 10n ** 20n }, baseFee: null });
  const simulator = await startSimulator({ chain, mempool });
  const vigil = await startTestWatch({ anvil: { urls: [simulator.url], confirmations: 0 } });
  try {
    chain.extend(1);
    const contractId = await vigil.addContract('0x00000000000000000000000000000000000000aa');
    const wallet = {
      tenantId: vigil.tenantId,
      chainUid: 'anvil',
      name: 'W',
      privateKey: key,
      allowedCalls: null,
    };
    const { id: walletId } = await vigil.ok('POST', 'wallet', wallet);
    const action = { contractId, walletId, name: 'Old', funcSignature: 'pause()' };
    const { id } = await vigil.ok('POST', 'action', action);
    vigil.act();
    await vigil.ok('POST', `action/${id}/execute`);
    await until(() => mempool.arrivals.length === 1);
    chain.extend(1);
    const intent = async () => (await vigil.ok('GET', `action/${id}/intent`)).data[0];
    await until(async () => (await intent()).state === 'CONFIRMED');
    expect((await intent()).transactions).toMatchObject([{ maxPriorityFeePerGas: null }]);
    expect(mempool.mined(sender)).toHaveLength(1);
  } finally {
    await vigil.stop();
    await simulator.stop();
  }
});
