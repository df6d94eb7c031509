import type { Field } from './mapping.ts';
import { none, type Predicate } from './predicate.ts';

/**
 * Simplifies a query to one form: opens groups without effect, drops repeated clauses, and joins all words for a field
 * into one test.
 */
export function simplify(predicate: Predicate): Predicate {
  if (predicate.type !== 'bool') return predicate;
  const must = new Set<Predicate>();
  const excluded: Predicate[] = [];
  for (const clause of predicate.mustNot) addAlternatives(clause, excluded);
  for (const clause of new Set(predicate.must)) addRequired(simplify(clause), must, excluded);
  const mustNot = joinTerms(excluded);
  // Beside something required, what is optional only matters where results are ranked.
  if (predicate.must.length > 0 || predicate.should.length === 0) return boolOf([...must], mustNot);
  const alternatives: Predicate[] = [];
  for (const clause of predicate.should) addAlternatives(clause, alternatives);
  const should = joinTerms(alternatives);
  if (mustNot.length === 0 && should.length <= 1) return should[0] ?? none;
  return { type: 'bool', must: [], should: should.length === 0 ? [none] : should, mustNot };
}

function boolOf(must: readonly Predicate[], mustNot: readonly Predicate[]): Predicate {
  const [first] = must;
  if (mustNot.length > 0 || must.length > 1) return { type: 'bool', must, should: [], mustNot };
  return first ?? { type: 'all' };
}

/** A group of what is required and excluded is as good as its clauses. */
function addRequired(predicate: Predicate, must: Set<Predicate>, mustNot: Predicate[]): void {
  if (predicate.type === 'all') return;
  if (predicate.type !== 'bool' || predicate.should.length > 0) {
    must.add(predicate);
    return;
  }
  for (const clause of predicate.must) must.add(clause);
  mustNot.push(...predicate.mustNot);
}

/** Choices within choices become one list before anything is joined, so that a thousand words are sorted once. */
function addAlternatives(predicate: Predicate, into: Predicate[]): void {
  if (predicate.type === 'none') return;
  if (predicate.type !== 'bool') into.push(predicate);
  else if (predicate.must.length + predicate.mustNot.length === 0)
    for (const clause of predicate.should) addAlternatives(clause, into);
  else into.push(simplify(predicate));
}

type Terms = Extract<Predicate, { type: 'terms' }>;

function joinTerms(alternatives: readonly Predicate[]): Predicate[] {
  const words = new Map<Field, Set<string>>();
  const numbers = new Map<Field, Set<string>>();
  const rest = new Set<Predicate>();
  for (const predicate of alternatives) {
    if (predicate.type !== 'terms') {
      rest.add(predicate);
      continue;
    }
    const values = predicate.isNumber ? numbers : words;
    const fieldValues = values.get(predicate.field);
    if (fieldValues === undefined) values.set(predicate.field, new Set(predicate.values));
    else for (const value of predicate.values) fieldValues.add(value);
  }
  const terms = ([field, values]: [Field, Set<string>]): Terms => ({
    type: 'terms',
    field,
    values: [...values],
  });
  return [
    ...Array.from(words, terms),
    ...Array.from(numbers, (entry): Terms => ({ ...terms(entry), isNumber: true })),
    ...rest,
  ];
}
