import type { Log, Transaction } from '../../../model/block.ts';
import { transferTopic } from '../abi/transferTopic.ts';
import { logWords, topicAddress } from '../abi/words.ts';

export { transferTopic };

export type Transfer = { readonly from: string; readonly to: string; readonly amount: bigint };

/**
 * The transfer of an amount (ERC-20) that a log reports, whether it indexes both ends, one or, as some early tokens, none;
 * undefined for any other log, that of an NFT included.
 */
export function decodeTransfer(log: Log): Transfer | undefined {
  if (log.key !== transferTopic || log.indexed.length > 2) return undefined;
  const [from, to, amount, more] = logWords(log);
  if (from === undefined || to === undefined || amount === undefined || more !== undefined) return undefined;
  return { from: topicAddress(from), to: topicAddress(to), amount: BigInt(amount) };
}

/** What the holder gives away of a token in a transaction beyond what it gets; below 0 when it gets more. */
export function netOutflow({ logs }: Transaction, token: string, holder: string): bigint {
  return logs.reduce((sum, log) => {
    const transfer = log.address === token ? decodeTransfer(log) : undefined;
    if (!transfer || transfer.from === transfer.to) return sum;
    if (transfer.from === holder) return sum + transfer.amount;
    return transfer.to === holder ? sum - transfer.amount : sum;
  }, 0n);
}
