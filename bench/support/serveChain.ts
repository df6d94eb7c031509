import { chains } from '../../src/chains/chains.ts';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import { createSeededRandom } from '../../testing/seededRandom.ts';
import type { LogSpec } from '../../testing/simulator/buildBlock.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { syntheticBlock } from '../../testing/simulator/syntheticBlock.ts';
import { createSyntheticTraces } from './syntheticTraces.ts';

export type Served = { url: string; wsUrl: string; hits: string[] };
type Order = { seed: number; behind: number; live: number };

const transferred = eventTopic('OwnershipTransferred(address,address)');

/**
 * A node in a process of its own. All blocks are made beforehand; `next` lets one more be seen, `rewind` hides them
 * again.
 */
process.on('message', (message: Order | 'next' | 'rewind') => {
  if (message === 'next') show(shown + 1);
  else if (message === 'rewind') {
    show(behindAll);
    process.send?.('rewound');
  } else void serve(message);
});

let shown = 0;
let behindAll = 0;
let show: (count: number) => void = () => {};

async function serve({ seed, behind, live }: Order): Promise<void> {
  // Addresses that the made-up network does not call itself: a call into one would change what traces show of it.
  const random = createSeededRandom(seed + 1);
  const hits = Array.from({ length: 5 }, () => `0x${random.hex(40)}`);
  const toLog = (address: string): LogSpec => ({
    address,
    topics: [transferred, word(random.hex(40)), word(random.hex(40))],
    data: '0x',
  });
  const whole = createSimChain({ chainId: chains.ethereum.chainId!, seed });
  for (let n = 1; n <= behind + live; n++) whole.extend(syntheticBlock(seed, n, { hits: hits.map(toLog) }));
  const view = limited(whole);
  behindAll = behind;
  show = (count) => {
    shown = count;
    view.showUpTo(count);
  };
  show(behind);
  const traceBlock = createSyntheticTraces(seed, hits);
  const { url, wsUrl } = await startSimulator({ chain: view.chain, state: { traceBlock } });
  process.send?.({ url, wsUrl, hits } satisfies Served);
}

function word(address: string): string {
  return `0x${address.padStart(64, '0')}`;
}

type Chain = ReturnType<typeof createSimChain>;

/** The same chain, of which only the first blocks can be seen. */
function limited(whole: Chain): { chain: Chain; showUpTo(number: number): void } {
  let last = 0;
  const listeners = new Set<Parameters<Chain['onHead']>[0]>();
  const chain: Chain = {
    ...whole,
    at: (number) => (number <= last ? whole.at(number) : undefined),
    onHead: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get head() {
      return whole.at(last)!;
    },
  };
  return {
    chain,
    showUpTo(number) {
      last = number;
      for (const listener of listeners) listener(whole.at(number)!);
    },
  };
}
