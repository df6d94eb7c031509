import { checkCost, costOf, lastingCost } from './cost.ts';
import type { Field, Mapping } from './mapping.ts';
import type { Predicate } from './predicate.ts';
import { resolve } from './resolve.ts';
import { simplify } from './simplify.ts';
import type { Query } from './tree.ts';

/** A query ready to be searched for or matched, and what that costs. */
export type Compiled = { readonly predicate: Predicate; readonly cost: number };

/** Throws the problem `invalid-query` if the query costs more than `limit`, at its most expensive clause. */
export function compile(query: Query, mapping: Mapping, now: number, limit: number): Compiled {
  const dearest = { offset: 0, cost: -1 };
  const seen = new Set<Field>();
  const counted = new Set<Predicate>();
  let lasting = 0;
  const resolved = resolve(query, mapping, now, (offset, clause) => {
    if (counted.has(clause)) return;
    counted.add(clause);
    const cost = costOf(clause);
    if (cost > dearest.cost) Object.assign(dearest, { offset, cost });
    lasting += lastingCost(clause, seen);
    // Simplifying takes little off these; working out hundreds more of them would itself be expensive.
    if (lasting > 2 * limit) checkCost(lasting, limit, dearest.offset, 'more than');
  });
  const predicate = simplify(resolved);
  const cost = Math.ceil(costOf(predicate));
  checkCost(cost, limit, dearest.offset);
  return { predicate, cost };
}
