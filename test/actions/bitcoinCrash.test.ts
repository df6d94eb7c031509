import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '@noble/hashes/utils.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { type Bitcoind, findBitcoind, startBitcoind } from '../../testing/startBitcoind.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { type Actors, createActors } from './support/createActors.ts';
import { killAtSteps } from './support/killAtSteps.ts';
import { addBitcoinWallet, createBitcoinKey, toRegtest } from './support/useBitcoinWallet.ts';

const command = findBitcoind();
const safe = createBitcoinKey(99).address;

describe('kill -9 while payments are made on Bitcoin', { timeout: 600_000 }, () => {
  const random = createRandom('payments and crashes');
  const key = createBitcoinKey(7);
  let node: Bitcoind;
  let vigil: TestWatch;
  let actors: Actors;

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
    const meanwhile = async () => {
      await sleep(60);
      // The coins that are paid with stay: without them a payment has nothing to end with.
      const isAboveCoins = (await node.height()) > funded;
      if (isAboveCoins && random.chance(0.2))
        await node.rpc('invalidateblock', await node.rpc('getbestblockhash'));
      if (random.chance(0.4)) await node.mine();
    };
    const intents = await killAtSteps({ vigil, actors, random, detectorId, meanwhile });
    await node.mine(3);
    expect(await paid(), `seed ${random.seed}`).toEqual(intents.map((_, nth) => 1_000_001 + nth));
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
