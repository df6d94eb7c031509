import { createSeededRandom, type SeededRandom } from '../seededRandom.ts';
import type { BlockSpec, LogSpec, TxSpec } from './buildBlock.ts';

type Options = {
  transactions?: number;
  logs?: number;
  /** Logs that shall be in the block; each takes the place of another one. */
  hits?: readonly LogSpec[];
};

/** The n-th block of a made-up mainnet; the same seed and n give the same one. `chain.extend` takes it. */
export function syntheticBlock(seed: number, n: number, options: Options = {}): BlockSpec {
  const { transactions = 180, logs = 450, hits = [] } = options;
  const random = createSeededRandom(Math.imul(seed + 1, 0x9e3779b1) + n);
  const population = populationOf(seed);
  const emitted = Array.from({ length: logs }, () => createLog(random, population));
  hits.forEach((hit, place) => {
    emitted[Math.floor(((place + 0.5) * logs) / hits.length)] = hit;
  });
  // As on mainnet, a third are plain payments; the others share the logs.
  const calls = Math.ceil((transactions * 2) / 3);
  const txs = Array.from({ length: transactions }, (_, index) => {
    if (index >= calls) return createPayment(random, population);
    const share = emitted.slice(Math.floor((index * logs) / calls), Math.floor(((index + 1) * logs) / calls));
    return createCall(random, population, share);
  });
  return { txs };
}

type Population = { contracts: readonly string[]; people: readonly string[] };

const populations = new Map<number, Population>();

function populationOf(seed: number): Population {
  const found = populations.get(seed);
  if (found) return found;
  const random = createSeededRandom(seed);
  const addresses = (length: number) => Array.from({ length }, () => `0x${random.hex(40)}`);
  const population = { contracts: addresses(300), people: addresses(5_000) };
  populations.set(seed, population);
  return population;
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const SWAP = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
const SYNC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1';

function createLog(random: SeededRandom, { contracts, people }: Population): LogSpec {
  const address = pickSkewed(random, contracts);
  const party = () => toTopic(pickSkewed(random, people));
  const kind = random.next();
  if (kind < 0.7) return { address, topics: [TRANSFER, party(), party()], data: words(random, 1) };
  if (kind < 0.8) return { address, topics: [APPROVAL, party(), party()], data: words(random, 1) };
  if (kind < 0.9) return { address, topics: [SYNC], data: words(random, 2) };
  return { address, topics: [SWAP, party(), party()], data: words(random, 4) };
}

function createPayment(random: SeededRandom, { people }: Population): TxSpec {
  return {
    from: pickSkewed(random, people),
    to: pickSkewed(random, people),
    value: BigInt(Math.floor(random.next() * 1e15)) * 1_000n,
  };
}

const selectors = ['0xa9059cbb', '0x095ea7b3', '0x38ed1739', '0x7ff36ab5', '0x3593564c', '0x23b872dd'];

function createCall(
  random: SeededRandom,
  { contracts, people }: Population,
  logs: readonly LogSpec[],
): TxSpec {
  const argumentBytes = Math.floor(random.next() * 297);
  return {
    from: pickSkewed(random, people),
    to: pickSkewed(random, contracts),
    input: `${random.pick(selectors)}${random.hex(argumentBytes * 2)}`,
    nonce: Math.floor(random.next() * 10_000),
    gasUsed: 40_000 + Math.floor(random.next() * 200_000),
    logs,
  };
}

/** Few are busy, most are not. */
const pickSkewed = (random: SeededRandom, items: readonly string[]): string =>
  items[Math.floor(items.length * random.next() ** 2)]!;

const toTopic = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;

/** Amounts, most of whose bytes are zero. */
function words(random: SeededRandom, count: number): string {
  return `0x${Array.from({ length: count }, () => random.hex(18).padStart(64, '0')).join('')}`;
}
