import type { Static } from 'typebox';
import { Configuration, Duration, Whole } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import { type ChainFacts, defineDetector } from '../model/detection.ts';
import { familyNames } from '../model/family.ts';

const config = Configuration({
  factor: Whole('How many times the usual block time may pass without a new block.', 5, 2, 10_000),
  atLeast: Duration('Less than this is never a halt, however short the block time is.', '1 min'),
});

type Config = Static<typeof config>;
/** The block after which nothing came; null while blocks come. */
type State = { haltedAfter: number | null };

export const chainHalt = defineDetector<Config, State>({
  name: 'chain_halt',
  title: 'Chain halt',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: familyNames,
  severity: 'HIGH',
  description:
    'No new block has come for several times the usual block time: the chain stands still, or the nodes that Vigil asks do. An INFO alert follows when blocks come again.',
  faq: 'Is it the chain or my node? Vigil knows only what its endpoints answer: compare several of them under GET /chain.',
  nextStep:
    'Check the status page of the chain and a node of another provider, and hold what depends on its state.',
  config,
  fields: ['newestBlock', 'newestAt', 'silentSeconds', 'blockTimeSeconds'],
  interests: (options, _contract, chain) => [
    // Looking four times within the limit finds a halt soon after it is one.
    {
      on: 'clock',
      schedule: { type: 'every', ms: Math.max(1_000, Math.floor(limitMs(options, chain) / 4)) },
    },
  ],
  evaluate(observation, { config: options, chain, state }) {
    if (observation.type !== 'clock' || !observation.newest) return {};
    const { at, newest } = observation;
    const silentMs = at - newest.timestamp;
    const isHalted = silentMs > limitMs(options, chain);
    const haltedAfter = state?.haltedAfter ?? null;
    const fields = {
      newestBlock: newest.number,
      newestAt: new Date(newest.timestamp).toISOString(),
      silentSeconds: Math.round(silentMs / 1000),
      blockTimeSeconds: chain.blockTimeMs / 1000,
    };
    if (isHalted && haltedAfter !== newest.number) {
      const message = `The chain ${chain.uid} has had no new block for ${fields.silentSeconds} seconds; the last one is ${newest.number}.`;
      return { state: { haltedAfter: newest.number }, detections: [{ message, fields }] };
    }
    if (isHalted || haltedAfter === null) return {};
    const message = `The chain ${chain.uid} has new blocks again: after block ${haltedAfter} it is now at ${newest.number}.`;
    return { state: { haltedAfter: null }, detections: [{ severity: 'INFO', message, fields }] };
  },
});

function limitMs({ factor, atLeast }: Config, { blockTimeMs }: ChainFacts): number {
  return Math.max(factor * blockTimeMs, parseDuration(atLeast));
}
