import { type Static, Type } from 'typebox';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { describeHits, type Party, partiesOf, partyFields } from '../evidence/evm/parties.ts';
import { severityByTrust } from '../evidence/evm/vouchedBy.ts';
import { customLabels, findLabelHits, severityByScore, showLabel, worstFirst } from '../evidence/labels.ts';

import {
  Addresses,
  Choice,
  Condition,
  Configuration,
  Flag,
  InnerCalls,
  LabelTags,
} from '../evidence/parameters.ts';
import { evaluateCondition, parseCondition } from '../lib/condition.ts';
import { defineDetector, type Label } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  source: Choice(
    'Where to look addresses up: ext in the labels of the platform and of the tenant, custom in `addresses` and `csv`.',
    ['ext', 'custom'],
    'ext',
  ),
  addresses: Addresses('With source custom: addresses that count, each with a score of 100.'),
  csv: Type.String({
    description:
      'With source custom: one address a line, followed by score, tags parted by `;` and name as far as known.',
    format: evmFormat.addressCsv,
    default: '',
    maxLength: 1_000_000,
    examples: ['0x8589427373d6d84e98730d7795d8f6f8731fda16,90,MIXER;SANCTION,Mixer router'],
  }),
  labelTags: LabelTags('Only labels with one of these tags count; any when there are none.', []),
  condition: Condition('Labels count whose score fulfils this condition.', '> 0'),
  trackFrom: Flag('Whether senders of transactions count.', true),
  trackTo: Flag('Whether recipients of transactions count.', true),
  trackToken: Flag('Whether senders and recipients of tokens count.', true),
  innerCalls: InnerCalls(),
});

type Config = Static<typeof config>;

export const aml = defineDetector<Config, never>({
  name: 'aml',
  title: 'Anti money laundering',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  severity: 'AUTO',
  description:
    'An address with a bad label sends to the contract, receives from it, or sends or receives its token. The severity follows the score: from 90 CRITICAL, 70 HIGH, 50 MEDIUM, 30 LOW, otherwise INFO.',
  faq: 'Can I use a list of my own? Yes: import it as labels, or set source to custom and give addresses or csv. Any token can report any payer: a transfer of a token without a price counts when it is the watched one, or when who pays has called it; otherwise it is LOW at most.',
  nextStep:
    'Tell your compliance team with the transaction and the label, and send nothing back to the address before it has decided.',
  config,
  fields: ['address', 'label', 'tags', 'score', 'source', ...partyFields],
  interests: ({ innerCalls }, { address }) => [{ on: 'touch', address, inner: innerCalls }],
  evaluate(observation, { config: options, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const parties = partiesOf(transaction, contract.address).filter((party) => isTracked(party, options));
    const condition = parseCondition(options.condition);
    const counts = ({ tags, score }: Label) =>
      (options.labelTags.length === 0 || tags.some((tag) => options.labelTags.includes(tag))) &&
      evaluateCondition(condition, { value: score }).holds;
    const customList = options.source === 'custom' ? customLabels(options) : undefined;
    const hits = customList
      ? worstFirst(
          parties,
          parties.map(({ address }) => customList.get(address) ?? []),
          counts,
        )
      : findLabelHits(read, parties, counts);
    return {
      detections: describeHits(hits, transaction, contract.address, read, chain).map(
        ({ party, label, activity, fields, isClaimed }) => {
          return {
            part: party.address,
            severity: isClaimed
              ? severityByTrust(severityByScore(label.score), 'claimed')
              : severityByScore(label.score),
            message: `${party.address}, known as ${showLabel(label)}, ${activity}; ${contract.name} is involved.`,
            fields: {
              address: party.address,
              label: label.name,
              tags: label.tags,
              score: label.score,
              source: label.source,
              ...fields,
            },
          };
        },
      ),
    };
  },
});

function isTracked({ role }: Party, { trackFrom, trackTo, trackToken }: Config): boolean {
  if (role === 'sender') return trackFrom;
  return role === 'recipient' ? trackTo : trackToken;
}
