import type { WhereField } from './catalogue.ts';
import { invalidWhere, quote, shorten } from './invalidWhere.ts';
import { readInstant } from './readInstant.ts';
import type { Value } from './tree.ts';

/** A value together with the SQL type it is bound as. */
export type Bound = {
  readonly cast: 'text' | 'boolean' | 'bigint' | 'numeric' | 'timestamptz';
  readonly value: string | boolean;
};

/** The value as the field compares it; refused if their types do not agree. A JSON field takes every type. */
export function bindValue(value: Value, type: WhereField['type'], path: string): Bound {
  if (value.type === 'boolean') {
    if (type === 'boolean' || type === 'json') return { cast: 'boolean', value: value.truth };
    throw mismatch(value, value.truth ? 'TRUE' : 'FALSE', type, path);
  }
  const isNumeric = type === 'integer' || type === 'number';
  const { text, position } = value;
  if (value.type === 'number') {
    if (isNumeric || type === 'json') return bindNumber(text, type, position);
    throw mismatch(value, shorten(text), type, path);
  }
  if (type === 'date') {
    const instant = readInstant(text);
    if (instant === undefined) throw mismatch(value, quote(text), type, path);
    return { cast: 'timestamptz', value: instant };
  }
  if (type === 'string' || type === 'json') return { cast: 'text', value: text };
  if (isNumeric && numberPattern.test(text)) return bindNumber(text, type, position);
  throw mismatch(value, quote(text), type, path);
}

const wanted: { readonly [type in WhereField['type']]?: string } = {
  integer: 'a number',
  number: 'a number',
  boolean: 'TRUE or FALSE',
  string: 'a text in single quotes',
  date: "a date such as '2026-01-31' or '2026-01-31T12:00:00+02:00'",
};

function mismatch(value: Value, written: string, type: WhereField['type'], path: string): Error {
  return invalidWhere(
    value.position,
    `${quote(path)} is compared with ${wanted[type]}, but found ${written}`,
  );
}

const numberPattern = /^([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Far beyond any double, and within what PostgreSQL's numeric can hold whatever the digits. */
const maxExponent = 1000;

function bindNumber(text: string, type: WhereField['type'], position: number): Bound {
  const [, sign, whole = '', fraction = '', exponentText = '0'] = numberPattern.exec(text) ?? [];
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > maxExponent) {
    throw invalidWhere(
      position,
      `the exponent of ${quote(text)} is not between -${maxExponent} and ${maxExponent}`,
    );
  }
  // Whole numbers are bound as bigint so that an index on the column serves; others can only be numeric.
  const integer =
    type === 'integer' ? toInteger(whole + fraction, whole.length + exponent, sign === '-') : undefined;
  if (integer === undefined || BigInt.asIntN(64, integer) !== integer)
    return { cast: 'numeric', value: text };
  return { cast: 'bigint', value: integer.toString() };
}

/** `point` is where the decimal point stands in the digits. */
function toInteger(digits: string, point: number, negative: boolean): bigint | undefined {
  const cut = Math.max(point, 0);
  if (/[1-9]/.test(digits.slice(cut))) return undefined;
  const integer = BigInt(digits.slice(0, cut).padEnd(cut, '0'));
  return negative ? -integer : integer;
}
