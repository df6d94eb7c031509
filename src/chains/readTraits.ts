import type { BlockRef } from '../model/block.ts';
import type { ContractTraits } from '../model/contractKinds.ts';
import type { StateResult } from '../model/stateRead.ts';
import type { ChainClient } from './chainClient.ts';

/** A token's own statements, as far as it answers. */
export async function readTraits(
  { readState }: Pick<ChainClient, 'readState'>,
  block: BlockRef,
  asset: string,
): Promise<ContractTraits> {
  const answers = await readState(
    block,
    (['symbol', 'decimals', 'supply'] as const).map((type) => ({ type, asset })),
  );
  const [symbol, decimals, totalSupply] = answers.map(textIn);
  return {
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals: Number(decimals) }),
    ...(totalSupply !== undefined && { totalSupply }),
  };
}

/** Undefined where no node answers. */
export function textIn(result: StateResult | undefined): string | undefined {
  if (!result || 'missing' in result || typeof result.value === 'object') return undefined;
  return String(result.value);
}
