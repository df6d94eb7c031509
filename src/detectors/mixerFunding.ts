import { type Static, Type } from 'typebox';
import { Configuration, FundingWindow, InnerCalls, Whole } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { followedFunding } from '../model/followedFunding.ts';

type Tag = (typeof followedFunding.tags)[number];

const config = Configuration({
  hops: Whole(
    'Over how many accounts the money may have come; 1 is straight from the source.',
    1,
    1,
    followedFunding.maxHops,
  ),
  window: FundingWindow('Only money that arrived within this time counts, at most 30 days.', '7 days'),
  sources: Type.Array(Type.Unsafe<Tag>({ type: 'string', enum: [...followedFunding.tags] }), {
    description: 'Tags of the sources that count.',
    default: ['MIXER', 'BRIDGE'],
    uniqueItems: true,
  }),
  innerCalls: InnerCalls(),
});

/** Callers that were reported, the newest last, so that each is reported once. */
type State = { told: string[] };

export const mixerFunding = defineDetector<Static<typeof config>, State>({
  name: 'mixer_funding',
  title: 'Mixer funding',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'bitcoin', 'icp'],
  recommendedFor: {
    CONTRACT: () => ({
      reason: 'A caller whose first money came from a mixer is the usual preparation of an attack.',
    }),
  },
  severity: 'MEDIUM',
  description:
    'An account whose first money came from a mixer or a bridge a short while ago uses the contract: the usual way to prepare an attack. Each caller is reported once.',
  faq: 'How does it know a mixer? By the platform’s labels of addresses. Money is followed from those tagged MIXER, BRIDGE, SANCTION, EXPLOIT or SCAM, for 30 days and over up to three accounts; sources says which of them count. A tenant’s own labels are not followed, because what they bring would show in the alerts of others. What does it not see? Coins that a source pays without an event are known from traces alone: of every transaction where a detector of the chain reads traces anyway, else of those that call a mixer or in which it reports something, at most 32 of a block. Not seen are coins that a bridge pays without an event, or a mixer that another contract calls and that reports nothing, where no detector reads traces; any of them where nodes do not trace; and what the recipient does before the trace is read, mostly within the next block.',
  nextStep:
    'Watch the next transactions of the caller closely, and be ready to pause: attackers pay for their preparations this way.',
  config,
  pending: true,
  fields: ['caller', 'fundedBy', 'tags', 'hops', 'fundedAt', 'ageMinutes', 'fundingTransaction'],
  interests: ({ innerCalls }, { address }) => [{ on: 'touch', address, inner: innerCalls }],
  evaluate(observation, { config: { hops, window, sources }, contract, state, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const caller = transaction.from;
    if (caller === contract.address || state?.told.includes(caller)) return {};
    const funding = read.funding(caller);
    if (!funding || funding.hops > hops) return {};
    const ageMs = block.timestamp - funding.timestamp;
    if (ageMs > parseDuration(window) || !sources.some((tag) => funding.tags.includes(tag))) return {};
    const told = [...(state?.told ?? []), caller];
    const path = funding.hops === 1 ? 'straight' : `over ${funding.hops} accounts`;
    return {
      state: { told: told.slice(-maxReported) },
      detections: [
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

const maxReported = 200;
