import { type Decimal, toDecimal } from '../../../lib/decimal.ts';
import type { Reader } from '../../../model/detection.ts';
import { parseFunction } from '../abi/abi.ts';
import { readCall } from './readCall.ts';

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
  const [round, places] = read.all([
    () => readCall(read, feed, latestRoundData) as readonly [bigint, bigint, bigint, bigint, bigint],
    () => Number(readCall(read, feed, decimals)[0]),
  ]);
  const [roundId, answer, , updatedAt, answeredInRound] = round;
  return { roundId, answer: toDecimal(answer, places), updatedAt: Number(updatedAt) * 1000, answeredInRound };
}
