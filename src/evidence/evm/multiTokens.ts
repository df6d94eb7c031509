import { eventTopic } from '../../codecs/evm/abi.ts';
import type { Erc20Transfer } from '../../codecs/evm/erc20Transfer.ts';
import { logWords, topicAddress } from '../../codecs/evm/words.ts';
import type { Log } from '../../model/block.ts';

/** The events of ERC-1155, which name the operator first. */
const single = eventTopic('TransferSingle(address,address,address,uint256,uint256)');
const batch = eventTopic('TransferBatch(address,address,address,uint256[],uint256[])');
export const multiTokenTopics: readonly string[] = [single, batch];

export type MultiTransfer = Erc20Transfer & { readonly tokenId: bigint };

/** A list may claim any length. An item costs 512 gas, so that a block has room for no more than a few times as many. */
const maxItems = 20_000;

/** The transfers of ERC-1155 tokens that a log reports; none for any other log. */
export function decodeMultiTransfers(log: Log): MultiTransfer[] {
  const [, from, to, ...rest] = multiTokenTopics.includes(log.key) ? logWords(log) : [];
  if (from === undefined || to === undefined) return [];
  const ends = { from: topicAddress(from), to: topicAddress(to) };
  const [ids, amounts] =
    log.key === single ? [rest.slice(0, 1), rest.slice(1, 2)] : [listAt(rest, 0), listAt(rest, 1)];
  return ids.flatMap((id, index) => {
    const amount = amounts[index];
    return amount === undefined ? [] : [{ ...ends, tokenId: BigInt(id), amount: BigInt(amount) }];
  });
}

/** The list that the word at this place points to. */
function listAt(words: readonly string[], index: number): readonly string[] {
  const start = Number(BigInt(words[index] ?? '0x0')) / 32;
  const length = Number(BigInt(words[start] ?? '0x0'));
  return words.slice(start + 1, start + 1 + Math.min(length, maxItems));
}
