import { createSeededRandom, type SeededRandom } from '../../../testing/seededRandom.ts';
import type { BlockSpec, LogSpec, TxSpec } from '../../../testing/simulator/buildBlock.ts';

const transactions = 180;
const logs = 447;
const contracts = 13_000;
const people = 100_000;
/** Share of parties that no block had before. */
const newcomers = 0.06;

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const approvalTopic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const swapTopic = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
const syncTopic = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1';

/** The n-th contract, the busiest first. */
export function contractAt(n: number): string {
  return `0x${createSeededRandom(1_000_000 + n).hex(40)}`;
}

const all = Array.from({ length: contracts }, (_, n) => contractAt(n));
const holders = Array.from({ length: people }, (_, n) => `0x${createSeededRandom(9_000_000 + n).hex(40)}`);

/**
 * The n-th block of a made-up mainnet: the chance of a party falls with its rank as it does on chains, and some are new.
 * One transfer a block, of one of the ten busiest contracts, is of 10^24 and more.
 */
export function mainnetBlock(seed: number, n: number): BlockSpec {
  const random = createSeededRandom(Math.imul(seed + 1, 0x9e3779b1) + n);
  const emitted = Array.from({ length: logs }, () => createLog(random));
  const watched = all[n % 10]!;
  emitted[n % logs] = {
    address: watched,
    topics: [transferTopic, toTopic(party(random)), toTopic(party(random))],
    data: `0x${(10n ** 24n + BigInt(n)).toString(16).padStart(64, '0')}`,
  };
  const calls = Math.ceil((transactions * 2) / 3);
  const txs = Array.from({ length: transactions }, (_, index): TxSpec => {
    const from = party(random);
    if (index >= calls)
      return { from, to: party(random), value: BigInt(Math.floor(random.next() * 1e15)) * 1_000n };
    return {
      from,
      to: ranked(random, all),
      input: `0x${random.hex(8 + 2 * Math.floor(random.next() * 297))}`,
      nonce: Math.floor(random.next() * 10_000),
      gasUsed: 40_000 + Math.floor(random.next() * 200_000),
      logs: emitted.slice(Math.floor((index * logs) / calls), Math.floor(((index + 1) * logs) / calls)),
    };
  });
  return { txs };
}

function createLog(random: SeededRandom): LogSpec {
  const address = ranked(random, all);
  const topic = () => toTopic(party(random));
  const kind = random.next();
  if (kind < 0.7) return { address, topics: [transferTopic, topic(), topic()], data: words(random, 1) };
  if (kind < 0.8) return { address, topics: [approvalTopic, topic(), topic()], data: words(random, 1) };
  if (kind < 0.9) return { address, topics: [syncTopic], data: words(random, 2) };
  return { address, topics: [swapTopic, topic(), topic()], data: words(random, 4) };
}

function party(random: SeededRandom): string {
  return random.next() < newcomers ? `0x${random.hex(40)}` : ranked(random, holders);
}

/** The chance of an item is the inverse of its rank. */
function ranked(random: SeededRandom, items: readonly string[]): string {
  return items[Math.floor(items.length ** random.next()) - 1]!;
}

const toTopic = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;

/** Amounts far below 10^24. */
function words(random: SeededRandom, count: number): string {
  return `0x${Array.from({ length: count }, () => random.hex(18).padStart(64, '0')).join('')}`;
}
