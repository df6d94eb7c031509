import { createPairHash, firstHalf, secondHalf } from '../../query/pairHash.ts';
import { createTermHash } from '../../query/termHash.ts';

/** An alert with more unique terms would have most of the hashes that others have in pairs, and be a candidate of their searches. */
const maxPairs = 64;

type TermSet = {
  /** Adds terms of a field. */
  addTo(field: string): (term: string) => void;
  /** The hashes of all terms. */
  hashes(): Set<number>;
};

/** Collects the terms of an alert. */
export function createTermSet(tenantId: number): TermSet {
  const terms = new Set<number>();
  const pairs = new Map<number, number>();
  return {
    addTo: (field) => {
      const hash = createTermHash(tenantId, field);
      const pairOf = createPairHash(tenantId, field);
      return (term) => {
        const pair = pairOf?.(term);
        if (pair === undefined) terms.add(hash(term));
        else pairs.set(hash(term), pair);
      };
    },
    hashes: () => {
      const isLarge = pairs.size > maxPairs;
      for (const [hash, pair] of pairs) {
        if (isLarge) terms.add(hash);
        else terms.add(firstHalf(pair)).add(secondHalf(pair));
      }
      return terms;
    },
  };
}
