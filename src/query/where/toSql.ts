import { itemAt } from '../../lib/itemAt.ts';
import { join, type Sql, sql } from '../../lib/sql.ts';
import { type BoundTest, bindTest, type ValueTest } from './bindTest.ts';
import type { Catalogue, ManyField, OneField, ScalarField, WhereField } from './catalogue.ts';
import { compareValue } from './compareValue.ts';
import { invalidWhere } from './invalidWhere.ts';
import { jsonToSql } from './jsonToSql.ts';
import { lowerCase } from './lowerCase.ts';
import { all, some } from './quantifiers.ts';
import { resolve } from './resolve.ts';
import type { Expression, WherePredicate } from './tree.ts';

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

function predicateToSql(predicate: WherePredicate, catalogue: Catalogue, want: boolean): Sql {
  const resolved = resolve(
    predicate.path.map(({ name }) => name),
    catalogue,
  );
  if ('fault' in resolved)
    throw invalidWhere(itemAt(predicate.path, resolved.index).position, resolved.fault);
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

function scalarToSql(field: ScalarField, test: BoundTest, want: boolean): Sql {
  const { type, column, array, ignoresCase } = field;
  if (test.type === 'null') return want ? sql`(${column}) is null` : sql`(${column}) is not null`;
  const compared = (value: Sql) => {
    const exact = compareValue(test, () => readAs(type, value));
    const condition = ignoresCase
      ? sql`(case when ${ignoresCase(value)}
          then ${compareValue(lowerCase(test), () => sql`lower(${value})`)} else ${exact} end)`
      : exact;
    return want ? condition : sql`not (${condition})`;
  };
  if (!array && field.isLowerCase && want) return sql`(${spelled(column, test)} and ${compared(column)})`;
  if (!array) return compared(column);
  const items = sql`unnest(${column}) as where_item(value)`;
  if (want) return some(items, compared(sql`where_item.value`));
  return sql`(${column}) is not null and ${all(items, compared(sql`where_item.value`))}`;
}

/** Equality in one of the two possible spellings, which an index answers; anything else may hold. */
function spelled(column: Sql, test: ValueTest): Sql {
  const values = test.type === 'in' ? test.values : test.type === 'compare' ? [test.value] : [];
  if (values.length === 0 || (test.type === 'compare' && test.operator !== '=')) return sql`true`;
  const texts = values.map(({ value }) => String(value));
  return sql`${column} = any(${[...new Set([...texts, ...texts.map((text) => text.toLowerCase())])]}::text[])`;
}

function readAs(type: ScalarField['type'], value: Sql): Sql {
  // By way of text a double becomes the decimal that a reader was shown; a direct cast would keep only 15 digits.
  if (type === 'number') return sql`(${value})::text::numeric`;
  return type === 'date' ? sql`(${value})::timestamptz` : sql`(${value})`;
}

/** The condition on a member of one object or of several. */
function memberToSql({ type, from }: OneField | ManyField, inner: Sql, test: BoundTest, want: boolean): Sql {
  if (type === 'many') return want ? some(from, inner) : all(from, inner);
  // The members of a missing object are null, hence "all of at most one".
  return test.type === 'null' && want ? all(from, inner) : some(from, inner);
}
