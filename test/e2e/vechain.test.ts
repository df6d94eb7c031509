import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { encodeDeployment, encodeFunction } from '../../testing/createContract.ts';
import { findThor, noThor, startThor, type Thor, thorAddress, thorKeys } from '../../testing/startThor.ts';
import { until } from '../../testing/until.ts';
import { createFamilyFlow } from './support/createFamilyFlow.ts';
import { type Liar, startLiar } from './support/startLiar.ts';

const program = findThor();
const { Token } = artifacts;
const [thief, guardian] = thorKeys.map(thorAddress) as [string, string];

let flow: Awaited<ReturnType<typeof createFamilyFlow>>;
let node: Thor;
let liar: Liar;
beforeEach(({ skip }) => skip(!program, noThor));
beforeAll(async () => {
  if (!program) return;
  node = await startThor(program);
  // It takes what is sent, and forgets it.
  liar = await startLiar(node.url, (path) =>
    path === '/transactions' ? { id: `0x${'00'.repeat(32)}` } : undefined,
  );
  flow = await createFamilyFlow('vechain', {
    // The first endpoint is dead.
    VIGIL_RPC_VECHAIN: `http://127.0.0.1:1/,${liar.url},${node.url}`,
    VIGIL_CHAIN_VECHAIN_NETWORK: node.genesis,
    VIGIL_CHAIN_VECHAIN_START_BLOCK: '0',
  });
});
afterAll(async () => {
  await flow?.stop();
  await liar?.stop();
  await node?.stop();
});

it('VeChain: a block raises an alert, which notifies and fires a signed call once, through kill -9, a dead and a lying endpoint; another chain takes it back', async () => {
  const send = (name: string, args: unknown[], key: string) =>
    node.send([{ to: token, data: encodeFunction(Token, name, args) }], { key });
  const deployed = await node.send([{ data: encodeDeployment(Token, ['Gold', 'GLD', 18, 10n ** 24n]) }], {
    key: thorKeys[1],
  });
  const token = deployed.outputs[0].contractAddress;
  await send('transfer', [thief, 10n ** 21n], thorKeys[1]);
  const wallet = await flow.watch({
    contract: { address: token, name: 'Gold', abi: Token.abi },
    privateKey: thorKeys[1],
    action: { name: 'Pause', funcSignature: 'pause()' },
    detector: { name: 'large_transfer', config: { threshold: '500' } },
    height: node.height,
  });
  expect(wallet.address.toLowerCase()).toBe(guardian);

  const theft = await send('transfer', [guardian, 6n * 10n ** 20n], thorKeys[0]);
  await flow.raised(theft.meta.txID);
  await flow.crash();
  // A block on top of the call confirms it.
  const isConfirmed = async () => {
    await node.send([{ to: thief, value: 1n }]);
    return (await flow.intents()).some(({ state }) => state === 'CONFIRMED');
  };
  await until(isConfirmed);
  const calls = await node.request('/logs/event', { criteriaSet: [{ address: token, topic0: pausedTopic }] });
  expect(calls).toHaveLength(1);
  expect(calls[0].meta.txOrigin).toBe(guardian);
  expect(await flow.intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  await until(() => flow.sink.received.some(({ text }) => text.includes('600 GLD moved from')));

  const height = await node.height();
  await node.startAgain();
  while ((await node.height()) <= height) await node.send([{ to: thief, value: 1n }]);
  await flow.retracted(theft.meta.txID);
});

/** Paused(address) */
const pausedTopic = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258';
