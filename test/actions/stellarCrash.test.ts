import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '@noble/hashes/utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chains, withNetwork } from '../../src/chains/chains.ts';
import { createStellarClient } from '../../src/chains/stellar/createStellarClient.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import {
  type StellarRpc,
  startStellarRpc,
  stellarPassphrase,
} from '../../testing/stellar/startStellarRpc.ts';
import { stellarKey } from '../../testing/stellar/stellarKey.ts';
import { type Actors, createActors } from './support/createActors.ts';
import { isWholeProof, killAtSteps } from './support/killAtSteps.ts';

const [guard, safe] = [stellarKey(51), stellarKey(52)];

describe('kill -9 while payments are made on Stellar', () => {
  const random = createRandom('payments and crashes on Stellar');
  let stellar: StellarRpc;
  let vigil: TestWatch;
  let actors: Actors;

  beforeAll(async () => {
    stellar = await startStellarRpc({ closesAtOnce: false });
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
      allowedCalls: null,
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
    let forgettings = isWholeProof ? 60 : 4;
    let forgotten = 0;
    const meanwhile = async () => {
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
    };
    const intents = await killAtSteps({ vigil, actors, random, detectorId, meanwhile });
    expect(await paid(), `seed ${random.seed}`).toEqual(intents.map((_, nth) => 1_000_001n + BigInt(nth)));
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
