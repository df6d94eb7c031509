import type { Field } from './mapping.ts';
import type { Regex } from './regex/compileRegex.ts';
import type { WildcardPart } from './wildcard.ts';

/**
 * A query resolved for one mapping at one moment. Its strings compare exactly: with lower-cased words of a `text`
 * field, or whole `keyword` values (lower-cased if folded). One fitting value is enough.
 */
export type Predicate =
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | Bool
  | { readonly type: 'exists'; readonly field: Field }
  /** One of these words or values; `isNumber` for the words of a number, which texts that are numbers do not have. */
  | {
      readonly type: 'terms';
      readonly field: Field;
      readonly values: readonly string[];
      readonly isNumber?: true;
    }
  /** These words of a `text` field, moved by at most `slop` positions in all. */
  | {
      readonly type: 'phrase';
      readonly field: Field;
      readonly words: readonly string[];
      readonly slop: number;
    }
  | { readonly type: 'prefix'; readonly field: Field; readonly text: string }
  | { readonly type: 'wildcard'; readonly field: Field; readonly parts: readonly WildcardPart[] }
  | { readonly type: 'regex'; readonly field: Field; readonly pattern: string; readonly regex: Regex }
  /** Words or values in code point order; an absent bound is open. */
  | {
      readonly type: 'textRange';
      readonly field: Field;
      readonly lower?: TextBound;
      readonly upper?: TextBound;
    }
  /** Numbers of a dynamic member and texts that are plain decimal numbers, compared exactly; an absent bound is open. */
  | {
      readonly type: 'decimalRange';
      readonly field: Field;
      readonly lower?: DecimalBound;
      readonly upper?: DecimalBound;
    }
  /** Numbers, or dates in epoch milliseconds, bounds included; an absent bound is open. */
  | { readonly type: 'range'; readonly field: Field; readonly min?: number; readonly max?: number }
  | { readonly type: 'is'; readonly field: Field; readonly value: boolean };

/**
 * Holds if every `must` holds, no `mustNot` does, and, where there are `should` but no `must`, at least one `should`.
 * Never empty; with `mustNot` alone it holds for everything else.
 */
export type Bool = {
  readonly type: 'bool';
  readonly must: readonly Predicate[];
  readonly should: readonly Predicate[];
  readonly mustNot: readonly Predicate[];
};

export type TextBound = { readonly text: string; readonly isInclusive: boolean };

/** The number has all its digits, as JSON and SQL read them. */
export type DecimalBound = { readonly number: string; readonly isInclusive: boolean };

export const none: Predicate = { type: 'none' };

/** At least one of them. */
export function anyOf(predicates: readonly Predicate[]): Predicate {
  const possible = predicates.filter((predicate) => predicate.type !== 'none');
  if (possible.length <= 1) return possible[0] ?? none;
  return { type: 'bool', must: [], should: possible, mustNot: [] };
}

/** Every field that a predicate reads. */
export function fieldsOf(predicate: Predicate): Field[] {
  if (predicate.type === 'bool') {
    return [...predicate.must, ...predicate.should, ...predicate.mustNot].flatMap(fieldsOf);
  }
  return 'field' in predicate ? [predicate.field] : [];
}
