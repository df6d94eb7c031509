import { type Sql, sql } from '../../lib/sql.ts';
import type { Catalogue } from './catalogue.ts';
import { checkCost } from './checkCost.ts';
import { parse } from './parse.ts';
import { toSql } from './toSql.ts';
import type { Expression } from './tree.ts';

/**
 * The clause as a condition, in parentheses, that is TRUE for the records sought and FALSE or NULL for the others, so
 * it may be ANDed to a scope but not negated. A blank text is no condition. `names` are the top-level fields that the
 * clause speaks of.
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
