import { invalidWhere } from './invalidWhere.ts';
import { isKeyword, take, takeKeyword, takeSymbol, unexpected, type WhereReader } from './reader.ts';
import type { Literal, Operator, Test } from './tree.ts';

type Negatable = { readonly test: Test; readonly negated: boolean };

/** Parses the part of a predicate behind its field. */
export function parseTest(reader: WhereReader): Negatable {
  const operator = operators.get(reader.token.type === 'symbol' ? reader.token.value : '');
  if (operator !== undefined) {
    take(reader);
    const value = parseLiteral(reader);
    if (operator === '<>') return { test: { type: 'compare', operator: '=', value }, negated: true };
    return { test: { type: 'compare', operator, value }, negated: false };
  }
  if (takeKeyword(reader, 'IS')) {
    const negated = takeKeyword(reader, 'NOT');
    if (!takeKeyword(reader, 'NULL')) throw unexpected(reader.token, negated ? 'NULL' : 'NULL or NOT NULL');
    return { test: { type: 'null' }, negated };
  }
  const negated = takeKeyword(reader, 'NOT');
  return { test: parseWordTest(reader, negated), negated };
}

const operators: ReadonlyMap<string, Operator | '<>'> = new Map([
  ['=', '='],
  ['<>', '<>'],
  ['!=', '<>'],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

function parseWordTest(reader: WhereReader, negated: boolean): Test {
  const { position } = reader.token;
  if (takeKeyword(reader, 'IN')) return { type: 'in', values: parseList(reader) };
  if (takeKeyword(reader, 'LIKE')) return parseLike(reader, false);
  if (takeKeyword(reader, 'ILIKE')) return parseLike(reader, true);
  if (takeKeyword(reader, 'CONTAINS')) return { type: 'contains', value: parseLiteral(reader), position };
  if (!takeKeyword(reader, 'BETWEEN')) {
    const words = 'IN, LIKE, ILIKE, BETWEEN or CONTAINS';
    throw unexpected(
      reader.token,
      negated ? `${words} after NOT` : `a comparison (=, <>, <, <=, >, >=, IS, ${words})`,
    );
  }
  const low = parseLiteral(reader);
  if (!takeKeyword(reader, 'AND')) throw unexpected(reader.token, 'AND and the upper bound of BETWEEN');
  return { type: 'between', low, high: parseLiteral(reader) };
}

const maxListItems = 1000;

function parseList(reader: WhereReader): Literal[] {
  if (!takeSymbol(reader, '(')) throw unexpected(reader.token, "'(' and a list of values");
  const values = [parseLiteral(reader)];
  while (takeSymbol(reader, ',')) {
    if (values.length === maxListItems) {
      throw invalidWhere(reader.token.position, `a list may have at most ${maxListItems} values`);
    }
    values.push(parseLiteral(reader));
  }
  if (!takeSymbol(reader, ')')) throw unexpected(reader.token, "',' or ')'");
  return values;
}

function parseLike(reader: WhereReader, ignoreCase: boolean): Test {
  const { position } = reader.token;
  const pattern = parseString(reader, 'a pattern in single quotes');
  const escapeAt = reader.token.position;
  if (!takeKeyword(reader, 'ESCAPE'))
    return { type: 'like', pattern, escapeCharacter: '\\', ignoreCase, position };
  const escapeCharacter = parseString(reader, 'one character in single quotes after ESCAPE');
  if (Array.from(escapeCharacter).length !== 1)
    throw invalidWhere(escapeAt, 'ESCAPE takes exactly one character');
  return { type: 'like', pattern, escapeCharacter, ignoreCase, position };
}

function parseString(reader: WhereReader, expected: string): string {
  const { type } = reader.token;
  if (type !== 'string' && type !== 'quoted') throw unexpected(reader.token, expected);
  return take(reader).value;
}

function parseLiteral(reader: WhereReader): Literal {
  const { token } = reader;
  const literal = toLiteral(reader);
  if (literal === undefined) {
    const hint = token.type === 'word' ? ' (text goes in single quotes)' : '';
    throw unexpected(token, `a number, a text, TRUE, FALSE or NULL${hint}`);
  }
  take(reader);
  return literal;
}

function toLiteral({ token }: WhereReader): Literal | undefined {
  const { type, value, position } = token;
  if (type === 'number') return { type: 'number', text: value, position };
  if (type === 'string' || type === 'quoted') return { type: 'string', text: value, position };
  if (isKeyword(token, 'NULL')) return { type: 'null', position };
  if (isKeyword(token, 'TRUE')) return { type: 'boolean', truth: true, position };
  if (isKeyword(token, 'FALSE')) return { type: 'boolean', truth: false, position };
  return undefined;
}
