import type { Static } from 'typebox';
import { Configuration, Duration, LabelTags, Whole } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  hops: Whole('Over how many accounts the money may have come; 1 is straight from the source.', 1, 1, 5),
  window: Duration('Only money that arrived within this time counts.', '7 days'),
  sources: LabelTags('Tags of the sources that count.', ['MIXER', 'BRIDGE']),
});

/** Callers that were told, the newest last, so that each is told once. */
type State = { told: string[] };

export const mixerFunding = defineDetector<Static<typeof config>, State>({
  name: 'mixer_funding',
  title: 'Mixer funding',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'MEDIUM',
  description:
    'Somebody whose first money came from a mixer or a bridge a short while ago uses the contract: the usual way to prepare an attack. Each caller is told once.',
  faq: 'How does it know a mixer? By the labels of addresses: those tagged MIXER or BRIDGE, or whatever tags are given as sources.',
  config,
  fields: ['caller', 'fundedBy', 'tags', 'hops', 'fundedAt', 'ageMinutes', 'fundingTransaction'],
  interests: (_config, { address }) => [{ on: 'touch', address }],
  evaluate(observation, { config: { hops, window, sources }, contract, state, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const caller = transaction.from;
    if (caller === contract.address || state?.told.includes(caller)) return {};
    const funding = read.funding(caller);
    if (!funding || funding.hops > hops) return {};
    const ageMs = block.timestamp - funding.timestamp;
    if (ageMs > parseDuration(window) || !funding.tags.some((tag) => sources.includes(tag))) return {};
    const told = [...(state?.told ?? []), caller];
    const path = funding.hops === 1 ? 'straight' : `over ${funding.hops} accounts`;
    return {
      state: { told: told.slice(-mostRemembered) },
      found: [
        {
          message: `${caller}, which uses ${contract.name}, got its first money ${path} from ${funding.source} (${funding.tags.join(', ')}) ${Math.max(0, Math.round(ageMs / 60_000))} minutes before.`,
          fields: {
            caller,
            fundedBy: funding.source,
            tags: funding.tags,
            hops: funding.hops,
            fundedAt: new Date(funding.timestamp).toISOString(),
            ageMinutes: Math.round(ageMs / 60_000),
            fundingTransaction: funding.transactionHash,
          },
        },
      ],
    };
  },
});

const mostRemembered = 200;
