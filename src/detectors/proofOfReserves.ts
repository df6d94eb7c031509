import { type Static, Type } from 'typebox';
import { groupDigits, ratioOf } from '../evidence/amounts.ts';
import { readFeed } from '../evidence/evm/price.ts';
import { assetFacts, readSupply } from '../evidence/evm/tokens.ts';
import { Address, Condition, Configuration, Polling, scheduleOf } from '../evidence/parameters.ts';
import { endOfCondition, meets, repeatMembers } from '../evidence/repeats.ts';
import { judgeSample, keepState, type SampleState } from '../evidence/samples.ts';
import { formatDecimal, toDecimal } from '../lib/decimal.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration(
  {
    feed: Address('Feed of the reserves in whole tokens (AggregatorV3).'),
    token: Type.Optional(Address('The token that is backed, if it is not the watched contract.')),
    condition: Condition('What reserves divided by supply must be for an alert.', '<< 1'),
    ...repeatMembers,
    ...Polling('cron', '10 min'),
  },
  ['feed'],
);

export const proofOfReserves = defineDetector<Static<typeof config>, SampleState>({
  name: 'proof_of_reserves',
  title: 'Proof of reserves',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: evmDialect,
  severity: 'HIGH',
  description: 'The reserves of a token, as a feed reports them, are too small for its supply.',
  faq: 'Does it know when the feed stands still? No, add oracle_staleness on the same feed.',
  nextStep:
    'Ask the issuer for the missing reserves, and stop minting or lending against the token until they are there.',
  config,
  fields: [
    'token',
    'symbol',
    'feed',
    'reserves',
    'supply',
    'ratio',
    'previous',
    'condition',
    'ended',
    'updatedAt',
  ],
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, { config: settings, contract, chain, state, read }) {
    if (observation.type !== 'block') return {};
    const token = settings.token ?? contract.address;
    const { feed } = settings;
    const [round, supply, facts] = read.all([
      () => readFeed(read, feed),
      () => readSupply(read, token),
      () => assetFacts(read, chain, token),
    ]);
    const issued = toDecimal(supply, facts.decimals);
    const ratio = ratioOf(round.answer, issued);
    if (!ratio) return {};
    const judged = judgeSample(settings, ratio, observation.block.timestamp, state);
    const { fires, ends, previous } = judged;
    const newState = keepState(state, judged.after);
    if (!fires && !ends) return newState;
    const [reserves, shownSupply] = [formatDecimal(round.answer), formatDecimal(issued)];
    return {
      ...newState,
      detections: [
        {
          ...(ends && endOfCondition),
          message: `The reserves of ${contract.name} are ${groupDigits(reserves)} for a supply of ${groupDigits(shownSupply)} ${facts.symbol}: ${groupDigits(formatDecimal(ratio))}, which ${meets(judged)} ${settings.condition}.`,
          fields: {
            token,
            symbol: facts.symbol,
            feed,
            reserves,
            supply: shownSupply,
            ratio: formatDecimal(ratio),
            previous,
            condition: settings.condition,
            ended: ends || undefined,
            updatedAt: new Date(round.updatedAt).toISOString(),
          },
        },
      ],
    };
  },
});
