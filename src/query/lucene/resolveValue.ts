import { lowerCase } from '../analyzer.ts';
import { expandExisting, expandFields } from './expandFields.ts';
import { invalidQuery } from './invalidQuery.ts';
import type { Field, Mapping } from './mapping.ts';
import { anyOf, none, type Predicate } from './predicate.ts';
import type { Budget } from './regex/budget.ts';
import { compileRegex, type Regex } from './regex/compileRegex.ts';
import { RegexSyntaxError, RegexTooComplexError } from './regex/errors.ts';
import { resolveEach } from './resolveEach.ts';
import { resolveRange } from './resolveRange.ts';
import { resolveText } from './resolveText.ts';
import type { Group, Node, Phrase, Range, RangeEnd, RegexLiteral, Text, Wildcard } from './tree.ts';
import { parseWildcard } from './wildcard.ts';

export type Context = {
  readonly mapping: Mapping;
  readonly now: number;
  /** Shared by all regular expressions of the query. */
  readonly budget: Budget;
  /** Caches what names stand for. */
  readonly fields: Map<string, readonly Field[]>;
  /** By pattern, so that one searched in many fields is compiled once; undefined for one that cannot be read. */
  readonly regexes: Map<string, Regex | undefined>;
  /** By the clause as it is written, wherever it stands. */
  readonly clauses: Map<string, Predicate | undefined>;
  /** Called with every clause that is no group, and where it stands. */
  readonly onClause: ((offset: number, predicate: Predicate) => void) | undefined;
};

/** Undefined if the value is a text without words, which then counts as not written. */
export function resolveValue(node: Exclude<Node, Group>, context: Context): Predicate | undefined {
  switch (node.type) {
    case 'fuzzy':
      return none;
    case 'text':
      return resolveComparison(node, context) ?? resolveWords(node, context);
    case 'phrase':
      return resolveWords(node, context);
    case 'range':
      return resolveFields(node, context, (field) =>
        resolveRange(field, node.lower, node.upper, context.now),
      );
    case 'prefix':
      return resolveFields(node, context, (field) =>
        isString(field) ? { type: 'prefix', field, text: fold(field, node.text) } : none,
      );
    case 'wildcard':
      return resolveWildcard(node, context);
    case 'regex':
      return resolveFields(node, context, (field) => resolveRegex(field, node, context));
  }
}

const allFields = '*';
const existsField = '_exists_';
const maxWildcardLength = 1_000;

/** `>5` and its like are ranges wherever they start an unquoted text. */
function resolveComparison(node: Text, context: Context): Predicate | undefined {
  const operator = comparison.exec(node.text)?.[0];
  if (operator === undefined) return undefined;
  const text = node.text.slice(operator.length);
  const end: RangeEnd = { text: text === '*' ? undefined : text, isInclusive: operator.length === 2 };
  const isLower = operator.startsWith('>');
  const range: Range = { ...node, type: 'range', lower: isLower ? end : open, upper: isLower ? open : end };
  return resolveValue(range, context);
}

const comparison = /^[<>]=?(?=[\s\S])/;
const open: RangeEnd = { text: undefined, isInclusive: true };

function resolveWords(node: Text | Phrase, context: Context): Predicate | undefined {
  if (node.field === existsField) return resolveExists(node.text, context);
  const fields = fieldsOf(node, context);
  if (fields.length === 0) return none;
  return resolveText(node, fields, context.now);
}

function resolveExists(name: string, context: Context): Predicate {
  return anyOf(expandExisting(context.mapping, name).map((field) => ({ type: 'exists', field })));
}

function resolveWildcard(node: Wildcard, context: Context): Predicate {
  if (node.pattern === '*') {
    const name = node.field ?? allFields;
    return name === allFields ? { type: 'all' } : resolveExists(name, context);
  }
  if (node.pattern.length > maxWildcardLength) {
    throw invalidQuery(node.offset, `a wildcard pattern may have ${maxWildcardLength} characters`);
  }
  const exact = parseWildcard(node.pattern, false);
  const folded = parseWildcard(node.pattern, true);
  return resolveFields(node, context, (field) =>
    isString(field) ? { type: 'wildcard', field, parts: isLowerCase(field) ? folded : exact } : none,
  );
}

function resolveRegex(field: Field, node: RegexLiteral, context: Context): Predicate {
  if (!isString(field)) return none;
  const pattern = fold(field, node.pattern);
  const regex = regexOf(pattern, node.offset, context);
  return regex === undefined ? none : { type: 'regex', field, pattern, regex };
}

function regexOf(pattern: string, offset: number, { regexes, budget }: Context): Regex | undefined {
  if (regexes.has(pattern)) return regexes.get(pattern);
  const regex = compileLeniently(pattern, offset, budget);
  regexes.set(pattern, regex);
  return regex;
}

/** A pattern that cannot be read matches nothing, like any value that does not suit its field. */
function compileLeniently(pattern: string, offset: number, budget: Budget): Regex | undefined {
  try {
    return compileRegex(pattern, budget);
  } catch (error) {
    if (error instanceof RegexSyntaxError) return undefined;
    if (error instanceof RegexTooComplexError) {
      throw invalidQuery(
        offset,
        'the regular expressions of the query are too complex; use fewer or smaller repetitions',
      );
    }
    throw error;
  }
}

function resolveFields(
  node: { readonly field: string | undefined },
  context: Context,
  resolveField: (field: Field) => Predicate,
): Predicate {
  return resolveEach(fieldsOf(node, context), resolveField)!;
}

function fieldsOf(
  { field = allFields }: { readonly field?: string | undefined },
  context: Context,
): readonly Field[] {
  const cached = context.fields.get(field);
  if (cached !== undefined) return cached;
  const fields = expandFields(context.mapping, field);
  context.fields.set(field, fields);
  return fields;
}

function isString(field: Field): boolean {
  return field.type === 'keyword' || field.type === 'text';
}

function isLowerCase(field: Field): boolean {
  return field.type === 'text' || field.isFolded;
}

function fold(field: Field, text: string): string {
  return isLowerCase(field) ? lowerCase(text) : text;
}
