/** A where clause as it was written; every negative form (`<>`, `NOT IN` …) is the `not` of its positive one. */
export type Expression =
  | { readonly type: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly type: 'not'; readonly part: Expression }
  | WherePredicate;

export type WherePredicate = { readonly type: 'predicate'; readonly path: Path; readonly test: Test };

/** Members from the outside in. Positions are 1-based columns of the text. */
export type Path = readonly [PathMember, ...PathMember[]];

export type PathMember = { readonly name: string; readonly position: number };

export type Test =
  | { readonly type: 'null' }
  | { readonly type: 'compare'; readonly operator: Operator; readonly value: Literal }
  | { readonly type: 'contains'; readonly value: Literal; readonly position: number }
  | { readonly type: 'in'; readonly values: readonly Literal[] }
  | { readonly type: 'between'; readonly low: Literal; readonly high: Literal }
  | {
      readonly type: 'like';
      readonly pattern: string;
      readonly escapeCharacter: string;
      readonly ignoreCase: boolean;
      readonly position: number;
    };

export type Operator = '=' | '<' | '<=' | '>' | '>=';

export type Literal = Value | { readonly type: 'null'; readonly position: number };

/** Numbers stay text, for they may be larger or finer than a double. */
export type Value =
  | { readonly type: 'string' | 'number'; readonly text: string; readonly position: number }
  | { readonly type: 'boolean'; readonly truth: boolean; readonly position: number };
