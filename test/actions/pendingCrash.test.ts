import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { privateKey, sender } from './support/addGuard.ts';
import { type ActorProcess, type Actors, createActors } from './support/createActors.ts';
import { findPendingPoints, findPoints } from './support/findPoints.ts';
import { expireLeases, skipWaits } from './support/intents.ts';

const ether = 10n ** 18n;
/** Each step so often in `npm run prove:pending`; otherwise three steps that the seed chooses. */
const rounds = process.env.PROVE_ROUNDS === undefined ? undefined : Number(process.env.PROVE_ROUNDS) / 50;

// The proof takes minutes.
const options = rounds === undefined ? {} : { timeout: 3_600_000 };

describe('kill -9 while a pending attack is answered', options, () => {
  const random = createRandom('pending crashes');
  const watchPoints = findPendingPoints();
  let anvil: Anvil;
  let vigil: TestWatch;
  let actors: Actors;
  let actor: ActorProcess;
  let vault: Contract;
  let raider: Contract;
  let action: Json;

  beforeAll(async () => {
    anvil = await startAnvil({ order: 'fees' });
    const settings = { urls: [anvil.wsUrl], confirmations: 0 };
    vigil = await startTestWatch({ anvil: settings });
    const { connection } = vigil;
    actors = await createActors(
      { connection, chainUid: 'anvil', ...settings, privateKey, stuckMs: 60_000 },
      'guardProcess',
    );
    const wallet = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: vigil.tenantId,
      chainUid: 'anvil',
      name: 'Guardian',
      privateKey,
    });
    await anvil.setBalance(sender, 1000n * ether);
    vault = await anvil.deploy(artifacts.GuardedVault, sender);
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
    actor = await actors.start();
  });
  afterAll(async () => {
    await actors?.stop();
    await vigil?.stop();
    await anvil?.stop();
  });

  it('the product reports all 12 steps', () => {
    expect(watchPoints).toHaveLength(12);
  });

  it('each attack has one alert and one call, which is mined or taken back', async () => {
    const all = [...watchPoints, ...findPoints()];
    const points = rounds === undefined ? Array.from({ length: 3 }, () => random.pick(watchPoints)) : all;
    for (let round = 0; round < (rounds ?? 1); round++)
      for (const point of points) {
        const isMined = /block|settled/.test(point);
        const isCalledOff = /retracted|replaced/.test(point) || (!isMined && random.chance(0.3));
        console.log(`SEED=${random.seed}: killed ${point}${isCalledOff ? ', called off' : ''}`);
        await crash(point, isCalledOff);
      }
  });

  async function crash(point: string, isCalledOff: boolean): Promise<void> {
    await fill();
    const before = await intents();
    const nonce = await anvil.rpc('eth_getTransactionCount', sender, 'latest');
    await actor.killAt(point, 1);
    const hash = await anvil.submit({
      from: anvil.accounts[2],
      to: raider.address,
      data: raider.encode('attack'),
    });
    let isDropped = false;
    let isKilled = false;
    const ended = async () => {
      if (!actor.isAlive()) {
        isKilled = true;
        await expireLeases(vigil);
        actor = await actors.start();
      }
      await skipWaits(vigil);
      const [intent, ...others] = await newIntents(before);
      expect(others).toEqual([]);
      if (!intent) return false;
      const [alert] = await alertsOf(hash);
      const isSent = intent.transactions.some(({ broadcastAt }: Json) => broadcastAt !== null);
      if (isCalledOff) {
        if (isSent && !isDropped) await anvil.rpc('anvil_dropTransaction', hash);
        isDropped ||= isSent;
        if (intent.transactions.some(({ isVoid, broadcastAt }: Json) => isVoid && broadcastAt !== null))
          await anvil.mine();
        return isKilled && intent.state === 'CANCELED' && alert?.status === 'RETRACTED';
      }
      if (isSent) await anvil.mine();
      return isKilled && intent.state === 'CONFIRMED' && alert?.blockNumber != null;
    };
    await until(ended);
    await until(async () => (await openRows()).length === 0);
    const found = await alertsOf(hash);
    expect(found).toHaveLength(1);
    expect((await newIntents(before)).map(({ alertUid }) => alertUid)).toEqual([found[0]!.uid]);
    const used = await anvil.rpc('eth_getTransactionCount', sender, 'latest');
    expect(Number(used) - Number(nonce)).toBe(1);
    expect(await vault.call('paused')).toBe(!isCalledOff);
    expect(await anvil.balance(vault.address)).toBe(5n * ether);
    expect(await verifyRollups(vigil.store)).toEqual([]);
  }

  /** An open vault with money that is watched, and no block until one is asked for. */
  async function fill(): Promise<void> {
    await anvil.setAutomine(true);
    await vault.send(anvil.accounts[0], 'reopen');
    await anvil.setBalance(vault.address, 5n * ether);
    await anvil.mine();
    await anvil.setAutomine(false);
    const head = Number(await anvil.blockNumber());
    await until(async () => {
      const { data } = await vigil.ok('GET', 'chain');
      return data.find(({ chainUid }: Json) => chainUid === 'anvil').processed >= head;
    });
  }

  const intents = async (): Promise<Json[]> =>
    (await vigil.ok('GET', `action/${action.id}/intent?size=1000`)).data;

  async function newIntents(before: readonly Json[]): Promise<Json[]> {
    const known = new Set(before.map(({ uid }) => uid));
    return (await intents()).filter(({ uid }) => !known.has(uid));
  }

  /** Retracted ones too. */
  async function alertsOf(hash: string): Promise<Json[]> {
    const found = await Promise.all(
      ['', ' AND status:RETRACTED'].map((status) => vigil.alerts(`txHash:${hash}${status}`)),
    );
    return [...new Map(found.flat().map((alert) => [alert.uid, alert])).values()];
  }

  const openRows = () =>
    vigil.store.query(sql`select 1 from pending_alert where state in ('PENDING', 'MINED')`);
});
