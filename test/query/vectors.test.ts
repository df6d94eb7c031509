import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/model/errors.ts';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createMapping } from '../../src/query/lucene/mapping.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import type { Predicate } from '../../src/query/lucene/predicate.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { type Document, findBySql } from './sqlDocuments.ts';
import { useDocumentTable } from './useDocumentTable.ts';
import { readVectors, vectorDocuments } from './vectorDocuments.ts';

type Vector = { q: string; hits?: string[]; error?: boolean };

const mapping = createMapping(vectorDocuments.types);
const documents = new Map<string, Document>(
  vectorDocuments.documents.map(({ id, document }) => [id, document]),
);
const client = useDocumentTable(vectorDocuments.documents);

/** `npm run vectors -- FILE` names another file of the same form. */
const file = process.env.VECTORS_FILE;
const lines = (file ? readFileSync(file, 'utf8') : readVectors('query-fuzz.jsonl'))
  .split('\n')
  .filter((line) => line.trim());

describe(`the queries of ${file ?? 'the random vectors'}`, () => {
  it.each(inBatches(lines.map((line): Vector => JSON.parse(line))))('%s', check);
});

if (!file) {
  describe('the queries of the written vectors', () => {
    it.each(inBatches(JSON.parse(readVectors('query-vectors.json'))))('%s', check);
  });
}

/** A test for each of thousands would cost more than what it checks. */
function inBatches(vectors: readonly Vector[]): [name: string, batch: Vector[]][] {
  const size = 100;
  return Array.from({ length: Math.ceil(vectors.length / size) }, (_, n) => [
    `from ${n * size + 1} on`,
    vectors.slice(n * size, (n + 1) * size),
  ]);
}

/** Both ways: by the matcher over the documents, and by PostgreSQL over their rows. */
async function check(_name: string, vectors: readonly Vector[]): Promise<void> {
  const found = vectors.map(async ({ q }) => {
    const predicate = read(q);
    if (predicate === 'error') return { q, byMatcher: 'error', byPostgres: 'error' };
    return {
      q,
      byMatcher: byMatcher(predicate),
      byPostgres: await findBySql(client(), predicate, documents),
    };
  });
  expect(await Promise.all(found)).toEqual(
    vectors.map(({ q, hits, error }) => {
      const expected = error ? 'error' : hits;
      return { q, byMatcher: expected, byPostgres: expected };
    }),
  );
}

function read(query: string): Predicate | 'error' {
  try {
    return resolve(parseQuery(query), mapping, vectorDocuments.now);
  } catch (error) {
    if (error instanceof Problem && error.members.position !== undefined) return 'error';
    throw error;
  }
}

function byMatcher(predicate: Predicate): string[] {
  const matches = createMatcher(predicate);
  return [...documents].filter(([, document]) => matches(createSubject(document))).map(([id]) => id);
}
