import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createDocumentTable, type Document } from './sqlDocuments.ts';

/** A database with these documents for the tests of a file; the client is there once they run. */
export function useDocumentTable(documents: readonly { id: string; document: Document }[]): () => pg.Client {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase('empty');
    client = new pg.Client(database.config);
    await client.connect();
    await createDocumentTable(client, documents);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  return () => client;
}
