import type { Field } from '../../query/lucene/mapping.ts';
import type { Predicate } from '../../query/lucene/predicate.ts';

/** A member of an alert that must have one of these values, lower-cased where it is folded, for a query to find the alert. */
export type Guard = { member: string; isFolded: boolean; values: readonly string[] };

/** Members with many different values first: these leave the fewest silences to try. */
const selective = [
  'uid',
  'txHash',
  'incidentUid',
  'eid',
  'detectorId',
  'triggerId',
  'actionId',
  'contractId',
  'walletId',
  'projectId',
  'tags',
  'detectorSchemaName',
  'chainUid',
];

/** The best guard that follows from a query; undefined if nothing is required of a single member. */
export function guardOf(predicate: Predicate): Guard | undefined {
  switch (predicate.type) {
    case 'terms':
      return predicate.field.type === 'keyword' ? guardOn(predicate.field, predicate.values) : undefined;
    case 'range': {
      const { field, min, max } = predicate;
      return min !== undefined && min === max ? guardOn(field, [String(min)]) : undefined;
    }
    case 'bool':
      return predicate.must.length > 0
        ? best(predicate.must.map(guardOf))
        : union(predicate.should.map(guardOf));
    case 'all':
    case 'none':
    case 'exists':
    case 'is':
    case 'phrase':
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'textRange':
    case 'decimalRange':
      return undefined;
  }
}

function guardOn({ path, isDynamic, glob, isFolded }: Field, values: readonly string[]): Guard | undefined {
  const [member, ...below] = path;
  if (member === undefined || below.length > 0 || isDynamic || glob !== undefined) return undefined;
  return { member, isFolded, values };
}

function best(guards: readonly (Guard | undefined)[]): Guard | undefined {
  const rank = ({ member }: Guard) => {
    const index = selective.indexOf(member);
    return index < 0 ? selective.length : index;
  };
  return guards
    .filter((guard) => guard !== undefined)
    .sort((left, right) => rank(left) - rank(right))
    .at(0);
}

function union(guards: readonly (Guard | undefined)[]): Guard | undefined {
  const [first] = guards;
  if (!first) return undefined;
  const isSame = guards.every(
    (guard) => guard && guard.member === first.member && guard.isFolded === first.isFolded,
  );
  return isSame ? { ...first, values: guards.flatMap((guard) => guard?.values ?? []) } : undefined;
}
