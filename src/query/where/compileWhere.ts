import { type Sql, sql } from '../../lib/sql.ts';
import type { Catalogue } from './catalogue.ts';
import { checkCost } from './checkCost.ts';
import { parse } from './parse.ts';
import { toSql } from './toSql.ts';
import type { Expression } from './tree.ts';

/**
 * The clause in parentheses: TRUE for sought records, FALSE or NULL for others, so a scope may be ANDed but it cannot
 * be negated. Blank text: no condition. `names`: top-level fields in the clause.
 */
export function compileWhere(
  text: string,
  catalogue: Catalogue,
): { condition: Sql | undefined; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const expression = parse(text);
  if (expression === undefined) return { condition: undefined, names };
  checkCost(expression, catalogue);
  const condition = sql`(${toSql(expression, catalogue, true)})`;
  collectNames(expression, names);
  return { condition, names };
}

function collectNames(expression: Expression, names: Set<string>): void {
  switch (expression.type) {
    case 'not':
      collectNames(expression.part, names);
      break;
    case 'and':
    case 'or':
      for (const part of expression.parts) collectNames(part, names);
      break;
    case 'predicate':
      names.add(expression.path[0].name);
  }
}
