import type { Log } from '../../../model/block.ts';
import { eventTopic } from '../abi/abi.ts';
import { topicAddress, wordAt } from '../abi/words.ts';

export const transferTopic = eventTopic('Transfer(address,address,uint256)');

export type Transfer = { readonly from: string; readonly to: string; readonly amount: bigint };

/** The transfer of an amount (ERC-20) that a log reports; undefined for any other log, that of an NFT included. */
export function decodeTransfer({ key, indexed, data }: Log): Transfer | undefined {
  if (key !== transferTopic) return undefined;
  const [from, to] = indexed;
  if (from !== undefined && to !== undefined && indexed.length === 2 && data.length === 66)
    return { from: topicAddress(from), to: topicAddress(to), amount: wordAt(data, 0) };
  // Some early tokens index nothing.
  if (indexed.length === 0 && data.length === 194)
    return { from: wordAddress(data, 0), to: wordAddress(data, 1), amount: wordAt(data, 2) };
  return undefined;
}

function wordAddress(data: string, place: number): string {
  const start = 2 + place * 64 + 24;
  return `0x${data.slice(start, start + 40)}`;
}
