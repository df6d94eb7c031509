import type { ChainClient } from '../../chains/chainClient.ts';
import { getChain } from '../../chains/chains.ts';
import {
  decimalsData,
  hasDecimals,
  readTokenDecimals,
  readTokenSymbol,
  symbolData,
} from '../../codecs/evm/tokenMetadata.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateResult } from '../../model/stateRead.ts';
import type { Services } from '../call.ts';

/** `isFungible`: it says how many decimals it has, so that amounts of it can be shown. */
export type TokenNaming = { symbol: string | null; decimals: number; isFungible: boolean };

/** Symbols and decimals as tokens report them; of one that reports none its smallest units are shown. */
export async function readTokens(
  { fetchFor }: Pick<Services, 'fetchFor'>,
  client: ChainClient,
  at: BlockRef,
  tokens: readonly string[],
): Promise<Map<string, TokenNaming>> {
  const fetch = fetchFor(getChain(client.chainUid).uid, client);
  const ask = (data: string) =>
    fetch(tokens.map((to) => ({ type: 'chain', at, question: { type: 'call', to, data } })));
  const [symbols, decimals] = await Promise.all([ask(symbolData), ask(decimalsData)]);
  return new Map(
    tokens.map((token, index) => [
      token,
      {
        symbol: readTokenSymbol(dataOf(symbols[index]) ?? '') ?? null,
        decimals: readTokenDecimals(dataOf(decimals[index])),
        isFungible: hasDecimals(dataOf(decimals[index]) ?? '0x'),
      },
    ]),
  );
}

/** Returned data of a call; undefined where no node answered. */
export function dataOf(answer: unknown): string | undefined {
  const { value } = (answer ?? {}) as { value?: Extract<StateResult, { value: unknown }>['value'] };
  return typeof value === 'object' && 'data' in value ? value.data : undefined;
}
