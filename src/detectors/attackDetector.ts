import { type Static, Type } from 'typebox';
import { severityByTrust, type Vouched } from '../evidence/evm/vouchedBy.ts';
import { badTags, showLabel, worstFirst } from '../evidence/labels.ts';
import { Condition, Configuration, FundingWindow, InnerCalls, LabelTags } from '../evidence/parameters.ts';
import { evaluateCondition, parseCondition } from '../lib/condition.ts';
import { parseDuration } from '../lib/duration.ts';
import { groupBy } from '../lib/groupBy.ts';
import type { Transaction } from '../model/block.ts';
import { defineDetector, type EvaluationContext, type Label } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  labelTags: LabelTags('Tags of labels that make an account or contract suspicious.', badTags),
  feeds: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    description: 'Sources of labels that count; all when there are none.',
    default: [],
    maxItems: 100,
    uniqueItems: true,
    examples: [['OFAC']],
  }),
  score: Condition('Labels count whose score fulfils this condition.', '> 0'),
  lookback: FundingWindow(
    'An account also counts that got its first money from a suspicious source within this time, at most 30 days; 0 switches this off.',
    '7 days',
  ),
  innerCalls: InnerCalls(),
});

type Config = Static<typeof config>;
type Suspect = { address: string; role: 'sender' | 'deployer' | 'called' | 'contract' | 'recipient' };
type Hit = { suspect: Suspect; reason: string; fields: Readonly<Record<string, unknown>>; trust: Vouched };

export const attackDetector = defineDetector<Config, never>({
  name: 'attack_detector',
  title: 'Attack detector',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  severity: 'HIGH',
  description:
    'A suspicious account or contract is involved with the contract: as sender, as deployer, as the contract called, as a contract that emits a log in the same transaction, or as one that suspicious money has funded.',
  faq: 'When is an address suspicious? When it has a label with one of the tags, or got its first money, straight or over up to three accounts, from such an address. Money is followed from labels of the platform tagged SANCTION, EXPLOIT, SCAM, MIXER or BRIDGE, not from a tenant’s own labels or other tags; labelTags says which of them count. Contracts that take part in a transaction without emitting a log are not seen. Anyone can call a contract with a bad label beside yours, so one that neither calls yours nor is called by it is LOW (MEDIUM where nothing is traced).',
  nextStep:
    'Open the transaction and see what it does to your contract. Pause the contract if it prepares or is an attack, and warn those who depend on it.',
  config,
  pending: true,
  fields: [
    'suspect',
    'role',
    'label',
    'tags',
    'score',
    'source',
    'fundedBy',
    'hops',
    'fundingTransaction',
    'suspects',
    'sender',
    'unverified',
  ],
  interests: ({ innerCalls }, { address }) => [{ on: 'touch', address, inner: innerCalls }],
  evaluate(observation, context) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const hits = hitsOf(transaction, block.timestamp, context);
    const [worst] = hits;
    if (!worst) return {};
    const addresses = [...new Set(hits.map(({ suspect }) => suspect.address))];
    const more = addresses.length > 1 ? ` So are ${addresses.length - 1} more.` : '';
    return {
      detections: [
        {
          severity: severityByTrust('HIGH', worst.trust),
          message: `${roleWords[worst.suspect.role]} ${worst.suspect.address} of a transaction that touches ${context.contract.name} is suspicious: ${worst.reason}.${beside[worst.trust]}${more}`,
          fields: {
            suspect: worst.suspect.address,
            role: worst.suspect.role,
            ...worst.fields,
            suspects: addresses.slice(0, maxShown),
            sender: transaction.from,
            unverified: worst.trust === 'known' ? undefined : true,
          },
        },
      ],
    };
  },
});

const roleWords: Record<Suspect['role'], string> = {
  sender: 'The sender',
  deployer: 'The deployer',
  called: 'The called contract',
  contract: 'The contract',
  recipient: 'The recipient',
};
const maxShown = 20;

