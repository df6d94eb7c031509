import { itemAt } from '../../lib/itemAt.ts';
import { type Bound, bindValue } from './bindValue.ts';
import { invalidWhere, quote } from './invalidWhere.ts';
import type { Resolved } from './resolve.ts';
import { type LikePattern, toLikePattern } from './toLikePattern.ts';
import type { Literal, Operator, Test, WherePredicate } from './tree.ts';

/** A test whose values fit the field and are not NULL. */
export type BoundTest = { readonly type: 'null' } | ValueTest;

export type ValueTest =
  | { readonly type: 'compare'; readonly operator: Operator; readonly value: Bound }
  | { readonly type: 'in'; readonly values: readonly Bound[] }
  | { readonly type: 'between'; readonly low: Bound; readonly high: Bound }
  | { readonly type: 'like'; readonly like: LikePattern };

/** The test that shows where the predicate is `want`; nothing if a literal NULL makes that impossible. */
export function bindTest(
  { path, test }: WherePredicate,
  resolved: Resolved,
  want: boolean,
): BoundTest | undefined {
  const { field } = resolved;
  const name = path.map((member) => member.name).join('.');
  const { position } = itemAt(path, path.length - 1);
  if (test.type === 'null') return test;
  if (field.type === 'one' || field.type === 'many') {
    const [example = '…'] = Object.keys(field.fields);
    const hint = quote(`${name}.${example}`);
    throw invalidWhere(position, `${quote(name)} is not a value; compare a member, such as ${hint}`);
  }
  const bind = (literal: Literal) =>
    literal.type === 'null' ? undefined : bindValue(literal, field.type, name);
  if (test.type === 'in') return bindIn(test.values.map(bind), want);
  if (test.type === 'between') {
    const [low, high] = [bind(test.low), bind(test.high)];
    refuseOrderOfBoolean(test.low, low);
    refuseOrderOfBoolean(test.high, high);
    return bindBetween(low, high, want);
  }
  if (test.type === 'like') {
    if (field.type === 'date') {
      throw invalidWhere(position, `${quote(name)} is a date; compare it with >= and <, or with BETWEEN`);
    }
    if (field.type !== 'string' && field.type !== 'json') {
      throw invalidWhere(position, `${quote(name)} is not text, so it cannot be compared with a pattern`);
    }
    return bindLike(test);
  }
  if (test.type === 'contains' && !isList(resolved)) {
    throw invalidWhere(test.position, `${quote(name)} is not a list; for a part of a text write LIKE '%…%'`);
  }
  const operator = test.type === 'contains' ? '=' : test.operator;
  const value = bind(test.value);
  if (operator !== '=') refuseOrderOfBoolean(test.value, value);
  return value && { type: 'compare', operator, value };
}

function bindIn(items: readonly (Bound | undefined)[], want: boolean): BoundTest | undefined {
  const values = items.filter((item) => item !== undefined);
  const hasNull = values.length < items.length;
  return values.length === 0 || (hasNull && !want) ? undefined : { type: 'in', values };
}

function refuseOrderOfBoolean(literal: Literal, bound: Bound | undefined): void {
  if (bound?.cast !== 'boolean') return;
  throw invalidWhere(literal.position, 'TRUE and FALSE have no order; compare them with = or <>');
}

function bindBetween(low: Bound | undefined, high: Bound | undefined, want: boolean): BoundTest | undefined {
  if (low !== undefined && high !== undefined) return { type: 'between', low, high };
  // With one bound NULL nothing is surely between, but what lies beyond the other bound is surely not.
  if (want) return undefined;
  if (low !== undefined) return { type: 'compare', operator: '>=', value: low };
  return high && { type: 'compare', operator: '<=', value: high };
}

function bindLike({
  pattern,
  escapeCharacter,
  ignoreCase,
  position,
}: Extract<Test, { type: 'like' }>): BoundTest {
  const like = toLikePattern(pattern, escapeCharacter, ignoreCase);
  if (like !== undefined) return { type: 'like', like };
  throw invalidWhere(position, `the pattern ${quote(pattern)} ends in its escape character`);
}

function isList({ field, outer }: Resolved): boolean {
  return field.type === 'json' || 'array' in field || outer.some(({ type }) => type === 'many');
}
