import type { Field } from '../../query/lucene/mapping.ts';
import type { Predicate } from '../../query/lucene/predicate.ts';

/** A field of which an alert must have one of these values or words for a query to find it. */
export type Guard = { field: Field; values: readonly string[] };

/** Fields with many different values first: these leave the fewest silences to try. */
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
  'name',
  'message',
  'detectorSchemaName',
  'chainUid',
];

/** The best guard that follows from a query; undefined if nothing is required of a single field. */
export function guardOf(predicate: Predicate): Guard | undefined {
  switch (predicate.type) {
    case 'terms':
      return guardOn(predicate.field, predicate.values);
    case 'phrase':
      return guardOn(predicate.field, predicate.words.slice(0, 1));
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
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'textRange':
    case 'decimalRange':
      return undefined;
  }
}

/** Members of `meta` may be large and have any type, so that they guard nothing. */
function guardOn(field: Field, values: readonly string[]): Guard | undefined {
  const isPlain = field.path.length === 1 && !field.isDynamic && field.glob === undefined;
  return isPlain && values.length > 0 ? { field, values } : undefined;
}

function best(guards: readonly (Guard | undefined)[]): Guard | undefined {
  const rank = ({ field }: Guard) => {
    const index = selective.indexOf(field.path[0] ?? '');
    return index < 0 ? selective.length : index;
  };
  return guards
    .filter((guard) => guard !== undefined)
    .sort((left, right) => rank(left) - rank(right))
    .at(0);
}

function union(guards: readonly (Guard | undefined)[]): Guard | undefined {
  const [first] = guards;
  if (!first || !guards.every((guard) => guard?.field === first.field)) return undefined;
  return { ...first, values: guards.flatMap((guard) => guard?.values ?? []) };
}
