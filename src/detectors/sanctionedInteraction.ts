import { type Static, Type } from 'typebox';
import { describeHits, partiesOf, partyFields } from '../evidence/evm/parties.ts';
import { findLabelHits, showLabel } from '../evidence/labels.ts';

import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  listVersion: Type.Optional(
    Type.String({
      description: 'Only labels of this source count, such as one edition of a list; all when left out.',
      minLength: 1,
      maxLength: 200,
      examples: ['OFAC 2026-11-01'],
    }),
  ),
  innerCalls: InnerCalls(),
});

export const sanctionedInteraction = defineDetector<Static<typeof config>, never>({
  name: 'sanctioned_interaction',
  title: 'Sanctioned interaction',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  recommendedFor: {
    ACCOUNT: () => ({ reason: 'Payments from or to sanctioned addresses.' }),
  },
  severity: 'CRITICAL',
  description:
    'An address on a sanctions list sends to the contract, receives from it, or sends or receives its token.',
  faq: 'Where does the list come from? From labels tagged SANCTION: import the list you are bound by and name its edition as their source. Any token can report any payer: a transfer of a token without a price counts when it is the watched one, or when who pays has called it; otherwise it is LOW.',
  nextStep:
    'Tell your compliance team at once, freeze what came from the address as far as you can, and send nothing back.',
  config,
  pending: true,
  fields: ['address', 'label', 'list', ...partyFields],
  interests: ({ innerCalls }, { address }) => [{ on: 'touch', address, inner: innerCalls }],
  evaluate(observation, { config: { listVersion }, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const hits = findLabelHits(
      read,
      partiesOf(transaction, contract.address),
      ({ tags, source }) =>
        tags.includes('SANCTION') && (listVersion === undefined || source === listVersion),
    );
    return {
      detections: describeHits(hits, transaction, contract.address, read, chain).map(
        ({ party, label, activity, fields, isClaimed }) => {
          return {
            part: party.address,
            ...(isClaimed && { severity: 'LOW' as const }),
            message: `The sanctioned address ${party.address}, known as ${showLabel(label)}, ${activity}; ${contract.name} is involved.`,
            fields: { address: party.address, label: label.name, list: label.source, ...fields },
          };
        },
      ),
    };
  },
});
