import type { Static } from 'typebox';
import { formatUnits, showAmount } from '../evidence/amounts.ts';
import { Amount, Configuration } from '../evidence/parameters.ts';
import { compareDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { defineTrigger, type Interest } from '../model/detection.ts';
import { directionMember } from './support/transfers.ts';

const params = Configuration({
  direction: directionMember,
  minAmount: Amount('Only transfers of at least this many whole coins.', '0'),
});

export const nativeTransfer = defineTrigger<Static<typeof params>, never>({
  type: 'NATIVE_TRANSFER',
  families: ['evm'],
  description:
    'A transaction brings native coins to the watched address, or from it. Coins that a contract moves inside a transaction are not seen; BALANCE_CHANGE sees what they come to.',
  params,
  fields: ['from', 'to', 'symbol', 'amount', 'rawAmount'],
  interests({ direction }, { address }) {
    const interests: Interest[] = [];
    if (direction !== 'out') interests.push({ on: 'call', address });
    if (direction !== 'in') interests.push({ on: 'sender', address });
    return interests;
  },
  evaluate(observation, { config, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { from, to, value, hash } = observation.transaction;
    if (value === 0n) return {};
    if (compareDecimal(toDecimal(value, chain.decimals), parseDecimal(config.minAmount)) < 0) return {};
    const { isSuccess, contractAddress } = read.receipt(hash);
    if (!isSuccess) return {};
    const recipient = to ?? contractAddress;
    return {
      detections: [
        {
          message: `${showAmount(value, chain)} moved from ${from} to ${recipient} (${contract.name}).`,
          fields: {
            from,
            to: recipient,
            symbol: chain.symbol,
            amount: formatUnits(value, chain.decimals),
            rawAmount: value,
          },
        },
      ],
    };
  },
});
