import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '@noble/hashes/utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chains, withNetwork } from '../../src/chains/chains.ts';
import { createStellarClient } from '../../src/chains/stellar/createStellarClient.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import {
  type Stellar,
  startStellar,
  stellarKey,
  stellarPassphrase,
} from '../../testing/stellar/startStellar.ts';
import { type Actors, createActors } from './support/createActors.ts';
import { findPoints } from './support/findPoints.ts';
import { ended, expireLeases, findIntents, skipWaits } from './support/intents.ts';

/** Every step is tried with PROVE_ROUNDS=50, one of them otherwise. */
const isWhole = Number(process.env.PROVE_ROUNDS ?? 1) > 1;
const [guard, safe] = [stellarKey(51), stellarKey(52)];

describe('kill -9 while payments are made on Stellar', () => {
  const random = createRandom('payments and crashes on Stellar');
  let stellar: Stellar;
  let vigil: TestWatch;
  let actors: Actors;
  let number = 0;

  beforeAll(async () => {
    stellar = await startStellar({ closesAtOnce: false });
    for (const { address } of [guard, safe]) stellar.fund(address, 100_000_000_000n);
    const settings = { urls: [stellar.url], network: stellarPassphrase, confirmations: 0 };
    vigil = await startTestWatch({ stellar: settings });
    const { connection } = vigil;
    const privateKey = `0x${bytesToHex(guard.secret)}`;
    actors = await createActors({ connection, chainUid: 'stellar', ...settings, privateKey, stuckMs: 200 });
  });
  afterAll(async () => {
    await actors?.stop();
    await vigil?.stop();
    await stellar?.stop();
  });

  it('each payment is in one ledger, whichever step the process dies at and whatever the node forgets', async () => {
    const contractId = await vigil.addContract(guard.address, { chainUid: 'stellar', addressType: 'WALLET' });
    const detectorId = await vigil.addDetector(contractId, 'large_transfer', {}, { source: 'EXTERNAL' });
    const wallet = await vigil.ok('POST', 'wallet', {
      tenantId: vigil.tenantId,
      chainUid: 'stellar',
      name: 'Guard',
      privateKey: guard.seed,
    });
    await vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Pay',
      funcSignature: 'payment',
      params: [
        { name: 'to', value: safe.address },
        { name: 'asset', value: 'native' },
      ],
      detectors: [{ detectorId, scriptParams: { stroops: '1000000 + e.meta.number' } }],
      fireAt: 'head',
    });
    let forgettings = isWhole ? 60 : 4;
    let forgotten = 0;
    const hurry = async () => {
      await sleep(60);
      stellar.faults.deaf = forgettings > 0 && random.chance(0.3);
      if (stellar.lost() > forgotten) {
        // The bounds of what was forgotten pass, so that it can never be taken.
        forgettings -= stellar.lost() - forgotten;
        forgotten = stellar.lost();
        if (random.chance(0.5)) stellar.skipTime(120);
        stellar.close();
      }
      if (stellar.waiting() > 0 && random.chance(0.7)) stellar.close();
      await skipWaits(vigil);
    };
    const points = findPoints();
    // Not every step is reached in every round; one death will do every day.
    const chosen = isWhole ? points : points.toSorted(() => random.random() - 0.5);
    let actor = await actors.start();
    let kills = 0;
    for (const point of chosen) {
      if (!isWhole && kills > 0) break;
      await actor.killAt(point, 1);
      const alerts = Array.from({ length: 2 }, () => ++number).map((nth) => ({
        eid: String(nth),
        message: 'An attack.',
        meta: { number: nth },
      }));
      await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts });
      await ended(vigil, hurry, () => !actor.isAlive());
      if (actor.isAlive()) await actor.kill();
      else kills++;
      await expireLeases(vigil);
      actor = await actors.start();
      await ended(vigil, hurry);
    }
    await actor.kill();
    const intents = await findIntents(vigil);
    expect(
      intents.map(({ state, reason }) => reason ?? state),
      `seed ${random.seed}`,
    ).toEqual(intents.map(() => 'CONFIRMED'));
    expect(await paid(), `seed ${random.seed}`).toEqual(intents.map((_, nth) => 1_000_001n + BigInt(nth)));
    expect(kills).toBeGreaterThan(0);
  });

  /** What ledgers have paid to the safe account, in stroops. */
  async function paid(): Promise<bigint[]> {
    while (stellar.waiting() > 0) stellar.close();
    const chain = withNetwork(chains.stellar, stellarPassphrase);
    const client = createStellarClient({ chain, urls: [stellar.url], now: Date.now, onCall: () => {} });
    const amounts: bigint[] = [];
    for (let ledger = 2; ledger <= stellar.latest(); ledger++)
      for (const { transfers } of (await client.block(ledger))!.transactions)
        for (const { to, amount } of transfers) if (to === safe.address) amounts.push(amount);
    await client.close();
    return amounts.sort((one, other) => Number(one - other));
  }
});
