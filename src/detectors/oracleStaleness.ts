import { type Static, Type } from 'typebox';
import { holdsWithin } from '../evidence/comparison.ts';
import { type Round, readFeed } from '../evidence/evm/price.ts';
import {
  Address,
  AmountOrPercent,
  Configuration,
  Duration,
  Polling,
  scheduleOf,
} from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { formatDecimal, percentChange } from '../lib/decimal.ts';
import { parseDuration } from '../lib/duration.ts';
import { showNumber } from '../lib/showNumber.ts';
import { type Detection, defineDetector, type EvaluationContext } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  feed: Type.Optional(Address('The feed (AggregatorV3), if it is not the watched contract.')),
  heartbeat: Duration('An answer older than this is stale.', '3600 s'),
  reference: Type.Optional(Address('A second feed of the same price to compare with.')),
  maxDeviation: AmountOrPercent('How far the answer may be from that of the second feed.', '2%'),
  ...Polling('cron', '1 min'),
});
type Config = Static<typeof config>;

type Ailment = 'stale' | 'carried' | 'skipped' | 'backwards' | 'deviating' | 'invalid';
/** Faults that were reported, and the last round when every block is checked. */
type State = { readonly told?: readonly Ailment[]; readonly roundId?: string };

export const oracleStaleness = defineDetector<Config, State>({
  name: 'oracle_staleness',
  title: 'Oracle staleness',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: evmDialect,
  recommendedFor: {
    PRICE_FEED: ({ facts: { description } }) => ({
      config: { heartbeat: '90000 s' },
      reason: `It is ${description ? `the price feed ${description}` : 'a price feed'}: an answer older than 25 hours is stale for every usual feed; set the feed's own heartbeat for more.`,
    }),
  },
  severity: 'HIGH',
  description:
    'A price feed is not updated in time, answers with zero or less, carries an answer over from an earlier round, skips rounds, goes backwards, or differs from a second feed. Each is reported once until it is over.',
  faq: 'When are skipped rounds seen? With `when: block`: between two looks by schedule, several rounds are normal.',
  nextStep:
    'Compare the feed with the market, and pause what borrows, liquidates or mints by it until it answers as it should.',
  config,
  fields: [
    'ailment',
    'feed',
    'answer',
    'roundId',
    'updatedAt',
    'ageSeconds',
    'heartbeat',
    'reference',
    'referenceAnswer',
  ],
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, context) {
    if (observation.type !== 'block') return {};
    const { config: settings, contract, state, read } = context;
    const feed = settings.feed ?? contract.address;
    const { reference } = settings;
    const [round, referenceRound] = read.all([
      () => readFeed(read, feed),
      () => (reference === undefined ? undefined : readFeed(read, reference)),
    ]);
    const ailments = examine(context, round, referenceRound, observation.block.timestamp);
    const told = state?.told ?? [];
    const newState = keepState(state, {
      ...(ailments.size > 0 && { told: [...ailments.keys()] }),
      ...(settings.when === 'block' && { roundId: round.roundId.toString() }),
    });
    const detections = [...ailments]
      .filter(([ailment]) => !told.includes(ailment))
      .map(
        ([ailment, words]): Detection => ({
          part: ailment,
          message: `The price feed of ${contract.name} ${words}.`,
          fields: {
            ailment,
            feed,
            answer: formatDecimal(round.answer),
            roundId: round.roundId,
            updatedAt: new Date(round.updatedAt).toISOString(),
            ageSeconds: Math.round((observation.block.timestamp - round.updatedAt) / 1000),
            heartbeat: settings.heartbeat,
            reference,
            referenceAnswer: referenceRound && formatDecimal(referenceRound.answer),
          },
        }),
      );
    return { ...newState, detections };
  },
});

/** The faults of a round, in words. */
function examine(
  { config: { heartbeat, maxDeviation }, state }: EvaluationContext<Config, State>,
  { roundId, answer, updatedAt, answeredInRound }: Round,
  referenceRound: Round | undefined,
  now: number,
): Map<Ailment, string> {
  const ailments = new Map<Ailment, string>();
  const age = now - updatedAt;
  if (age > parseDuration(heartbeat))
    ailments.set(
      'stale',
      `was last updated ${Math.round(age / 1000)} s ago, more than its heartbeat of ${heartbeat}`,
    );
  if (answer.units <= 0n) ailments.set('invalid', `answers ${formatDecimal(answer)}`);
  if (answeredInRound < roundId)
    ailments.set(
      'carried',
      `carries its answer over from round ${showRound(answeredInRound)} into round ${showRound(roundId)}`,
    );
  const before = state?.roundId === undefined ? roundId : BigInt(state.roundId);
  // The upper bits are the phase: a new aggregator begins a count of its own.
  const isSamePhase = before >> 64n === roundId >> 64n;
  if (isSamePhase && roundId > before + 1n)
    ailments.set(
      'skipped',
      `skipped ${showNumber(roundId - before - 1n)} round(s) before round ${showRound(roundId)}`,
    );
  if (roundId < before)
    ailments.set('backwards', `went back from round ${showRound(before)} to round ${showRound(roundId)}`);
  if (referenceRound && !holdsWithin(answer, '==', referenceRound.answer, maxDeviation)) {
    const percent = percentChange(referenceRound.answer, answer);
    const off = percent ? ` (${formatDecimal(percent)} %)` : '';
    ailments.set(
      'deviating',
      `answers ${formatDecimal(answer)} where the second feed answers ${formatDecimal(referenceRound.answer)}${off}`,
    );
  }
  return ailments;
}

/** Within its phase, which are the upper bits. */
function showRound(roundId: bigint): string {
  const phase = roundId >> 64n;
  const number = showNumber(roundId & (2n ** 64n - 1n));
  return phase === 0n ? number : `${number} (phase ${phase})`;
}
