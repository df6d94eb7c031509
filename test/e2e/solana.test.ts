import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { transferCoins } from '../../src/chains/solana/instructions.ts';
import { concat } from '../../src/codecs/solana/borsh.ts';
import { findSurfnet, keyOf, noSurfnet, type Solana, startSolana } from '../../testing/startSolana.ts';
import { until } from '../../testing/until.ts';
import { createFamilyFlow } from './support/createFamilyFlow.ts';
import { type Liar, startLiar } from './support/startLiar.ts';

const surfnet = findSurfnet();
const [treasury, guard, thief, safe] = [9, 15, 5, 17].map(keyOf) as [Key, Key, Key, Key];
type Key = ReturnType<typeof keyOf>;

let flow: Awaited<ReturnType<typeof createFamilyFlow>>;
let solana: Solana;
let liar: Liar;
beforeEach(({ skip }) => skip(!surfnet, noSurfnet));
beforeAll(async () => {
  if (!surfnet) return;
  solana = await startSolana(surfnet);
  liar = await startLiar(solana.url, (method) => lies[method]);
  flow = await createFamilyFlow('solana', {
    // The first endpoint is dead, and the second one lies.
    VIGIL_RPC_SOLANA: `http://127.0.0.1:1/,${liar.url},${solana.url},${solana.wsUrl}`,
  });
});
afterAll(async () => {
  await flow?.stop();
  await liar?.stop();
  await solana?.stop();
});

it('Solana: a slot raises an alert, which notifies and pays once, through kill -9, a dead and a lying endpoint; a fork takes it back', async () => {
  await solana.pay(treasury.address, 5_000_000_000n);
  await solana.pay(guard.address, 1_000_000_000n);
  const wallet = await flow.watch({
    contract: { address: treasury.address, addressType: 'WALLET', name: 'Treasury' },
    privateKey: base58.encode(concat(guard.secret, base58.decode(guard.address))),
    action: {
      name: 'Pay the keeper',
      funcSignature: 'transfer',
      params: [
        { name: 'to', value: safe.address },
        { name: 'lamports', value: '250000000' },
      ],
    },
    detector: { name: 'large_transfer', config: { threshold: '1' } },
    height: solana.slot,
  });
  expect(wallet.address).toBe(guard.address);

  const theft = await solana.send([transferCoins(treasury.address, thief.address, 3_000_000_000n)], treasury);
  await flow.raised(theft);
  await flow.crash();
  await until(async () => {
    // Blocks come with transactions only.
    await solana.pay(thief.address, 1_000_000n);
    return (await flow.intents()).some(({ state }) => ['CONFIRMED', 'FAILED'].includes(state));
  });
  expect(await flow.intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  expect((await solana.rpc('getBalance', safe.address)).value).toBe(250_000_000);
  await until(() => flow.sink.received.some(({ text }) => text.includes('3 SOL moved from')));

  const [alert] = await flow.alerts(`txHash:${theft}`);
  await solana.fork((await solana.slot()) - Number(alert?.blockNumber) + 1);
  for (let slot = 0; slot < 2; slot++) await solana.pay(thief.address, 1_000_000n);
  await flow.retracted(theft);
  await until(() => flow.sink.received.some(({ text }) => /retracted/.test(text) && text.includes(theft)));
});

/** A node that knows of no transaction, and says of everything that it has expired at a final height. */
const lies: Readonly<Record<string, unknown>> = {
  getBlockHeight: 10 ** 9,
  getSignatureStatuses: { context: { slot: 1 }, value: [null] },
  isBlockhashValid: { context: { slot: 1 }, value: false },
};
