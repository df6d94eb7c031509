import type { Catalogue } from './catalogue.ts';
import { invalidWhere } from './invalidWhere.ts';
import { resolve } from './resolve.ts';
import type { Expression, WherePredicate } from './tree.ts';

/** The limit of what the conditions of a where clause may cost together; one plain comparison costs 1. */
const whereBudget = 1_500;

/** Refuses a clause that would keep the database busy for long, at its most expensive condition. */
export function checkCost(expression: Expression, catalogue: Catalogue): void {
  const costs = predicatesOf(expression).map((predicate) => ({
    cost: costOf(predicate, catalogue),
    position: predicate.path[0].position,
  }));
  const total = Math.ceil(costs.reduce((sum, { cost }) => sum + cost, 0));
  if (total <= whereBudget) return;
  const dearest = costs.reduce((a, b) => (b.cost > a.cost ? b : a));
  throw invalidWhere(
    dearest.position,
    `the clause costs ${total} and may cost ${whereBudget}; use fewer LIKE patterns, with fewer '%' and '_', ` +
      'and IN instead of many comparisons',
  );
}

function predicatesOf(expression: Expression): WherePredicate[] {
  if (expression.type === 'predicate') return [expression];
  return expression.type === 'not' ? predicatesOf(expression.part) : expression.parts.flatMap(predicatesOf);
}

function costOf({ path, test }: WherePredicate, catalogue: Catalogue): number {
  const testCost =
    test.type === 'like' ? likeCost(test) : test.type === 'in' ? 1 + test.values.length / 50 : 1;
  const resolved = resolve(
    path.map(({ name }) => name),
    catalogue,
  );
  if ('fault' in resolved) return testCost;
  const isNested = resolved.outer.length > 0 || resolved.field.type === 'json' || 'array' in resolved.field;
  return isNested ? 3 * testCost : testCost;
}

/** After a `%`, what stands up to the next one is tried at every character of a value. */
function likeCost({ pattern, ignoreCase }: { pattern: string; ignoreCase: boolean }): number {
  const [, ...parts] = pattern.split('%');
  const cost = 4 + parts.reduce((sum, part) => sum + (part.includes('_') ? 2 + part.length : 2), 0);
  return ignoreCase ? 2 * cost : cost;
}
