import { hexToBytes } from '@noble/hashes/utils.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { readShown, showAddress } from '../../src/chains/tron/tronAddress.ts';
import { tronRules } from '../../src/chains/tron/tronRules.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTron, type Tron } from '../../testing/startTron.ts';
import { until } from '../../testing/until.ts';
import { createFamilyFlow } from './support/createFamilyFlow.ts';
import { type Liar, startLiar } from './support/startLiar.ts';

const key = '5'.repeat(64);
const guardian = tronRules.deriveAddress(hexToBytes(key), chains.tron);
let flow: Awaited<ReturnType<typeof createFamilyFlow>>;
let anvil: Anvil;
let tron: Tron;
let liar: Liar;
beforeEach(async () => {
  anvil = await startAnvil();
  // Nothing becomes final, so that all of it can be taken back.
  tron = await startTron(anvil, 10_000);
  liar = await startLiar(tron.url, lie);
  flow = await createFamilyFlow('tron', {
    // The first endpoint is dead, and the second one lies.
    VIGIL_RPC_TRON: `http://127.0.0.1:1/,${liar.url},${tron.url}`,
    VIGIL_CHAIN_TRON_NETWORK: tron.genesis,
    VIGIL_CHAIN_TRON_START_BLOCK: '0',
  });
});
afterEach(async () => {
  await flow?.stop();
  await liar?.stop();
  await tron?.stop();
  await anvil?.stop();
});

it('Tron: a block raises an alert, which notifies and fires a signed call once, through kill -9, a dead and a lying endpoint; a reorganisation takes it back', async () => {
  const own = readShown(guardian)!;
  const [thief, friend] = anvil.accounts;
  // What JSON can hold as a number, and gas for a call.
  await anvil.setBalance(own, 8n * 10n ** 15n);
  const token = await anvil.deploy(artifacts.Token, 'Gold', 'GLD', 6, 10n ** 12n);
  await token.send(thief, 'transferOwnership', own);
  await anvil.impersonate(own);
  await anvil.send({ from: own, to: token.address, data: token.encode('acceptOwnership'), gas: 200_000n });
  await anvil.setBalance(own, 8n * 10n ** 15n);
  const wallet = await flow.watch({
    contract: { address: showAddress(token.address.toLowerCase()), name: 'Gold', abi: token.abi },
    privateKey: key,
    action: {
      name: 'Mint back',
      funcSignature: 'mint(address to, uint256 amount)',
      // An address as people know it, in the values of a call.
      params: [
        { name: 'to', value: showAddress(friend) },
        { name: 'amount', value: '5' },
      ],
    },
    detector: { name: 'large_transfer', config: { threshold: '500' } },
    height: tron.height,
  });
  expect(wallet.address).toBe(guardian);

  const theft = await token.send(thief, 'transfer', friend, 600_000_000n);
  const id = theft.transactionHash.slice(2);
  await flow.raised(id);
  await flow.crash();
  await until(async () => {
    await anvil.mine();
    return (await flow.intents()).some(({ state }) => state === 'CONFIRMED');
  });
  expect(await token.call('balanceOf', friend)).toBe(600_000_005n);
  expect(await flow.intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  const message = `600 GLD moved from ${showAddress(thief)}`;
  await until(() => flow.sink.received.some(({ text }) => text.includes(message)));

  const depth = (await tron.height()) - Number(theft.blockNumber) + 1;
  await tron.reorganise(depth);
  await anvil.mine(2);
  await flow.retracted(id);
});

/** Of a node that takes what is sent and forgets it, knows of no transaction, and says of each that its time is over. */
async function lie(path: string, truth: () => Promise<Json>, params: Json): Promise<unknown> {
  if (path === '/wallet/broadcasthex') return { result: true };
  if (path === '/wallet/gettransactioninfobyid') return {};
  if (path !== '/wallet/getblock' || params.detail || String(params.id_or_num) !== '0') return undefined;
  // The one block that is final.
  const block = await truth();
  block.block_header.raw_data.timestamp = 9_999_999_999_000;
  return block;
}
