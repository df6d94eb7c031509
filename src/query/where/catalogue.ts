import type { Sql } from '../../lib/sql.ts';

/**
 * Fields that a resource lets one search, by the names its callers know. Secrets are left out, because an absent field
 * looks like one that does not exist.
 */
export type Catalogue = { readonly [name: string]: WhereField };

export type WhereField = ScalarField | JsonField | OneField | ManyField;

/**
 * `column` is an SQL expression of type text (string), boolean, smallint to numeric (integer), any number type
 * (number), or text that PostgreSQL reads as a timestamp (date); with `array`, an array of that.
 */
export type ScalarField = {
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  readonly column: Sql;
  readonly array?: true;
  /** For texts whose case matters in some rows only: whether it does not matter in this value. */
  readonly ignoresCase?: (value: Sql) => Sql;
  /** The column has lower case only, so an index on it serves where case does not matter. */
  readonly isLowerCase?: true;
};

/** A jsonb column: any dotted path below it may be searched. */
type JsonField = { readonly type: 'json'; readonly column: Sql };

/** A nested object. `from` is what stands after FROM, WHERE included, and finds at most one row. */
export type OneField = { readonly type: 'one'; readonly from: Sql; readonly fields: Catalogue };

/** A list of nested objects; a predicate on a member holds if it holds for any row of `from`. */
export type ManyField = { readonly type: 'many'; readonly from: Sql; readonly fields: Catalogue };
