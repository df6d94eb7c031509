import { chains } from '../../../src/chains/chains.ts';
import type { SimBlock } from '../../../testing/simulator/buildBlock.ts';
import { createSimChain } from '../../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../../testing/simulator/startSimulator.ts';
import { createSyntheticTraces } from '../syntheticTraces.ts';
import { mainnetBlock } from './mainnetBlock.ts';

export type NodeOrder =
  /** Makes blocks that no one sees until `show`. */
  | { make: number }
  | { show: true }
  /** One more block as of now; an empty one has no transactions. */
  | { next: 'full' | 'empty' }
  | { count: true };
export type NodeAnswer = {
  url: string;
  wsUrl: string;
  head: number;
  /** When the head was shown. */
  shownAt: number;
  calls: Record<string, number>;
};

const seed = 7;

/** A node in a process of its own, whose blocks have the time at which they were made. */
const whole = createSimChain({ chainId: chains.ethereum.chainId!, seed });
const listeners = new Set<(block: SimBlock) => void>();
let last = 0;
let shownAt = Date.now();
const chain: typeof whole = {
  ...whole,
  at: (number) => (number <= last ? whole.at(number) : undefined),
  onHead: (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  get head() {
    return whole.at(last)!;
  },
};
const traceBlock = createSyntheticTraces(seed, []);
/** What tokens say of themselves: 18 decimals, and a name of 32 bytes. */
const call = ({ data = '' }: { data?: string }) =>
  data.startsWith('0x313ce567') ? `0x${'12'.padStart(64, '0')}` : `0x${'544b4e'.padEnd(64, '0')}`;
const simulator = await startSimulator({ chain, state: { traceBlock, call } });

function make(isEmpty: boolean): void {
  const number = whole.head.number + 1;
  const spec = isEmpty ? {} : mainnetBlock(seed, number);
  whole.extend({ ...spec, timestamp: Math.floor(Date.now() / 1000) });
}

function show(): void {
  last = whole.head.number;
  shownAt = Date.now();
  for (const listener of listeners) listener(whole.head);
}

process.on('message', (order: NodeOrder) => {
  if ('make' in order) for (let n = 0; n < order.make; n++) make(false);
  else if ('show' in order) show();
  else if ('next' in order) {
    make(order.next === 'empty');
    show();
  }
  const { url, wsUrl } = simulator;
  const calls = Object.fromEntries(simulator.calls);
  process.send?.({ url, wsUrl, head: last, shownAt, calls } satisfies NodeAnswer);
});
