import { Client } from 'pg';
import { render, type Sql, sql } from '../../src/lib/sql.ts';
import type { Catalogue } from '../../src/query/where/catalogue.ts';
import type { Random } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import type { Json, Shape } from './whereOracle.ts';
import { randomThings, type Thing } from './whereRecords.ts';

/** Tables that have every kind of field, nested both ways, with random rows: what a where clause can be tried on. */
export type WhereWorld = {
  readonly catalogue: Catalogue;
  readonly shape: Shape;
  /** Puts other random records in place of those that are there, and returns them as a caller of the API sees them. */
  refill(random: Random, count: number): Promise<Thing[]>;
  ids(condition: Sql): Promise<number[]>;
  sorted(order: Sql): Promise<number[]>;
  close(): Promise<void>;
};

export async function createWhereWorld(): Promise<WhereWorld> {
  const database = await createTestDatabase('empty');
  const client = new Client(database.config);
  await client.connect();
  // As in the sessions of Vigil.
  await client.query('set jit = off');
  await client.query(tables);
  const select = async (statement: Sql) => {
    const { text, values } = render(statement);
    const { rows } = await client.query<{ id: string }>(text, values);
    return rows.map(({ id }) => Number(id));
  };
  return {
    catalogue,
    shape,
    async refill(random, count) {
      const things = randomThings(random, count);
      await client.query('truncate thing, thing_schema, revision, part, note');
      await insert(client, things);
      return things;
    },
    ids: (condition) => select(sql`select t.id from thing t where ${condition} order by t.id`),
    sorted: (order) => select(sql`select t.id from thing t order by ${order}`),
    async close() {
      await client.end();
      await database.drop();
    },
  };
}

/** Some columns have a collation of their own: the outcome may not depend on it. */
const tables = `
  create table thing (id bigint primary key, tenant int, name text collate "und-x-icu", score float8, amount numeric, active boolean,
    tags text[] collate "und-x-icu", counts bigint[], config jsonb);
  create table thing_schema (thing_id bigint primary key, name text collate "und-x-icu", version int, options jsonb, flags text[]);
  create table revision (thing_id bigint, number int, stable boolean);
  create table part (id text primary key, thing_id bigint, label text, size bigint, weight float8, marks text[], extra jsonb);
  create table note (part_id text, text text)`;

const catalogue: Catalogue = {
  id: { type: 'integer', column: sql`t.id` },
  tenant: { type: 'integer', column: sql`t.tenant` },
  name: { type: 'string', column: sql`t.name` },
  score: { type: 'number', column: sql`t.score` },
  amount: { type: 'number', column: sql`t.amount` },
  active: { type: 'boolean', column: sql`t.active` },
  tags: { type: 'string', column: sql`t.tags`, array: true },
  counts: { type: 'integer', column: sql`t.counts`, array: true },
  config: { type: 'json', column: sql`t.config` },
  schema: {
    type: 'one',
    from: sql`thing_schema s where s.thing_id = t.id`,
    fields: {
      name: { type: 'string', column: sql`s.name` },
      version: { type: 'integer', column: sql`s.version` },
      options: { type: 'json', column: sql`s.options` },
      flags: { type: 'string', column: sql`s.flags`, array: true },
      revisions: {
        type: 'many',
        from: sql`revision r where r.thing_id = s.thing_id`,
        fields: {
          number: { type: 'integer', column: sql`r.number` },
          stable: { type: 'boolean', column: sql`r.stable` },
        },
      },
    },
  },
  parts: {
    type: 'many',
    // An OR that is not in parentheses, so that a condition glued to it would be seen.
    from: sql`part p where p.thing_id = t.id or p.thing_id = -t.id`,
    fields: {
      label: { type: 'string', column: sql`p.label` },
      size: { type: 'integer', column: sql`p.size` },
      weight: { type: 'number', column: sql`p.weight` },
      marks: { type: 'string', column: sql`p.marks`, array: true },
      extra: { type: 'json', column: sql`p.extra` },
      notes: {
        type: 'many',
        from: sql`note n where n.part_id = p.id`,
        fields: { text: { type: 'string', column: sql`n.text` } },
      },
      schema: {
        type: 'one',
        from: sql`thing_schema s where s.thing_id = p.size`,
        fields: { name: { type: 'string', column: sql`s.name` } },
      },
    },
  },
};

const shape: Shape = {
  id: 'integer',
  tenant: 'integer',
  name: 'string',
  score: 'number',
  amount: 'number',
  active: 'boolean',
  tags: 'string',
  counts: 'integer',
  config: 'json',
  schema: {
    name: 'string',
    version: 'integer',
    options: 'json',
    flags: 'string',
    revisions: { number: 'integer', stable: 'boolean' },
  },
  parts: {
    label: 'string',
    size: 'integer',
    weight: 'number',
    marks: 'string',
    extra: 'json',
    notes: { text: 'string' },
    schema: { name: 'string' },
  },
};

async function insert(client: Client, things: Thing[]): Promise<void> {
  const rows: { [table: string]: Json[] } = {
    thing: things,
    thing_schema: [],
    revision: [],
    part: [],
    note: [],
  };
  for (const { id, schema, parts } of things) {
    if (schema !== null) {
      rows.thing_schema!.push({ ...schema, thing_id: id });
      rows.revision!.push(...schema.revisions.map((revision) => ({ ...revision, thing_id: id })));
    }
    for (const [index, part] of parts.entries()) {
      const partId = `${id}-${index}`;
      rows.part!.push({ ...part, id: partId, thing_id: index % 2 === 0 ? id : `-${id}` });
      rows.note!.push(...part.notes.map((note) => ({ ...note, part_id: partId })));
    }
  }
  for (const [table, records] of Object.entries(rows)) {
    const statement = `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`;
    await client.query(statement, [JSON.stringify(records)]);
  }
}
