import type { Static } from 'typebox';
import { formatUnits, showAmount } from '../evidence/amounts.ts';
import { coinMoves } from '../evidence/coinMoves.ts';
import { Amount, Configuration } from '../evidence/parameters.ts';
import { compareDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  minAmount: Amount('Only spends by which at least this many whole coins leave the address.', '0'),
});

/** Recipients that an alert names. */
const maxShown = 10;

export const utxoSpend = defineDetector<Static<typeof config>, never>({
  name: 'utxo_spend',
  title: 'Spend of a cold address',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['bitcoin'],
  severity: 'HIGH',
  description: 'An output of the address is spent, whatever the amount and the recipient.',
  faq: 'Does it also report a spend that pays everything back to the address? Yes, unless minAmount is set: such a spend shows that someone uses the key.',
  nextStep:
    'Ask the keepers of the key whether they signed it. If not, move what other addresses of the same key or seed hold at once.',
  config,
  fields: ['from', 'to', 'recipients', 'symbol', 'amount', 'rawAmount', 'feeRate'],
  interests: (_config, { address }) => [{ on: 'sender', address }],
  evaluate(observation, { config: { minAmount }, contract, chain }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const { address, name } = contract;
    const out = coinMoves(transaction, address).find(({ from }) => from === address);
    const amount = out?.amount ?? 0n;
    if (compareDecimal(toDecimal(amount, chain.decimals), parseDecimal(minAmount)) < 0) return {};
    const recipients = [...(transaction.parties?.recipients ?? [])].filter(
      (recipient) => recipient !== address,
    );
    const more = recipients.length > 1 ? ` and ${recipients.length - 1} more` : '';
    const what = out
      ? `${showAmount(amount, chain)} left ${address} (${name}) for ${out.to}${more}`
      : `Coins of ${address} (${name}) were spent and came back to it`;
    return {
      detections: [
        {
          message: `${what}.`,
          magnitude: Number(formatUnits(amount, chain.decimals)),
          fields: {
            from: address,
            to: out?.to,
            recipients: recipients.slice(0, maxShown),
            symbol: chain.symbol,
            amount: formatUnits(amount, chain.decimals),
            rawAmount: amount,
            feeRate: transaction.priorityFee,
          },
        },
      ],
    };
  },
});
