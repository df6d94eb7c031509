import type { Static } from 'typebox';
import { formatUnits, showAmount } from '../evidence/amounts.ts';
import { coinMoves } from '../evidence/coinMoves.ts';
import { Amount, Configuration, InnerCalls } from '../evidence/parameters.ts';
import { compareDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { defineTrigger, type Interest, type Observation } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';
import { directionMember } from './support/transfers.ts';

const params = Configuration({
  direction: directionMember,
  minAmount: Amount('Only transfers of at least this many whole coins.', '0'),
  innerCalls: InnerCalls(),
});

export const nativeTransfer = defineTrigger<Static<typeof params>, never>({
  type: 'NATIVE_TRANSFER',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  description:
    'A transaction brings native coins to the watched address, or from it, or contracts move them within a transaction, where nodes of the chain trace calls. BALANCE_CHANGE sees what all of them come to.',
  params,
  fields: ['from', 'to', 'symbol', 'amount', 'rawAmount'],
  interests({ direction, innerCalls }, { address }, { family }) {
    if (!hasEvmDialect(family)) return [{ on: 'touch', address }];
    const interests: Interest[] = innerCalls ? [{ on: 'transfer', address, inner: true }] : [];
    if (direction !== 'out') interests.push({ on: 'call', address });
    if (direction !== 'in') interests.push({ on: 'sender', address });
    return interests;
  },
  evaluate(observation, { config, contract, chain, read }) {
    const moves = movesOf(observation, contract.address);
    if (moves.length === 0 || !('transaction' in observation)) return {};
    const { transaction } = observation;
    const { address, name } = contract;
    const wanted = moves.filter(
      ({ from, to, amount }) =>
        amount > 0n &&
        (config.direction === 'any' || (config.direction === 'in' ? to : from) === address) &&
        compareDecimal(toDecimal(amount, chain.decimals), parseDecimal(config.minAmount)) >= 0,
    );
    if (wanted.length === 0) return {};
    const { isSuccess, contractAddress } = read.receipt(transaction.hash);
    if (!isSuccess) return {};
    return {
      detections: wanted.map(({ from, to, amount }) => {
        const recipient = to ?? transaction.created ?? contractAddress;
        return {
          message: `${showAmount(amount, chain)} moved from ${from} to ${recipient} (${name}).`,
          fields: {
            from,
            to: recipient,
            symbol: chain.symbol,
            amount: formatUnits(amount, chain.decimals),
            rawAmount: amount,
          },
        };
      }),
    };
  },
});

type Move = { from: string; to: string | null; amount: bigint };

function movesOf(observation: Observation, address: string): readonly Move[] {
  if (observation.type === 'transfer' && observation.frames) {
    const { from, to, amount } = observation.transfer;
    return from === null ? [] : [{ from, to, amount }];
  }
  if (observation.type !== 'transaction') return [];
  const { transaction } = observation;
  return transaction.to === null && !transaction.parties
    ? [{ from: transaction.from, to: transaction.created ?? null, amount: transaction.value }]
    : coinMoves(transaction, address);
}
