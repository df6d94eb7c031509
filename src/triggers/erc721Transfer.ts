import type { Static } from 'typebox';
import { topicAddress, zeroAddress } from '../chains/evm/abi/words.ts';
import { assetFacts } from '../chains/evm/evidence/tokens.ts';
import { Configuration } from '../evidence/parameters.ts';
import { showId } from '../lib/showNumber.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { directionMember, isDirected, tokenMember, transferInterests } from './support/transfers.ts';

const params = Configuration({ direction: directionMember, token: tokenMember });

export const erc721Transfer = defineTrigger<Static<typeof params>, never>({
  type: 'ERC721_TRANSFER',
  families: evmDialect,
  description:
    'A unique token (ERC-721) goes to or from the watched address or, when that is a collection, between any addresses.',
  params,
  fields: ['from', 'to', 'token', 'symbol', 'tokenId'],
  interests: transferInterests,
  evaluate(observation, { config, contract, chain, read }) {
    if (observation.type !== 'log') return {};
    const { address: token, indexed } = observation.log;
    const [fromTopic, toTopic, idTopic] = indexed;
    // The same event without an indexed id is the transfer of an amount.
    if (fromTopic === undefined || toTopic === undefined || idTopic === undefined) return {};
    const transfer = { from: topicAddress(fromTopic), to: topicAddress(toTopic) };
    if (token !== (config.token ?? token)) return {};
    if (!isDirected(config.direction, contract.address, transfer)) return {};
    const { symbol } = assetFacts(read, chain, token);
    const tokenId = BigInt(idTopic);
    return {
      detections: [
        {
          message: `${symbol} #${showId(tokenId)} ${sentence(transfer)} (${contract.name}).`,
          fields: { ...transfer, token, symbol, tokenId },
        },
      ],
    };
  },
});

function sentence({ from, to }: { from: string; to: string }): string {
  if (from === zeroAddress) return `was made for ${to}`;
  return to === zeroAddress ? `of ${from} was destroyed` : `moved from ${from} to ${to}`;
}
