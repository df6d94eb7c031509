import { Type } from 'typebox';
import { parseFunction } from '../../codecs/evm/abi.ts';
import { cutText } from '../../lib/cutText.ts';
import { type Decimal, parseDecimal, toDecimal } from '../../lib/decimal.ts';
import { parseSchedule } from '../../lib/schedule.ts';
import type { ContractFacts, Interest, Reader } from '../../model/detection.ts';
import { fetchJson, valueAtPath } from '../fetchJson.ts';
import { Address, Choice, Polling, scheduleOf, WebTarget } from '../parameters.ts';
import { readCall, tryCall } from './readCall.ts';

/** The source of a price: a feed on chain, or a market's JSON. */
export const priceMembers = {
  source: Choice(
    'oracle asks a feed on chain (AggregatorV3), market an address that answers in JSON.',
    ['oracle', 'market'],
    'oracle',
  ),
  feed: Type.Optional(Address('The feed, if it is not the watched contract.')),
  url: Type.Optional(WebTarget('Where the market’s JSON is, for the source market.', 2000)),
  path: Type.String({
    description: 'Path of the price in the JSON, such as data.prices[0].usd.',
    default: 'price',
    minLength: 1,
    maxLength: 500,
  }),
  ...Polling('cron', '1 min'),
};

type Config = {
  source: 'oracle' | 'market';
  feed?: string;
  url?: string;
  path: string;
  when: 'block' | 'cron';
  cron: string;
};

/** A market is asked by the clock, since its answer belongs to no block. */
export function priceInterests(settings: Config): Interest[] {
  if (settings.source === 'market') return [{ on: 'clock', schedule: parseSchedule(settings.cron) }];
  return [{ on: 'block', ...scheduleOf(settings) }];
}

export function readPrice(
  read: Reader,
  settings: Config,
  contract: ContractFacts,
): { price: Decimal; origin: string } {
  if (settings.source === 'market') return readMarket(read, settings);
  const feed = settings.feed ?? contract.address;
  return { price: readFeed(read, feed).answer, origin: feed };
}

function readMarket(read: Reader, { url, path }: Config): { price: Decimal; origin: string } {
  if (url === undefined) throw new Error('The source market needs a url.');
  const answer = fetchJson(read, url);
  if ('failure' in answer) throw new Error(answer.failure);
  const value = valueAtPath(answer.document, path);
  if (typeof value !== 'number' && typeof value !== 'string')
    throw new Error(
      `At ${path} of ${url} is no number but ${cutText(JSON.stringify(value) ?? 'nothing', 80)}.`,
    );
  return { price: parseDecimal(value), origin: url };
}

export type Round = {
  readonly roundId: bigint;
  readonly answer: Decimal;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  readonly answeredInRound: bigint;
};

const latestRoundData = parseFunction('latestRoundData()(uint80,int256,uint256,uint256,uint80)');
const decimals = parseFunction('decimals()(uint8)');

/** The newest round of a feed with Chainlink's AggregatorV3 interface. */
export function readFeed(read: Reader, feed: string): Round {
  const [round, decimalPlaces] = read.all([
    () => readCall(read, feed, latestRoundData) as Answer,
    () => Number(readCall(read, feed, decimals)[0]),
  ]);
  return toRound(round, decimalPlaces);
}

/** The same where a price is welcome but not needed: undefined for what is no feed. */
export function tryFeed(read: Reader, feed: string): Round | undefined {
  const [round, places] = read.all([
    () => tryCall(read, feed, latestRoundData),
    () => tryCall(read, feed, decimals),
  ]);
  if ('failure' in round || 'failure' in places) return undefined;
  return toRound(round.results as Answer, Number(places.results[0]));
}

type Answer = readonly [bigint, bigint, bigint, bigint, bigint];

function toRound([roundId, answer, , updatedAt, answeredInRound]: Answer, places: number): Round {
  return {
    roundId,
    answer: toDecimal(answer, places),
    updatedAt: Number(updatedAt) * 1000,
    answeredInRound,
  };
}
