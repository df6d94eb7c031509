import { describe, expect, it } from 'vitest';
import { isPrintedAs } from '../../../test/query/printedForm.ts';
import { readVectors, vectorDocuments } from '../../../test/query/vectorDocuments.ts';
import { Problem } from '../../model/errors.ts';
import { compareText } from './compareText.ts';
import { createMatcher } from './createMatcher.ts';
import { createSubject } from './createSubject.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import { resolve } from './resolve.ts';
import type { Node, Query } from './tree.ts';

type Vector = { q: string; hits?: string[]; error?: true; parseOnMessage?: string; luceneMessage?: string };

const { now, types, documents } = vectorDocuments;
const mapping = createMapping(types);
const subjects = documents.map(({ id, document }) => ({ id, subject: createSubject(document) }));
const vectors: Vector[] = JSON.parse(readVectors('query-vectors.json'));
const fuzz: Vector[] = readVectors('query-fuzz.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

describe('query string vectors', () => {
  it('are all there', () => {
    expect([vectors.length, fuzz.length]).toEqual([218, 3_000]);
  });

  it.each(vectors)('$q', (vector) => {
    check(vector);
  });

  it('agree on 3,000 random queries', () => {
    for (const vector of fuzz) check(vector);
  });

  it.each(vectors.filter((vector) => vector.luceneMessage?.includes('Encountered')))(
    '$q stops at the column of Lucene',
    ({ q, luceneMessage }) => {
      const column = /: Encountered .* column (\d+)\./.exec(luceneMessage!)?.[1];
      if (column === undefined) return expect(problemOf(q)).toBeDefined();
      expect(problemOf(q)?.members.position).toBe(Number(column) + 1);
    },
  );
});

describe('the comparison with printed forms', () => {
  it.each([
    ['a OR b', '+a b'],
    ['a AND b', '+a +c'],
    ['(a AND b) OR c', '+a +b c'],
    ['a b c', 'a b'],
    ['severity:a', 'a'],
    ['NOT a', '-a'],
    ['numericSeverity:>5', 'numericSeverity:[5 TO 9223372036854775807]'],
    ['"a b"~2', '"a b"'],
  ])('distinguishes %s from %s', (query, form) => {
    expect(isPrintedAs(resolve(withDefaultField(parseQuery(query)), mapping, now), form)).toBe(false);
  });
});

function check({ q, hits, error, parseOnMessage }: Vector): void {
  if (error) {
    expect(problemOf(q)?.code, q).toBe('invalid-query');
    return;
  }
  const matches = createMatcher(resolve(parseQuery(q), mapping, now));
  const found = subjects.filter(({ subject }) => matches(subject)).map(({ id }) => id);
  expect(found, q).toEqual(hits);
  const onMessage = resolve(withDefaultField(parseQuery(q)), mapping, now);
  const form = normalizeBooleans(parseOnMessage!);
  expect(isPrintedAs(onMessage, form), `${q} is printed as ${form}, not ${JSON.stringify(onMessage)}`).toBe(
    true,
  );
}

function problemOf(query: string): Problem | undefined {
  try {
    resolve(parseQuery(query), mapping, now);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The printed forms were made with `message` as the default field. */
function withDefaultField(query: Query): Query {
  const setField = (node: Node): Node =>
    node.type === 'group' ? withDefaultField(node) : { ...node, field: node.field ?? 'message' };
  return { ...query, clauses: query.clauses.map((clause) => ({ ...clause, node: setField(clause.node) })) };
}

/** A range of booleans is resolved to the values in it. */
function normalizeBooleans(form: string): string {
  return form.replaceAll(
    /meta\.paused:([[{])(\S+) TO ([^\]}\s]+)([\]}])/g,
    (_, open, lower, upper, close) => {
      const isIn = (word: string): boolean =>
        (lower === '*' || compareText(word, lower) > (open === '[' ? -1 : 0)) &&
        (upper === '*' || compareText(word, upper) < (close === ']' ? 1 : 0));
      if (isIn('true') && isIn('false')) return '_field_names:meta.paused';
      return isIn('true') ? 'meta.paused:true' : isIn('false') ? 'meta.paused:false' : '#NONE';
    },
  );
}
