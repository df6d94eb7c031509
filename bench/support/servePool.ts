import { chains } from '../../src/chains/chains.ts';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import { createSeededRandom } from '../../testing/seededRandom.ts';
import { createMempool } from '../../testing/simulator/createMempool.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { syntheticBlock } from '../../testing/simulator/syntheticBlock.ts';

export type PoolOrder = { vault: string; guardian: string };
export type PoolRun = { perSecond: number; seconds: number; attacksPerSecond: number; blockMs: number };
export type ServedPool = { url: string; wsUrl: string };
/** When each thing was shown or arrived: blocks by their number, attacks and the calls that answer them by the attack's hash. */
export type PoolTimes = {
  announced: number;
  blocks: [number, number][];
  attacks: [string, number][];
  answers: [string, number][];
};

const random = createSeededRandom(11);
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const ether = 10n ** 18n;

/** A node in a process of its own: its blocks resemble those of mainnet, and its pool is as busy as it is ordered to be. */
process.once('message', (order: PoolOrder) => void serve(order));

async function serve({ vault, guardian }: PoolOrder): Promise<void> {
  const chain = createSimChain({ chainId: chains.ethereum.chainId!, seed: 7 });
  const mempool = createMempool(chain, { balances: { [guardian]: 10n ** 24n } });
  const topics = [eventTopic('OwnershipTransferred(address,address)'), word(vault), word(guardian)];
  const extend = () =>
    chain.extend(
      syntheticBlock(7, chain.head.number + 1, { hits: [{ address: vault, topics, data: '0x' }] }),
    );
  extend();
  const listeners = new Set<(body: string) => void>();
  const simulator = await startSimulator({
    chain,
    mempool,
    announce: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: {
      balance: () => 10n * ether,
      trace: ({ from = '', to = '' }) => {
        const root = { type: 'CALL', from, to, value: '0x0', input: '0x12345678' };
        const value = `0x${(5n * ether).toString(16)}`;
        const paid = { type: 'CALL', from: vault, to: from, value, input: '0x' };
        return to === vault ? { ...root, calls: [paid] } : root;
      },
    },
  });
  process.on('message', (run: PoolRun) => void play(run));
  process.send?.({ url: simulator.url, wsUrl: simulator.wsUrl } satisfies ServedPool);

  async function play({ perSecond, seconds, attacksPerSecond, blockMs }: PoolRun): Promise<void> {
    const times: PoolTimes = { announced: 0, blocks: [], attacks: [], answers: [] };
    const before = mempool.arrivals.length;
    const tell = (to: string) => {
      const { hash, body } = toBody(to);
      for (const listener of listeners) listener(body);
      times.announced++;
      return hash;
    };
    const startedAt = Date.now();
    const isOver = () => Date.now() - startedAt >= seconds * 1000;
    await Promise.all([
      every(10, isOver, () => {
        const due = ((Date.now() - startedAt) / 1000) * perSecond;
        while (times.announced < due) tell(`0x${random.hex(40)}`);
      }),
      every(1000 / attacksPerSecond, isOver, () => {
        const at = Date.now();
        times.attacks.push([tell(vault), at]);
      }),
      every(blockMs, isOver, () => {
        extend();
        times.blocks.push([chain.head.number, Date.now()]);
      }),
    ]);
    // What is under way arrives.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    times.answers = mempool.arrivals
      .slice(before)
      .map(({ tx, atMs }): [string, number] => [`0x${tx.data.slice(10, 74)}`, atMs]);
    process.send?.(times);
  }
}

function toBody(to: string): { hash: string; body: string } {
  const hash = `0x${random.hex(64)}`;
  const members = {
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    type: '0x2',
    chainId: '0x1',
    hash,
    from: `0x${random.hex(40)}`,
    to,
    nonce: '0x0',
    value: '0x0',
    gas: '0x30d40',
    gasPrice: '0x2540be400',
    maxFeePerGas: '0x2540be400',
    maxPriorityFeePerGas: '0x3b9aca00',
    input: `0x12345678${random.hex(64).repeat(4)}`,
    accessList: [],
    v: '0x0',
    yParity: '0x0',
    r: `0x${random.hex(64)}`,
    s: `0x${random.hex(64)}`,
  };
  return { hash, body: JSON.stringify(members) };
}

function every(ms: number, isOver: () => boolean, work: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isOver()) return work();
      clearInterval(timer);
      resolve();
    }, ms);
  });
}
