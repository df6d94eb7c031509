import { readTokenSymbol } from '../lib/readTokenSymbol.ts';
import type { CallResult, ChainFacts, Reader } from '../model/detection.ts';

export type AssetFacts = { readonly symbol: string; readonly decimals: number };

/** The word that stands for the chain's own coin where a token may be named. */
export const native = 'native';

/** Symbol and decimals of a token or of the native coin; a token that does not tell has its address and none. */
export function assetFacts(read: Reader, chain: ChainFacts, token: string): AssetFacts {
  if (token === native) return { symbol: chain.symbol, decimals: chain.decimals };
  const [symbol, decimals] = read.all([
    () => read.call(token, symbolData),
    () => read.call(token, decimalsData),
  ]);
  return { symbol: toSymbol(symbol) ?? token, decimals: toDecimals(decimals) };
}

/** Decimals alone, for thresholds. */
export function assetDecimals(read: Reader, chain: ChainFacts, token: string): number {
  return token === native ? chain.decimals : toDecimals(read.call(token, decimalsData));
}

const symbolData = '0x95d89b41';
const decimalsData = '0x313ce567';
/** More than any token has; a number beyond it would only stretch texts. */
const mostDecimals = 77;

function toDecimals(answer: CallResult): number {
  if ('reverted' in answer || answer.data.length < 66) return 0;
  const told = BigInt(answer.data.slice(0, 66));
  return told <= mostDecimals ? Number(told) : 0;
}

function toSymbol(answer: CallResult): string | undefined {
  return 'reverted' in answer ? undefined : readTokenSymbol(answer.data);
}
