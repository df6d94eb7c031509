import type { Static } from 'typebox';
import { transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { topicAddress, zeroAddress } from '../codecs/evm/words.ts';
import { decodeMultiTransfers, type MultiTransfer, multiTokenTopics } from '../evidence/evm/multiTokens.ts';
import { assetFacts } from '../evidence/evm/tokens.ts';
import { ambiguousTransfer, movesUniqueToken } from '../evidence/evm/uniqueToken.ts';
import { Configuration } from '../evidence/parameters.ts';
import { showId, showNumber } from '../lib/showNumber.ts';
import type { Log } from '../model/block.ts';
import { defineTrigger, type Reader } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { directionMember, isDirected, tokenMember, transferInterests } from './support/transfers.ts';

const params = Configuration({ direction: directionMember, token: tokenMember });

export const erc721Transfer = defineTrigger<Static<typeof params>, never>({
  type: 'ERC721_TRANSFER',
  families: evmDialect,
  description:
    'A unique token (ERC-721), or one of a collection of several (ERC-1155), goes to or from the watched address or, when that is a collection, between any addresses.',
  params,
  fields: ['from', 'to', 'token', 'symbol', 'tokenId', 'amount', 'tokens'],
  interests: (config, contract) => transferInterests(config, contract, [transferTopic, ...multiTokenTopics]),
  evaluate(observation, { config, contract, chain, read }) {
    if (observation.type !== 'log') return {};
    const { address: token } = observation.log;
    const moved = movedBy(read, observation.log);
    const [first] = moved;
    if (!first || token !== (config.token ?? token)) return {};
    const { tokenId, amount, ...ends } = first;
    if (!isDirected(config.direction, contract.address, ends)) return {};
    const { symbol } = assetFacts(read, chain, token);
    const times = amount > 1n ? ` ${showNumber(amount)} times` : '';
    const more = moved.length > 1 ? ` and ${moved.length - 1} more` : '';
    return {
      detections: [
        {
          message: `${symbol} #${showId(tokenId)}${times}${more} ${sentence(ends)} (${contract.name}).`,
          fields: { ...ends, token, symbol, tokenId, amount, tokens: moved.length },
        },
      ],
    };
  },
});

function movedBy(read: Reader, log: Log): MultiTransfer[] {
  if (log.key !== transferTopic) return decodeMultiTransfers(log).filter(({ amount }) => amount > 0n);
  const [from, to, id] = log.indexed;
  // The same event without an indexed id is the transfer of an amount, or that of an early collection.
  if (from === undefined || to === undefined || id === undefined) {
    const transfer = ambiguousTransfer(log);
    if (!transfer || !movesUniqueToken(read, log)) return [];
    return [{ ...transfer, tokenId: transfer.amount, amount: 1n }];
  }
  return [{ from: topicAddress(from), to: topicAddress(to), tokenId: BigInt(id), amount: 1n }];
}

function sentence({ from, to }: { from: string; to: string }): string {
  if (from === zeroAddress) return `was made for ${to}`;
  return to === zeroAddress ? `of ${from} was destroyed` : `moved from ${from} to ${to}`;
}
