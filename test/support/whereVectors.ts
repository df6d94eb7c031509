import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { render, type Sql, sql } from '../../src/lib/sql.ts';
import type { Catalogue } from '../../src/query/where/catalogue.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';

type Vector = { where: string; ids?: number[]; error?: number; note?: string };

const file = new URL('../vectors/where-vectors.json', import.meta.url);
const { records, vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
  records: unknown[];
  vectors: Vector[];
};

export const whereVectors = vectors;

/** The catalogue that the vectors speak of; secrets are not in it. */
export const vectorCatalogue: Catalogue = {
  id: { type: 'integer', column: sql`t.id` },
  name: { type: 'string', column: sql`t.name` },
  status: { type: 'string', column: sql`t.status` },
  tenantId: { type: 'integer', column: sql`t."tenantId"` },
  tags: { type: 'string', column: sql`t.tags`, array: true },
  source: { type: 'string', column: sql`t.source` },
  score: { type: 'number', column: sql`t.score` },
  amlRequired: { type: 'boolean', column: sql`t."amlRequired"` },
  config: { type: 'json', column: sql`t.config` },
  schema: {
    type: 'one',
    from: sql`(select (t.schema).*) s where t.schema is not null`,
    fields: {
      name: { type: 'string', column: sql`s.name` },
      version: { type: 'string', column: sql`s.version` },
    },
  },
};

/** The records of the vectors in PostgreSQL. */
export async function createVectorRecords(): Promise<{
  ids(condition: Sql): Promise<number[]>;
  close(): Promise<void>;
}> {
  const database = await createTestDatabase('empty');
  const client = new Client(database.config);
  await client.connect();
  await client.query(`
    create type schema_type as (name text, version text);
    create table vector (id int, name text, status text, "tenantId" int, tags text[], source text,
      score float8, "amlRequired" boolean, config jsonb, schema schema_type)`);
  await client.query('insert into vector select * from jsonb_populate_recordset(null::vector, $1::jsonb)', [
    JSON.stringify(records),
  ]);
  return {
    async ids(condition) {
      const { text, values } = render(sql`select t.id from vector t where ${condition} order by t.id`);
      return (await client.query<{ id: number }>(text, values)).rows.map(({ id }) => id);
    },
    async close() {
      await client.end();
      await database.drop();
    },
  };
}
