import { decimalKey } from '../../query/decimalKey.ts';
import type { Field } from '../../query/lucene/mapping.ts';
import type { Predicate } from '../../query/lucene/predicate.ts';

/** A field of which an alert may have one of these values. `kind`: how the matchers read the field. */
export type GuardedField = {
  field: Field;
  kind: 'words' | 'texts' | 'numbers' | 'decimals' | 'booleans';
  values: readonly string[];
};

/** An alert must have a value of one of these fields for a query to find it. */
export type Guard = readonly [GuardedField, ...GuardedField[]];

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
  'meta',
  'tags',
  'name',
  'message',
  'detectorSchemaName',
  'chainUid',
];

/** The best guard that follows from a query; undefined if the query requires no certain value. */
export function guardOf(predicate: Predicate): Guard | undefined {
  switch (predicate.type) {
    case 'terms': {
      const { field, values } = predicate;
      return guardOn(field, field.type === 'text' ? 'words' : 'texts', values);
    }
    case 'phrase':
      return guardOn(predicate.field, 'words', predicate.words.slice(0, 1));
    case 'range': {
      const { field, min, max } = predicate;
      return min !== undefined && min === max ? guardOn(field, 'numbers', [String(min)]) : undefined;
    }
    case 'decimalRange': {
      const { field, lower, upper } = predicate;
      const isOne = lower !== undefined && lower.number === upper?.number;
      return isOne ? guardOn(field, 'decimals', [decimalKey(lower.number)]) : undefined;
    }
    case 'is':
      return guardOn(predicate.field, 'booleans', [String(predicate.value)]);
    case 'bool':
      return predicate.must.length > 0
        ? best(predicate.must.map(guardOf))
        : union(predicate.should.map(guardOf));
    case 'all':
    case 'none':
    case 'exists':
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'textRange':
      return undefined;
  }
}

function guardOn(field: Field, kind: GuardedField['kind'], values: readonly string[]): Guard | undefined {
  return values.length > 0 ? [{ field, kind, values }] : undefined;
}

function best(guards: readonly (Guard | undefined)[]): Guard | undefined {
  return guards
    .filter((guard) => guard !== undefined)
    .sort((left, right) => rankOf(left) - rankOf(right))
    .at(0);
}

/** The rank of the field that leaves the most to try. */
function rankOf(guard: Guard): number {
  return Math.max(
    ...guard.map(({ field, kind }) => {
      const index = selective.indexOf(field.path[0] ?? '');
      return index < 0 || kind === 'booleans' ? selective.length : index;
    }),
  );
}

function union(guards: readonly (Guard | undefined)[]): Guard | undefined {
  const fields: GuardedField[] = [];
  for (const guard of guards) {
    if (!guard) return undefined;
    fields.push(...guard);
  }
  const [first, ...others] = fields;
  return first && [first, ...others];
}
