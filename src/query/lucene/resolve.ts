import type { Mapping } from './mapping.ts';
import { none, type Predicate } from './predicate.ts';
import { createBudget } from './regex/budget.ts';
import { type Context, resolveValue } from './resolveValue.ts';
import type { Clause, Group, Node, Query } from './tree.ts';

/**
 * Resolves a query for the fields of a mapping at the moment `now`. A value that a field cannot have matches nothing.
 * Throws `invalid-query` for too complex expressions or too many words.
 */
export function resolve(
  query: Query,
  mapping: Mapping,
  now: number,
  onClause?: Context['onClause'],
): Predicate {
  const context = {
    mapping,
    now,
    budget: createBudget(),
    fields: new Map(),
    regexes: new Map(),
    clauses: new Map(),
    onClause,
  };
  return resolveGroup(query, context) ?? none;
}

type ResolvedClause = { occur: 'must' | 'should' | 'mustNot'; readonly predicate: Predicate };

/** Undefined if nothing is left of the group because its texts have no words. */
function resolveGroup(group: Group, context: Context): Predicate | undefined {
  const clauses: ResolvedClause[] = [];
  for (const clause of group.clauses) {
    const previous = clauses.at(-1);
    if (clause.conjunction === 'and' && previous?.occur === 'should') previous.occur = 'must';
    const occur = occurOf(clause);
    for (const predicate of resolveClause(clause, context)) clauses.push({ occur, predicate });
  }
  const [first] = clauses;
  if (!first) return undefined;
  if (clauses.length === 1 && first.occur !== 'mustNot') return first.predicate;
  const only = (occur: ResolvedClause['occur']): Predicate[] =>
    clauses.filter((clause) => clause.occur === occur).map((clause) => clause.predicate);
  return { type: 'bool', must: only('must'), should: only('should'), mustNot: only('mustNot') };
}

function occurOf(clause: Clause): ResolvedClause['occur'] {
  if (clause.modifier !== undefined) return clause.modifier;
  return clause.conjunction === 'and' ? 'must' : 'should';
}

/** A clause without words gives none; the words of terms side by side become clauses of their own. */
function resolveClause({ node }: Clause, context: Context): Predicate[] {
  const predicate = node.type === 'group' ? resolveGroup(node, context) : resolveOnce(node, context);
  if (predicate === undefined) return [];
  if (node.type !== 'group') context.onClause?.(node.offset, predicate);
  if (node.type !== 'text' || !node.isJoined || predicate.type !== 'terms') return [predicate];
  return predicate.values.map((value) => ({ ...predicate, values: [value] }));
}

/** The same clause again is the same predicate, which `simplify` recognises. */
function resolveOnce(node: Exclude<Node, Group>, context: Context): Predicate | undefined {
  const { clauses } = context;
  const key = JSON.stringify({ ...node, offset: 0 });
  if (!clauses.has(key)) clauses.set(key, resolveValue(node, context));
  return clauses.get(key);
}
