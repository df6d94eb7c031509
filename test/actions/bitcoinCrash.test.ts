import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '@noble/hashes/utils.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { type Bitcoind, findBitcoind, startBitcoind } from '../../testing/startBitcoind.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { type Actors, createActors } from './support/createActors.ts';
import { findPoints } from './support/findPoints.ts';
import { ended, expireLeases, findIntents, skipWaits } from './support/intents.ts';
import { addBitcoinWallet, createBitcoinKey, toRegtest } from './support/useBitcoinWallet.ts';

const command = findBitcoind();
/** Every step is tried with PROVE_ROUNDS=50, one of them otherwise. */
const isWhole = Number(process.env.PROVE_ROUNDS ?? 1) > 1;
const safe = createBitcoinKey(99).address;

describe('kill -9 while payments are made on Bitcoin', { timeout: 600_000 }, () => {
  const random = createRandom('payments and crashes');
  const key = createBitcoinKey(7);
  let node: Bitcoind;
  let vigil: TestWatch;
  let actors: Actors;
  let number = 0;

  beforeEach(({ skip }) => skip(!command, 'There is no bitcoind; `.ci/bitcoind` fetches one.'));
  beforeAll(async () => {
    if (!command) return;
    node = await startBitcoind(command);
    await node.mine(110);
    const settings = { urls: [node.url], confirmations: 1 };
    vigil = await startTestWatch({ bitcoin: settings });
    const privateKey = `0x${bytesToHex(key.key)}`;
    const { connection } = vigil;
    actors = await createActors({ connection, chainUid: 'bitcoin', ...settings, privateKey, stuckMs: 200 });
  });
  afterAll(async () => {
    await actors?.stop();
    await vigil?.stop();
    await node?.stop();
  });

  it('each payment is in the chain once, whichever step the process dies at', async () => {
    const { wallet, contractId, detectorId } = await addBitcoinWallet(vigil, node, key, Array(12).fill(0.2));
    await vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Pay',
      funcSignature: 'send(address to, uint64 sats)',
      params: [{ name: 'to', value: safe }],
      detectors: [{ detectorId, scriptParams: { sats: '1000000 + e.meta.number' } }],
      fireAt: 'head',
    });
    const funded = await node.height();
    const points = findPoints();
    // Not every step is reached in every round; one death will do every day.
    const chosen = isWhole ? points : points.toSorted(() => random.random() - 0.5);
    const hurry = async () => {
      await sleep(60);
      // The coins that are paid with stay: without them a payment has nothing to end with.
      const isAboveCoins = (await node.height()) > funded;
      if (isAboveCoins && random.chance(0.2))
        await node.rpc('invalidateblock', await node.rpc('getbestblockhash'));
      if (random.chance(0.4)) await node.mine();
      await skipWaits(vigil);
    };
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
    await node.mine(3);
    const intents = await findIntents(vigil);
    expect(
      intents.map(({ state }) => state),
      `seed ${random.seed}`,
    ).toEqual(intents.map(() => 'CONFIRMED'));
    expect(await paid(), `seed ${random.seed}`).toEqual(intents.map((_, nth) => 1_000_001 + nth));
    expect(kills).toBeGreaterThan(0);
  });

  /** What the chain has paid to the safe address, in satoshis. */
  async function paid(): Promise<number[]> {
    const script = (await node.rpc<{ scriptPubKey: string }>('validateaddress', toRegtest(safe)))
      .scriptPubKey;
    const amounts: number[] = [];
    for (let height = await node.height(); height > 110; height--) {
      type Block = { tx: { vout: { value: number; scriptPubKey: { hex: string } }[] }[] };
      const block = await node.rpc<Block>('getblock', await node.rpc('getblockhash', height), 2);
      for (const { value, scriptPubKey } of block.tx.flatMap(({ vout }) => vout))
        if (scriptPubKey.hex === script) amounts.push(Math.round(value * 1e8));
    }
    return amounts.sort((one, other) => one - other);
  }
});
