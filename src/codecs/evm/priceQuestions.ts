import type { Frame } from '../../model/block.ts';
import { functionSelector } from './abi.ts';

/** Functions that say what something is worth, with the word of their answer that is the price. */
const questions: ReadonlyMap<string, { name: string; word: number }> = new Map(
  [
    'get_virtual_price()',
    'getVirtualPrice()',
    'virtualPrice()',
    'getPrice()',
    'getPrice(address)',
    'price()',
    'lastPrice()',
    'tokenPrice()',
    'price_oracle()',
    'price_oracle(uint256)',
    'last_price()',
    'last_prices()',
    'last_prices(uint256)',
    'lp_price()',
    'latestAnswer()',
    'pricePerShare()',
    'getPricePerFullShare()',
    'getPricePerShare()',
    'sharePrice()',
    'convertToAssets(uint256)',
    'convertToShares(uint256)',
    'exchangeRate()',
    'exchangeRateStored()',
    'exchangeRateCurrent()',
    'getExchangeRate()',
    'getRate()',
    'rate()',
    'getAssetPrice(address)',
    'getUnderlyingPrice(address)',
    'assetPrice(address)',
    'getSpotPrice(address,address)',
    'consult(address,uint256)',
  ]
    .map((signature) => ({ signature, word: 0 }))
    .concat({ signature: 'latestRoundData()', word: 1 })
    .map(({ signature, word }) => [
      functionSelector(signature),
      { name: signature.slice(0, signature.indexOf('(')), word },
    ]),
);

/** Characters of an answer that can hold the price, and of a question that counts. */
export const answerLength = 2 + 5 * 64;
const maxQuestionLength = 2 + 8 + 4 * 64;

export function isPriceQuestion(input: string): boolean {
  return questions.has(input.slice(0, 10)) && input.length <= maxQuestionLength;
}

export function questionName(input: string): string {
  return questions.get(input.slice(0, 10))?.name ?? input.slice(0, 10);
}

/** The price in an answer; undefined where there is none. */
export function priceInAnswer(input: string, answer: string): number | undefined {
  const start = 2 + (questions.get(input.slice(0, 10))?.word ?? 0) * 64;
  const word = answer.slice(start, start + 64);
  if (!/^[0-9a-f]{64}$/i.test(word)) return undefined;
  const value = Number(BigInt(`0x${word}`));
  return value > 0 ? value : undefined;
}

export type Question = { readonly of: string; readonly input: string; readonly prices: readonly number[] };

/** All answers to the same price question in the course of a transaction, in calls of interest. */
export function answersOf(frames: readonly Frame[], isOfInterest: (frame: Frame) => boolean): Question[] {
  const questions = new Map<string, { of: string; input: string; prices: number[] }>();
  for (const frame of frames) {
    const { type, to, input, answer } = frame;
    const isAsked = answer !== undefined && type !== 'DELEGATECALL' && isOfInterest(frame);
    const price = !isAsked ? undefined : priceInAnswer(input, answer);
    if (price === undefined) continue;
    const key = `${to} ${input}`;
    const question = questions.get(key);
    if (question) question.prices.push(price);
    else questions.set(key, { of: to, input, prices: [price] });
  }
  return [...questions.values()];
}
