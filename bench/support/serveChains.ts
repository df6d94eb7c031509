import { type ChainUid, chainUids, getChain } from '../../src/chains/chains.ts';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { syntheticBlock } from '../../testing/simulator/syntheticBlock.ts';

/** EVM chains, each with a node of its own; `Released` says which block one has shown when. */
export type ServedChain = { uid: ChainUid; urls: string };
export type Released = { uid: ChainUid; number: number; at: number };

/** `hitAddress`: the contract on every chain that has an alert in each block; `chains`: so many, or all if there are fewer. */
export type ChainsOrder = { everyMs: number; hitAddress: string; chains: number };

const transferred = eventTopic('OwnershipTransferred(address,address)');

process.once('message', (order: ChainsOrder) => void serve(order));

async function serve({ everyMs, hitAddress, chains: count }: ChainsOrder): Promise<void> {
  const uids = chainUids.filter((uid) => getChain(uid).family === 'evm').slice(0, count);
  const sims = await Promise.all(
    uids.map(async (uid, n) => {
      const chain = createSimChain({ chainId: getChain(uid).chainId!, seed: n });
      const { url, wsUrl } = await startSimulator({ chain });
      return { uid, chain, urls: `${wsUrl},${url}` };
    }),
  );
  process.send?.(sims.map(({ uid, urls }): ServedChain => ({ uid, urls })));
  sims.forEach(({ uid, chain }, n) => {
    const extend = () => {
      const topics = [transferred, `0x${'0'.repeat(64)}`, `0x${'1'.padStart(64, '0')}`];
      const hits = [{ address: hitAddress, topics, data: '0x' }];
      chain.extend(syntheticBlock(n, chain.head.number + 1, { hits }));
      const { number } = chain.head;
      process.send?.({ uid, number, at: Date.now() } satisfies Released);
    };
    setTimeout(() => setInterval(extend, everyMs), (n * everyMs) / uids.length);
  });
}
