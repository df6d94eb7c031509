import type { Static } from 'typebox';
import { Configuration, Whole } from '../evidence/parameters.ts';
import type { Severity } from '../model/alert.ts';
import { defineDetector } from '../model/detection.ts';
import { familyNames } from '../model/family.ts';

const config = Configuration({
  minDepth: Whole('How many blocks must have been dropped for an alert.', 1, 1, 10_000),
});

export const blockReorg = defineDetector<Static<typeof config>, never>({
  name: 'block_reorg',
  title: 'Block reorganisation',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: familyNames,
  severity: 'AUTO',
  description:
    'The chain drops blocks and goes on from an older one. The severity follows the number of dropped blocks: 1 LOW, from 2 MEDIUM, from 6 HIGH, from 32 CRITICAL.',
  faq: 'What happens to alerts of dropped blocks? They are retracted by themselves, whether this detector is used or not.',
  nextStep:
    'Wait for more confirmations before you credit payments, and check that those of the dropped blocks were made again.',
  config,
  fields: ['depth', 'firstBlock', 'lastBlock', 'dropped', 'added'],
  interests: () => [{ on: 'reorg' }],
  evaluate(observation, { config: { minDepth }, chain }) {
    if (observation.type !== 'reorg') return {};
    const dropped = [...observation.dropped].sort((a, b) => a.number - b.number);
    const added = [...observation.added].sort((a, b) => a.number - b.number);
    const [first] = dropped;
    const depth = dropped.length;
    if (!first || depth < minDepth) return {};
    const last = dropped.at(-1)!;
    const which =
      depth === 1 ? `block ${first.number}` : `the ${depth} blocks ${first.number} to ${last.number}`;
    return {
      detections: [
        {
          part: last.hash,
          severity: severityByDepth(depth),
          message: `The chain ${chain.uid} dropped ${which} and went on with ${added.length === 1 ? 'another' : `${added.length} others`}.`,
          fields: {
            depth,
            firstBlock: first.number,
            lastBlock: last.number,
            dropped: dropped.slice(-maxShown).map(({ hash }) => hash),
            added: added.slice(-maxShown).map(({ hash }) => hash),
          },
        },
      ],
    };
  },
});

const maxShown = 64;

function severityByDepth(depth: number): Severity {
  if (depth >= 32) return 'CRITICAL';
  if (depth >= 6) return 'HIGH';
  return depth >= 2 ? 'MEDIUM' : 'LOW';
}