/** Anyone can call a contract with a bad label beside yours. */
const beside: Record<Vouched, string> = {
  known: '',
  claimed: ' It neither calls it nor is called by it: both only take part in the same transaction.',
  untraced: ' Without traces it is not known whether the two have to do with each other.',
};

function hitsOf(transaction: Transaction, time: number, context: EvaluationContext<Config, never>): Hit[] {
  const { config: options, contract, read } = context;
  const suspects = suspectsOf(transaction, contract.address);
  const lookbackMs = parseDuration(options.lookback);
  const callers = lookbackMs > 0 ? suspects.filter(({ role }) => role !== 'contract') : [];
  const [known, origins] = read.all([
    () =>
      read.all(
        suspects.map(
          ({ address }) =>
            () =>
              read.labels(address),
        ),
      ),
    () =>
      read.all(
        callers.map(
          ({ address }) =>
            () =>
              read.funding(address),
        ),
      ),
  ]);
  const direct = worstFirst(suspects, known, (label) => isBad(label, options)).map(({ party, label }) => ({
    suspect: party,
    trust: party.role === 'contract' ? linkOf(context, transaction, party.address) : ('known' as const),
    reason: showLabel(label),
    fields: { label: label.name, tags: label.tags, score: label.score, source: label.source },
  }));
  const funded = callers.flatMap((suspect, index) => {
    const origin = origins[index];
    if (!origin || time - origin.timestamp > lookbackMs) return [];
    if (!origin.tags.some((tag) => options.labelTags.includes(tag))) return [];
    const reason = `its first money came from ${origin.source} (${origin.tags.join(', ')})`;
    const fields = {
      fundedBy: origin.source,
      tags: origin.tags,
      hops: origin.hops,
      fundingTransaction: origin.transactionHash,
    };
    return [{ suspect, reason, fields, trust: 'known' as const }];
  });
  return [...direct, ...funded].sort((a, b) => rank[a.trust] - rank[b.trust]);
}

const rank: Record<Vouched, number> = { known: 0, untraced: 1, claimed: 2 };

/** Looks for a way of calls from one to the other, or an event of the watched contract that names the suspect. */
function linkOf(
  { contract: { address: watched }, read }: EvaluationContext<Config, never>,
  { hash, from, to, logs }: Transaction,
  suspect: string,
): Vouched {
  if (logs.some(({ address, parties }) => address === watched && parties.includes(suspect))) return 'known';
  const calls = read.degradable(() => read.trace(hash));
  if (!calls) return 'untraced';
  const called = groupBy([...(to === null ? [] : [{ from, to }]), ...calls], (call) => call.from);
  const reaches = (start: string, end: string) => {
    const reached = new Set([start]);
    for (const address of reached)
      for (const call of called.get(address) ?? []) {
        if (call.to === end) return true;
        reached.add(call.to);
      }
    return false;
  };
  return reaches(suspect, watched) || reaches(watched, suspect) ? 'known' : 'claimed';
}

/** Bounded, because a transaction can have as many contracts as its gas allows. */
const maxSuspects = 1000;

function suspectsOf({ from, to, logs, parties }: Transaction, watched: string): Suspect[] {
  const suspects = new Map<string, Suspect>();
  const add = (address: string, role: Suspect['role']) => {
    if (address !== watched && !suspects.has(address) && suspects.size < maxSuspects)
      suspects.set(address, { address, role });
  };
  if (parties) {
    for (const sender of parties.senders) add(sender, 'sender');
    if (parties.senders.has(watched)) for (const recipient of parties.recipients) add(recipient, 'recipient');
    return [...suspects.values()];
  }
  add(from, to === null ? 'deployer' : 'sender');
  if (to !== null) add(to, 'called');
  for (const { address } of logs) add(address, 'contract');
  return [...suspects.values()];
}

function isBad({ tags, score, source }: Label, options: Config): boolean {
  if (!tags.some((tag) => options.labelTags.includes(tag))) return false;
  if (options.feeds.length > 0 && (source === null || !options.feeds.includes(source))) return false;
  return evaluateCondition(parseCondition(options.score), { value: score }).holds;
}
