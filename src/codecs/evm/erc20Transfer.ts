import type { Log } from '../../model/block.ts';
import { transferTopic } from './transferTopic.ts';
import { logWords, topicAddress } from './words.ts';

export { transferTopic };

export type Erc20Transfer = { readonly from: string; readonly to: string; readonly amount: bigint };

/**
 * The transfer of an amount (ERC-20) that a log reports, whether it indexes both ends, one or, as some early tokens, none;
 * undefined for any other log, that of an NFT included.
 */
export function decodeTransfer(log: Log): Erc20Transfer | undefined {
  if (log.key !== transferTopic || log.indexed.length > 2) return undefined;
  const [from, to, amount, more] = logWords(log);
  if (from === undefined || to === undefined || amount === undefined || more !== undefined) return undefined;
  return { from: topicAddress(from), to: topicAddress(to), amount: BigInt(amount) };
}

/** The amount that the holder gives by these transfers, less what it gets; below 0 when it gets more. */
export function netOutflow(transfers: readonly Erc20Transfer[], holder: string): bigint {
  return transfers.reduce((sum, { from, to, amount }) => {
    if (from === to) return sum;
    if (from === holder) return sum + amount;
    return to === holder ? sum - amount : sum;
  }, 0n);
}
