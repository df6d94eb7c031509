import { type AssetFacts, native } from '../../../evidence/amounts.ts';
import type { CallResult, ChainFacts, Reader } from '../../../model/detection.ts';
import { decimalsData, readTokenDecimals } from '../abi/readTokenDecimals.ts';
import { readTokenSymbol } from '../abi/readTokenSymbol.ts';

/** Symbol and decimals of a token or of the native coin; a token without a symbol has its address. */
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
  return token === native ? chain.decimals : tokenDecimals(read, token);
}

export function tokenDecimals(read: Reader, token: string): number {
  return toDecimals(read.call(token, decimalsData));
}

const symbolData = '0x95d89b41';

function toDecimals(answer: CallResult): number {
  return readTokenDecimals('failure' in answer ? undefined : answer.data);
}

function toSymbol(answer: CallResult): string | undefined {
  return 'failure' in answer ? undefined : readTokenSymbol(answer.data);
}
