/** A query string as written. Nothing in it depends on the fields that exist; `resolve` adds that. */
export type Query = Group;

export type Node = Group | Text | Phrase | Prefix | Wildcard | RegexLiteral | Range | Fuzzy;

/** Clauses in the order written. What is required follows from the whole list, not from operator precedence. */
export type Group = { readonly type: 'group'; readonly clauses: readonly Clause[] };

export type Clause = {
  readonly conjunction: 'and' | 'or' | undefined;
  readonly modifier: 'must' | 'mustNot' | undefined;
  readonly node: Node;
};

/** `field` is undefined where none was named: then all fields are searched. `offset` is where the value stands. */
type Value = { readonly field: string | undefined; readonly offset: number };

/** One unquoted term, or several side by side (`isJoined`), unescaped. */
export type Text = Value & { readonly type: 'text'; readonly text: string; readonly isJoined: boolean };

export type Phrase = Value & { readonly type: 'phrase'; readonly text: string; readonly slop: number };

/** Unescaped, without the star. */
type Prefix = Value & { readonly type: 'prefix'; readonly text: string };

/** With its escapes; a lone `*` tests whether the field exists. */
export type Wildcard = Value & { readonly type: 'wildcard'; readonly pattern: string };

/** Without its slashes. */
export type RegexLiteral = Value & { readonly type: 'regex'; readonly pattern: string };

export type Range = Value & { readonly type: 'range'; readonly lower: RangeEnd; readonly upper: RangeEnd };

/** `text` is undefined for an open end. */
export type RangeEnd = { readonly text: string | undefined; readonly isInclusive: boolean };

/** Matches nothing, because no expansion of fuzzy terms is allowed. */
type Fuzzy = Value & { readonly type: 'fuzzy'; readonly text: string };
