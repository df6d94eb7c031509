import type { Field, FieldType } from './mapping.ts';
import { none, type Predicate } from './predicate.ts';

/**
 * A value searched in several fields, at least one of which must have it. Resolved once for all fields of a kind.
 * Undefined if it applies to none of them.
 */
export function resolveEach(
  fields: readonly Field[],
  resolveField: (field: Field) => Predicate | undefined,
): Predicate | undefined {
  const firsts: (Predicate | null)[] = [];
  const should: Predicate[] = [];
  let isApplicable = fields.length === 0;
  for (const field of fields) {
    const kind = kindOf(field);
    const first = firsts[kind];
    const predicate =
      first === undefined ? resolveField(field) : first && inField(first, field, resolveField);
    if (first === undefined) firsts[kind] = predicate ?? null;
    if (!predicate) continue;
    isApplicable = true;
    if (predicate.type !== 'none') should.push(predicate);
  }
  if (!isApplicable) return undefined;
  if (should.length <= 1) return should[0] ?? none;
  return { type: 'bool', must: [], should, mustNot: [] };
}

function inField(
  first: Predicate,
  field: Field,
  resolveField: (field: Field) => Predicate | undefined,
): Predicate | undefined {
  // Written out because it is by far the most frequent.
  if (first.type === 'terms' && !first.isNumber) return { type: 'terms', field, values: first.values };
  if (first.type === 'none' || first.type === 'all') return first;
  return first.type === 'bool' ? resolveField(field) : { ...first, field };
}

const types: { readonly [type in FieldType]: number } = {
  keyword: 0,
  text: 1,
  long: 2,
  double: 3,
  boolean: 4,
  date: 5,
  object: 6,
};

function kindOf({ type, isFolded, isDynamic }: Field): number {
  return 4 * types[type] + (isFolded ? 2 : 0) + (isDynamic ? 1 : 0);
}
