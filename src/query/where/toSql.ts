import { join, type Sql, sql } from '../../lib/sql.ts';
import { type BoundTest, bindTest } from './bindTest.ts';
import type { Catalogue, ManyField, OneField, ScalarField, WhereField } from './catalogue.ts';
import { compareValue } from './compareValue.ts';
import { invalidWhere } from './invalidWhere.ts';
import { jsonToSql } from './jsonToSql.ts';
import { all, some } from './quantifiers.ts';
import { resolve } from './resolve.ts';
import type { Expression, Predicate } from './tree.ts';

/**
 * A condition that is TRUE exactly where the expression is `want`, and FALSE or NULL elsewhere. Compiling "is true" and
 * "is false" apart keeps three-valued logic exact across EXISTS, which by itself knows no UNKNOWN.
 */
export function toSql(expression: Expression, catalogue: Catalogue, want: boolean): Sql {
  if (expression.type === 'predicate') return predicateToSql(expression, catalogue, want);
  if (expression.type === 'not') return toSql(expression.part, catalogue, !want);
  const parts = expression.parts.map((part) => sql`(${toSql(part, catalogue, want)})`);
  return join(parts, (expression.type === 'and') === want ? ' and ' : ' or ');
}

function predicateToSql(predicate: Predicate, catalogue: Catalogue, want: boolean): Sql {
  const resolved = resolve(
    predicate.path.map(({ name }) => name),
    catalogue,
  );
  if ('fault' in resolved) throw invalidWhere(predicate.path[resolved.index]!.position, resolved.fault);
  const test = bindTest(predicate, resolved, want);
  if (test === undefined) return sql`false`;
  return resolved.outer.reduceRight(
    (inner, object) => memberToSql(object, inner, test, want),
    fieldToSql(resolved.field, resolved.members, test, want),
  );
}

function fieldToSql(field: WhereField, members: readonly string[], test: BoundTest, want: boolean): Sql {
  if (field.type === 'one')
    return want ? sql`not exists (select from ${field.from})` : sql`exists (select from ${field.from})`;
  if (field.type === 'many') return want ? sql`false` : sql`true`;
  if (field.type === 'json') return jsonToSql(field.column, members, test, want);
  return scalarToSql(field, test, want);
}

function scalarToSql({ type, column, array }: ScalarField, test: BoundTest, want: boolean): Sql {
  if (test.type === 'null') return want ? sql`(${column}) is null` : sql`(${column}) is not null`;
  const compared = (value: Sql) => {
    // By way of text a double becomes the decimal that a reader was shown; a direct cast would keep only 15 digits.
    const condition = compareValue(test, () =>
      type === 'number' ? sql`(${value})::text::numeric` : sql`(${value})`,
    );
    return want ? condition : sql`not (${condition})`;
  };
  if (!array) return compared(column);
  const items = sql`unnest(${column}) as where_item(value)`;
  if (want) return some(items, compared(sql`where_item.value`));
  return sql`(${column}) is not null and ${all(items, compared(sql`where_item.value`))}`;
}

/** The condition on a member, asked of the object or the objects that have it. */
function memberToSql({ type, from }: OneField | ManyField, inner: Sql, test: BoundTest, want: boolean): Sql {
  if (type === 'many') return want ? some(from, inner) : all(from, inner);
  // The members of a missing object are null, hence "all of at most one".
  return test.type === 'null' && want ? all(from, inner) : some(from, inner);
}
