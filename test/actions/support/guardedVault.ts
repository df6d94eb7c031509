import { Secp256k1 } from 'ox';
import { afterAll, beforeAll } from 'vitest';
import type { Hsm } from '../../../src/wallets/pkcs11/openHsm.ts';
import { artifacts } from '../../../testing/contracts/artifacts.ts';
import type { Contract } from '../../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../../testing/startAnvil.ts';
import type { Json } from '../../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../../testing/startTestWatch.ts';
import { until } from '../../../testing/until.ts';
import { addRoomyPlan } from './addRoomyPlan.ts';

const ends = ['CONFIRMED', 'FAILED', 'SKIPPED', 'CANCELED'];

/** A vault on anvil whose owner is a wallet of Vigil, and a Vigil that watches and acts. */
export function useGuardedVault(options: { hsm?: () => Promise<Hsm | undefined> } = {}) {
  let made: { anvil: Anvil; vigil: TestWatch; vault: Contract; contractId: number; wallet: Json } | undefined;
  const known = () => {
    if (!made) throw new Error('The vault is there from beforeAll on.');
    return made;
  };
  let count = 0;

  beforeAll(async () => {
    const anvil = await startAnvil();
    const vigil = await startTestWatch(
      { anvil: { urls: [anvil.url], confirmations: 0 } },
      await options.hsm?.(),
    );
    await addRoomyPlan(vigil);
    const vault = await anvil.deploy(artifacts.VaultV1);
    const contractId = await vigil.addContract(vault.address, { abi: artifacts.VaultV1.abi });
    const wallet = await addWallet(anvil, vigil);
    await vault.send(anvil.accounts[0], 'initialize', wallet.address);
    made = { anvil, vigil, vault, contractId, wallet };
    vigil.watch();
    vigil.act();
  });
  afterAll(async () => {
    await made?.vigil.stop();
    await made?.anvil.stop();
  });

  async function addWallet(anvil: Anvil, vigil: TestWatch, members: Json = {}, balance = 10n ** 18n) {
    const wallet: Json = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: vigil.tenantId,
      chainUid: 'anvil',
      name: 'Guardian',
      privateKey: Secp256k1.randomPrivateKey(),
      ...members,
    });
    await anvil.setBalance(wallet.address, balance);
    return wallet;
  }

  async function intents(action: Json): Promise<Json[]> {
    return (await known().vigil.ok('GET', `action/${action.id}/intent?size=1000`)).data;
  }

  return {
    get anvil() {
      return known().anvil;
    },
    get vigil() {
      return known().vigil;
    },
    get vault() {
      return known().vault;
    },
    get contractId() {
      return known().contractId;
    },
    get wallet() {
      return known().wallet;
    },
    addWallet: (members?: Json, balance?: bigint) =>
      addWallet(known().anvil, known().vigil, members, balance),
    addAction: (members: Json = {}): Promise<Json> =>
      known().vigil.ok('POST', 'action', {
        contractId: known().contractId,
        walletId: known().wallet.id,
        name: `Action ${++count}`,
        funcSignature: 'setValue(uint256 value)',
        fireAt: 'head',
        ...members,
      }),
    /** A detector whose alerts come from outside. */
    addSource: () => known().vigil.addDetector(known().contractId, 'pause_state', {}, { source: 'EXTERNAL' }),
    /** Raises an alert of such a detector. */
    async alert(detectorId: number, members: Json = {}): Promise<string> {
      const item = { eid: `e${++count}`, message: 'An attack.', severity: 'CRITICAL', ...members };
      const reply = await known().vigil.ok('POST', `detector/${detectorId}/alert`, { alerts: [item] });
      return reply.results[0].uid;
    },
    intents,
    /** Waits until so many intents are at their end; the newest first. */
    async ended(action: Json, atLeast = 1): Promise<Json[]> {
      await until(async () => {
        const found = await intents(action);
        return found.length >= atLeast && found.every(({ state }) => ends.includes(state));
      });
      return intents(action);
    },
    /** The alerts of an action, oldest first. */
    async outcomeAlerts(action: Json): Promise<Json[]> {
      const search = { query: `actionId:${action.id}`, sort: [{ field: 'timestamp' }], size: 100 };
      const path = `contract/${known().contractId}/action/alert/search`;
      return (await known().vigil.ok('POST', path, search)).data;
    },
  };
}
