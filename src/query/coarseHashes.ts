import { beginningTerm } from './beginningTerm.ts';
import { createTermHash } from './termHash.ts';

type Hashes = (term: string) => readonly number[];

/**
 * The hashes of a term; an alert with the term has all. Most terms have one of 32 bits, nearly unique values two or
 * three of 15. Stored, so it must not change.
 */
export function createCoarseHashes(tenantId: number, field: string): Hashes {
  const hash = createTermHash(tenantId, field);
  const found = cache.get(hash);
  if (found) return found;
  const hashes = makeCoarseHashes(hash, field);
  cache.set(hash, hashes);
  return hashes;
}

/**
 * The same terms as one hash of 32 bits each, for alerts whose many values would make coarse hashes match most
 * searches. Searches by coarse hashes include this one.
 */
export function createExactHashes(tenantId: number, field: string): Hashes {
  const hash = createTermHash(tenantId, field);
  if (singleFields.has(field)) return (term) => [hash(term)];
  return (term) => {
    const beginning = term.startsWith(beginningMark) ? undefined : beginningTerm(term);
    return beginning === undefined ? [hash(term)] : [hash(term), hash(beginning)];
  };
}

/** True if a hash has 15 bits; hardly any of 32 bits looks so. */
export function isCoarse(hash: number): boolean {
  return hash >= 0 && hash <= coarseBits;
}

/** Those in use, for as long as the single hashes are kept. */
const cache = new WeakMap<(term: string) => number, Hashes>();

function makeCoarseHashes(hash: (term: string) => number, field: string): Hashes {
  if (singleFields.has(field)) return (term) => [hash(term)];
  return (term) => {
    const first = hash(term);
    const beginning = term.startsWith(beginningMark) ? undefined : beginningTerm(term);
    if (beginning !== undefined) {
      const second = hash(beginning);
      return [lower(first), lower(second), upper(second)];
    }
    return isUnique(field, term) ? [lower(first), upper(first)] : [first];
  };
}

/** The hash of a tag goes with it, so that no other value of the alert may share it; alerts of one incident share its uid. */
const singleFields: ReadonlySet<string> = new Set(['tags', 'incidentUid']);
/** With what terms of beginnings start. */
const beginningMark = '0x ';
/** With what terms of numbers in any member start. */
const numberMark = 'n32 ';
/** Ids, and the addresses and hashes of chains that do not begin them with 0x. */
const minUniqueLength = 32;

function isUnique(field: string, term: string): boolean {
  return (
    field === 'eid' ||
    term.length >= minUniqueLength ||
    term.startsWith(beginningMark) ||
    term.startsWith(numberMark)
  );
}

const coarseBits = 0x7fff;

function lower(hash: number): number {
  return hash & coarseBits;
}

function upper(hash: number): number {
  return (hash >>> 16) & coarseBits;
}
