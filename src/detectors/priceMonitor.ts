import { type Static, Type } from 'typebox';
import { groupDigits } from '../evidence/amounts.ts';
import { priceInterests, priceMembers, readPrice } from '../evidence/evm/price.ts';
import { Condition, Configuration } from '../evidence/parameters.ts';
import { endOfCondition, meets, repeatMembers } from '../evidence/repeats.ts';
import { judgeSample, keepState, type SampleState } from '../evidence/samples.ts';
import { formatDecimal, parseDecimal, percentChange } from '../lib/decimal.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  ...priceMembers,
  condition: Condition(
    'What the price must be for an alert, such as "< 0.98", or "> 5%" for a change of more than 5 % since the last look.',
    '> 5%',
  ),
  ...repeatMembers,
  currency: Type.String({
    description: 'In what the price is counted; for the message.',
    default: 'usd',
    minLength: 1,
    maxLength: 20,
  }),
});

export const priceMonitor = defineDetector<Static<typeof config>, SampleState>({
  name: 'price_monitor',
  title: 'Price monitor',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: evmDialect,
  recommendedFor: {
    PRICE_FEED: ({ facts: { description } }) => ({
      config: { condition: '> 10%', when: 'block', severity: 'HIGH' },
      reason: `It is ${description ? `the price feed ${description}` : 'a price feed'}: a move by 10 % from block to block, either way, is a crash or a manipulated price.`,
    }),
  },
  severity: 'MEDIUM',
  description:
    'The price of a feed on chain, or of a market, crosses a value or changes by so many per cent.',
  faq: 'What if the feed or the market does not answer? That is recorded as a fault of the detector; use oracle_staleness for feeds that stand still.',
  nextStep:
    'Compare the price with other markets before anything settles at it, and pause what liquidates or mints by it if they differ.',
  config,
  fields: ['price', 'previous', 'currency', 'condition', 'ended', 'source', 'origin'],
  takesBaseline: true,
  interests: priceInterests,
  evaluate(observation, { config: settings, contract, state, read }) {
    const { price, origin } = readPrice(read, settings, contract);
    const time = 'block' in observation ? observation.block.timestamp : observation.at;
    const judged = judgeSample(settings, price, time, state);
    const { fires, ends, previous } = judged;
    const newState = keepState(state, judged.after);
    if (!fires && !ends) return newState;
    const shown = formatDecimal(price);
    const change = previous === undefined ? undefined : percentChange(parseDecimal(previous), price);
    const currency = settings.currency.toUpperCase();
    const was = previous === undefined ? '' : `, before ${groupDigits(previous)}`;
    return {
      ...newState,
      detections: [
        {
          ...(ends && endOfCondition),
          ...(change && { magnitude: Math.abs(Number(formatDecimal(change))) }),
          message: `The price of ${contract.name} is ${groupDigits(shown)} ${currency}${was}, which ${meets(judged)} ${settings.condition}.`,
          fields: {
            price: shown,
            previous,
            currency: settings.currency,
            condition: settings.condition,
            ended: ends || undefined,
            source: settings.source,
            origin,
          },
        },
      ],
    };
  },
});
