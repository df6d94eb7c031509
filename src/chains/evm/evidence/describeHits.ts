import type { LabelHit } from '../../../evidence/labelHits.ts';
import type { Transaction } from '../../../model/block.ts';
import type { ChainFacts, Reader } from '../../../model/detection.ts';
import { describeParty } from './describeParty.ts';
import type { Party } from './partiesOf.ts';

/** The worst of one transaction; an airdrop to thousands must not become thousands of alerts. */
const mostFindings = 20;

/** What each of them did, asked for all at once. */
export function describeHits(
  hits: readonly LabelHit<Party>[],
  transaction: Transaction,
  read: Reader,
  chain: ChainFacts,
) {
  const told = hits.slice(0, mostFindings);
  const deeds = read.all(
    told.map(
      ({ party }) =>
        () =>
          describeParty(party, transaction, read, chain),
    ),
  );
  return told.map((hit, place) => ({ ...hit, ...deeds[place]! }));
}
