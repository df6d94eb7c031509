import { type Static, Type } from 'typebox';
import { eventTopic, parseFunction } from '../chains/evm/abi/abi.ts';
import { wordAt } from '../chains/evm/abi/words.ts';
import { tryCall } from '../chains/evm/evidence/readCall.ts';
import { Addresses, Configuration } from '../evidence/parameters.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
import { defineDetector, type Reader } from '../model/detection.ts';

const config = Configuration({
  limit: Type.Number({
    description: 'By how many per cent a price must move away, and for the most part back.',
    default: 10,
    minimum: 0.1,
    maximum: 1_000_000,
  }),
  pools: Addresses(
    'The pools that count, such as those that your contract takes prices from; none: all.',
    100,
  ),
});

export const priceManipulation = defineDetector<Static<typeof config>, never>({
  name: 'price_manipulation',
  title: 'Price manipulation',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['evm'],
  severity: 'CRITICAL',
  description:
    'Within one transaction that touches the contract the price of a pool moves by more than a limit and for the most part back: the contract was used at a false price. Sees pools with the events of Uniswap V2 and V3. Needs nodes that trace.',
  faq: 'Why only moves that turn back? Anyone who trades pays for the price that is left behind; one who pushes it, uses it and takes it back does not.',
  nextStep:
    'Open the trace and see what the transaction did to your contract while the price was false. Pause what depends on the price of this pool.',
  config,
  pending: true,
  fields: [
    'sender',
    'pool',
    'movePercent',
    'restPercent',
    'limit',
    'priceBefore',
    'priceExtreme',
    'priceAfter',
    'pools',
  ],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, { config: settings, contract, read }) {
    if (observation.type !== 'trace') return {};
    const { transaction, block } = observation;
    const wanted = new Set(settings.pools.map((pool) => pool.toLowerCase()));
    const pools = pricesByPool(transaction, wanted);
    // One that moves once cannot have come back.
    const moved = [...pools].filter(([, prices]) => prices.length > 1).slice(0, maxPools);
    const starts = read.all(
      moved.map(
        ([pool, prices]) =>
          () =>
            priceBefore(read, block, pool, prices[0]!),
      ),
    );
    const found = moved
      .flatMap(([pool, prices], place) => judge(pool, starts[place], prices, settings.limit))
      .sort((a, b) => b.movePercent - a.movePercent);
    const [worst] = found;
    if (!worst) return {};
    const { pool, movePercent, restPercent } = worst;
    return {
      detections: [
        {
          magnitude: movePercent / settings.limit,
          message: `A transaction of ${transaction.from} that touches ${contract.name} moved the price of the pool ${pool} by ${movePercent} % and back to ${restPercent} % of where it was.`,
          fields: {
            sender: transaction.from,
            ...worst,
            limit: settings.limit,
            pools: found.map((each) => each.pool),
          },
        },
      ],
    };
  },
});

/** Bounded, because anyone can make pools. */
const maxPools = 20;

type Price = { readonly value: number; readonly log: Log; readonly kind: 'v2' | 'v3' };

const sync = eventTopic('Sync(uint112,uint112)');
const swap3 = eventTopic('Swap(address,address,int256,int256,uint160,uint128,int24)');

/** The prices that pools report after each step of the transaction, in order. */
function pricesByPool({ logs }: Transaction, wanted: ReadonlySet<string>): Map<string, Price[]> {
  const pools = new Map<string, Price[]>();
  for (const log of logs) {
    if (wanted.size > 0 && !wanted.has(log.address)) continue;
    const price = priceIn(log);
    if (!price) continue;
    const prices = pools.get(log.address);
    if (prices) prices.push(price);
    else pools.set(log.address, [price]);
  }
  return pools;
}

function priceIn(log: Log): Price | undefined {
  try {
    const value =
      log.key === sync
        ? ratio(wordAt(log.data, 0), wordAt(log.data, 1))
        : log.key === swap3
          ? squared(wordAt(log.data, 2))
          : undefined;
    return value === undefined ? undefined : { value, log, kind: log.key === sync ? 'v2' : 'v3' };
  } catch {
    // Anyone can write logs with these topics and other data.
    return undefined;
  }
}

function ratio(reserve0: bigint, reserve1: bigint): number | undefined {
  return reserve0 === 0n || reserve1 === 0n ? undefined : Number(reserve1) / Number(reserve0);
}

/** Of a root with 96 bits of fraction. */
function squared(root: bigint): number | undefined {
  return root === 0n ? undefined : (Number(root) / 2 ** 96) ** 2;
}

const getReserves = parseFunction('getReserves()(uint112,uint112,uint32)');
const slot0 = parseFunction('slot0()(uint160)');

/** What the block reported last before the transaction, or the state before the block. */
function priceBefore(read: Reader, { logs }: Block, pool: string, { log, kind }: Price): number | undefined {
  const earlier = logs.findLast(
    (each) => each.address === pool && each.transactionIndex < log.transactionIndex && priceIn(each),
  );
  if (earlier) return priceIn(earlier)?.value;
  const answer = tryCall(read, pool, kind === 'v2' ? getReserves : slot0, [], 'parent');
  if (!('results' in answer)) return undefined;
  const [first, second] = answer.results;
  if (typeof first !== 'bigint') return undefined;
  return kind === 'v3' ? squared(first) : typeof second === 'bigint' ? ratio(first, second) : undefined;
}

/** It must have gone at least half of the way back. */
function judge(pool: string, before: number | undefined, prices: readonly Price[], limit: number) {
  const after = prices.at(-1)?.value;
  if (before === undefined || after === undefined) return [];
  const extreme = prices.reduce(
    (most, { value }) => (distance(value, before) > distance(most, before) ? value : most),
    before,
  );
  const moved = distance(extreme, before);
  if (moved < limit || distance(after, before) > moved / 2) return [];
  return [
    {
      pool,
      movePercent: round(moved),
      restPercent: round((after / before) * 100),
      priceBefore: String(before),
      priceExtreme: String(extreme),
      priceAfter: String(after),
    },
  ];
}

/** In per cent, the same for twice and for half of a price. */
function distance(price: number, before: number): number {
  return (Math.max(price / before, before / price) - 1) * 100;
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100;
}
