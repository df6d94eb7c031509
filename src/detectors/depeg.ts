import { type Static, Type } from 'typebox';
import { groupDigits } from '../evidence/amounts.ts';
import { holdsWithin } from '../evidence/comparison.ts';
import { priceInterests, priceMembers, readPrice } from '../evidence/evm/price.ts';
import { Amount, Configuration, Whole } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import {
  absoluteDecimal,
  compareDecimal,
  formatDecimal,
  parseDecimal,
  percentChange,
  subtractDecimal,
} from '../lib/decimal.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  ...priceMembers,
  peg: Amount('What the price should be.', '1'),
  band: Type.String({
    description: 'Greatest distance of the price from the peg: an amount, or a share of the peg.',
    format: 'amountOrPercent',
    default: '0.5%',
  }),
  samples: Whole('How many looks in a row it must be away for an alert.', 3, 1, 1000),
});

/** Number of polls in a row that found it away. */
type State = { readonly away?: number };

export const depeg = defineDetector<Static<typeof config>, State>({
  name: 'depeg',
  title: 'Depeg',
  version: '1.1.0',
  category: 'FINANCIAL',
  families: evmDialect,
  severity: 'HIGH',
  description:
    'The price of a stable token is away from its peg for several looks in a row. Reported once until it is back, which is reported as INFO.',
  faq: 'Why several looks? A single odd price is common; an alert comes when the price stays away for `samples` looks.',
  nextStep:
    'Compare with other markets, stop taking the token at its peg, and reduce what you hold of it or lend against it.',
  config,
  fields: ['price', 'peg', 'band', 'deviation', 'percent', 'side', 'samples', 'isOver', 'source', 'origin'],
  interests: priceInterests,
  evaluate(_observation, { config: settings, contract, state, read }) {
    const { price, origin } = readPrice(read, settings, contract);
    const peg = parseDecimal(settings.peg);
    if (holdsWithin(price, '==', peg, settings.band)) {
      const isOver = (state?.away ?? 0) >= settings.samples;
      return {
        ...keepState<State>(state, {}),
        detections: isOver
          ? [
              {
                severity: 'INFO',
                message: `The price of ${contract.name} is back at its peg of ${settings.peg}: ${groupDigits(formatDecimal(price))}.`,
                fields: {
                  price: formatDecimal(price),
                  peg: settings.peg,
                  band: settings.band,
                  isOver,
                  source: settings.source,
                  origin,
                },
              },
            ]
          : [],
      };
    }
    // It need not be counted on after the alert, and what does not change is not written.
    const away = Math.min((state?.away ?? 0) + 1, settings.samples + 1);
    const newState = keepState<State>(state, { away });
    if (away !== settings.samples) return newState;
    const deviation = percentChange(peg, price);
    const percent = deviation && Number(formatDecimal(deviation));
    const side = compareDecimal(price, peg) < 0 ? 'below' : 'above';
    const off = deviation ? `${Math.abs(percent ?? 0)} % ` : '';
    return {
      ...newState,
      detections: [
        {
          magnitude: Math.abs(percent ?? 0),
          message: `The price of ${contract.name} is ${groupDigits(formatDecimal(price))}, ${off}${side} its peg of ${settings.peg}, for ${away} look${away === 1 ? '' : 's'} in a row.`,
          fields: {
            price: formatDecimal(price),
            peg: settings.peg,
            band: settings.band,
            deviation: formatDecimal(absoluteDecimal(subtractDecimal(price, peg))),
            percent,
            side,
            samples: away,
            source: settings.source,
            origin,
          },
        },
      ],
    };
  },
});
