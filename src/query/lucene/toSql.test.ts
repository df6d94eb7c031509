import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createDocumentTable, type Document, findBySql } from '../../../test/query/sqlDocuments.ts';
import { readVectors, vectorDocuments } from '../../../test/query/vectorDocuments.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parser.ts';
import { resolve } from './resolve.ts';

const mapping = createMapping(vectorDocuments.types);
const documents = new Map<string, Document>(
  vectorDocuments.documents.map(({ id, document }) => [id, document]),
);
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase('empty');
  client = new pg.Client(database.config);
  await client.connect();
  await createDocumentTable(client, vectorDocuments.documents);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function find(query: string): Promise<string[] | 'error'> {
  let tree: ReturnType<typeof parseQuery>;
  try {
    tree = parseQuery(query);
  } catch {
    return 'error';
  }
  return findBySql(client, resolve(tree, mapping, vectorDocuments.now), documents);
}

describe('a query through PostgreSQL', () => {
  it('finds what the search engine finds, on every query of the random vectors', async () => {
    const lines = readVectors('query-fuzz.jsonl').trim().split('\n');
    const wrong: unknown[] = [];
    for (const line of lines) {
      const vector: { q: string; hits?: string[]; error?: boolean } = JSON.parse(line);
      const found = await find(vector.q);
      const expected = vector.error ? 'error' : vector.hits;
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ q: vector.q, found, expected });
    }
    expect(wrong.slice(0, 10)).toEqual([]);
  });
});
