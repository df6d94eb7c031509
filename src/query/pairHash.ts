import { beginningTerm } from './beginningTerm.ts';
import { createTermHash } from './termHash.ts';
import { isOrdinary } from './wordEntry.ts';

/**
 * An entry of its own in the index of terms for every address, transaction, id and number, which hardly two alerts share, would take
 * more room than everything else in it. An alert has two coarse hashes for such a term instead, each of which it shares with many; what
 * has both is a candidate. One number, beyond all hashes, stands for the pair. Stored, so it may never change. Undefined for other terms.
 */
export function pairHash(tenantId: number, field: string, term: string): number | undefined {
  return createPairHash(tenantId, field)?.(term);
}

/** The same for many terms of one field; undefined for a field that has none of these. */
export function createPairHash(
  tenantId: number,
  field: string,
): ((term: string) => number | undefined) | undefined {
  if (!uniqueFields.has(field) && !field.startsWith('meta.')) return undefined;
  const hash = createTermHash(tenantId, field);
  return (term) => {
    const isBeginning = term.startsWith('0x ');
    if (!isBeginning && (isOrdinary(term) || sharedNumbers.test(term))) return undefined;
    const second = hash(term);
    // What begins alike shares the first hash, so that a value and its beginning have three hashes and not four.
    const beginning = isBeginning ? undefined : beginningTerm(term);
    const first = beginning === undefined ? second : hash(beginning);
    return pairs + (first >>> 18) * buckets + ((second >>> 4) % buckets);
  };
}

/**
 * So many for each half: few enough that each is in many alerts, enough that hardly an alert has both by chance. PostgreSQL logs
 * a short list whole when an alert is added, so that fewer would cost more log than they save in the index.
 */
const buckets = 2 ** 14;
const pairs = 2 ** 32;

/** Not the ids of records, which many alerts share, nor tags, whose hashes are taken away with them. */
const uniqueFields = new Set([
  'name',
  'message',
  'walletName',
  'meta',
  'eid',
  'txHash',
  'blockHash',
  'walletAddress',
  'incidentUid',
]);

/** The wider buckets of numbers. */
const sharedNumbers = /^n(?:16|22)? /;

/** The two hashes that an alert has for a pair. */
export const firstHalf = (pair: number) => Math.floor((pair - pairs) / buckets);
export const secondHalf = (pair: number) => buckets + (pair % buckets);

/** Lists of hashes, of each of which an alert with one of these hashes or pairs has one. */
export function splitPairs(hashes: readonly number[]): number[][] {
  if (hashes.every((hash) => hash < pairs)) return [[...hashes]];
  return [firstHalf, secondHalf].map((half) => [
    ...new Set(hashes.map((hash) => (hash < pairs ? hash : half(hash)))),
  ]);
}
