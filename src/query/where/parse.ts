import { invalidWhere, quote } from './invalidWhere.ts';
import { parseTest } from './parseTest.ts';
import {
  createReader,
  isReserved,
  take,
  takeKeyword,
  takeSymbol,
  unexpected,
  type WhereReader,
} from './reader.ts';
import type { Expression, Path, PathMember } from './tree.ts';

/** The clause as a tree; nothing if the text is blank. */
export function parse(text: string): Expression | undefined {
  refuseUnstorable(text);
  const reader = createReader(text);
  if (reader.token.type === 'end') return undefined;
  const budget = { predicates: maxPredicates };
  const expression = parseOr(reader, budget, 0);
  refuseRest(reader);
  return expression;
}

function refuseRest(reader: WhereReader): void {
  if (reader.token.type !== 'end') throw unexpected(reader.token, 'AND, OR or the end');
}

const maxLength = 8192;
const maxDepth = 32;
const maxPredicates = 256;

/** Number of predicates still allowed; shared by the whole clause. */
type Budget = { predicates: number };

function refuseUnstorable(text: string): void {
  if (text.length > maxLength) {
    throw invalidWhere(maxLength + 1, `the text has ${text.length} characters, ${maxLength} are allowed`);
  }
  const index = text.search(unstorable);
  if (index === -1) return;
  const code = text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0');
  throw invalidWhere(index + 1, `the character U+${code} cannot be part of any stored text`);
}

/** PostgreSQL text holds neither NUL nor half a surrogate pair. */
const unstorable = /[\0\p{Surrogate}]/u;

function parseOr(reader: WhereReader, budget: Budget, depth: number): Expression {
  const first = parseAnd(reader, budget, depth);
  const parts = [first];
  while (takeKeyword(reader, 'OR')) parts.push(parseAnd(reader, budget, depth));
  return parts.length === 1 ? first : { type: 'or', parts };
}

function parseAnd(reader: WhereReader, budget: Budget, depth: number): Expression {
  const first = parseNot(reader, budget, depth);
  const parts = [first];
  while (takeKeyword(reader, 'AND')) parts.push(parseNot(reader, budget, depth));
  return parts.length === 1 ? first : { type: 'and', parts };
}

function parseNot(reader: WhereReader, budget: Budget, depth: number): Expression {
  const { position } = reader.token;
  if (depth > maxDepth) throw invalidWhere(position, `the clause is nested deeper than ${maxDepth} levels`);
  if (takeKeyword(reader, 'NOT')) return { type: 'not', part: parseNot(reader, budget, depth + 1) };
  if (!takeSymbol(reader, '(')) return parsePredicate(reader, budget);
  const expression = parseOr(reader, budget, depth + 1);
  if (!takeSymbol(reader, ')')) throw unexpected(reader.token, `')' for the '(' at column ${position}`);
  return expression;
}

function parsePredicate(reader: WhereReader, budget: Budget): Expression {
  const { position } = reader.token;
  const path = parsePath(reader);
  if (budget.predicates-- === 0)
    throw invalidWhere(position, `more than ${maxPredicates} conditions are not allowed`);
  const { test, negated } = parseTest(reader);
  const predicate = { type: 'predicate', path, test } as const;
  return negated ? { type: 'not', part: predicate } : predicate;
}

/** PostgreSQL plans each member of a JSON path as a join: eight take a fraction of a millisecond, sixteen ten. */
const maxPathNames = 8;

function parsePath(reader: WhereReader): Path {
  if (isReserved(reader.token)) {
    const { position, source } = reader.token;
    throw invalidWhere(
      position,
      `expected a field, but ${quote(source)} is a keyword (a field of that name needs double quotes)`,
    );
  }
  const path: [PathMember, ...PathMember[]] = [parseName(reader, 'a field')];
  while (takeSymbol(reader, '.')) {
    // After a dot only a name can stand, so members called `in` or `is` need no quotes.
    const member = parseName(reader, "a member after '.'");
    path.push(member);
    if (path.length > maxPathNames) {
      throw invalidWhere(member.position, `a path may have at most ${maxPathNames} names`);
    }
  }
  return path;
}

function parseName(reader: WhereReader, expected: string): Path[number] {
  const { type } = reader.token;
  if (type !== 'word' && type !== 'name' && type !== 'quoted') throw unexpected(reader.token, expected);
  const { value, position } = take(reader);
  return { name: value, position };
}
