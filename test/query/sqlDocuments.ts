import type pg from 'pg';
import { join, raw, render, type Sql, sql } from '../../src/lib/sql.ts';
import { analyze, lowerCase } from '../../src/query/analyzer.ts';
import { beginningTerm } from '../../src/query/beginningTerm.ts';
import { createCoarseHashes } from '../../src/query/coarseHashes.ts';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import type { Predicate } from '../../src/query/lucene/predicate.ts';
import type { SqlColumn, SqlSource } from '../../src/query/lucene/sqlSource.ts';
import { narrowed, toSql } from '../../src/query/lucene/toSql.ts';
import { addMemberTerms } from '../../src/query/memberTerms.ts';
import { oddWords } from '../../src/query/plainWords.ts';

const columns: Record<string, { store: SqlColumn['store']; hashed?: 'whole' | 'words'; isFolded?: true }> = {
  uid: { store: 'text' },
  eid: { store: 'text', hashed: 'whole' },
  txHash: { store: 'text', hashed: 'whole' },
  severity: { store: 'text', hashed: 'whole' },
  name: { store: 'text[]', hashed: 'words' },
  message: { store: 'text', hashed: 'words' },
  numericSeverity: { store: 'number' },
  timestamp: { store: 'number' },
  tags: { store: 'text[]', hashed: 'whole' },
  score: { store: 'number' },
  meta: { store: 'json', hashed: 'words' },
};
const types = {
  text: 'text',
  'text[]': 'text[]',
  number: 'double precision',
  boolean: 'boolean',
  json: 'jsonb',
};

export const documentSource: SqlSource = {
  columns: new Map(
    Object.entries(columns).map(([name, { store, hashed }]) => [
      name,
      { sql: raw(`t."${name}"`), store, ...(hashed ? { hashed } : {}) },
    ]),
  ),
  oddWords: raw('t.odd_words'),
  terms: raw('t.terms'),
  hash: (column, term) => createCoarseHashes(1, column)(term).map((hash) => [hash]),
  hasMemberTerms: true,
  hasDecimalTerms: true,
  hasBeginnings: true,
};

export type Document = { [member: string]: unknown };

/** The documents of the vectors as rows, with an inverted index, as alerts are stored. */
export async function createDocumentTable(
  client: pg.Client,
  documents: readonly { id: string; document: Document }[],
) {
  const definitions = Object.entries(columns).map(([name, { store }]) => `"${name}" ${types[store]}`);
  await client.query(
    `create table document (id text, ${definitions.join(', ')}, odd_words jsonb, terms int4[])`,
  );
  for (const { id, document } of documents) {
    const names = Object.keys(columns);
    const values = names.map((name) => bound(columns[name]!.store, document[name]));
    const { text, values: bind } = render(
      sql`insert into document values (${id}, ${join(values, ', ')}, ${JSON.stringify(oddTexts(document))}, ${termsOf(document)}::int4[])`,
    );
    await client.query(text, bind);
  }
}

function bound(store: SqlColumn['store'], value: unknown): Sql {
  if (value === undefined || value === null) return sql`null`;
  if (store === 'json') return sql`${JSON.stringify(value)}::jsonb`;
  return store === 'text[]' ? sql`${[value].flat()}::text[]` : sql`${value}`;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function oddTexts(document: Document): Record<string, string> {
  const odd = textsOf(document).flatMap((text): [string, string][] => {
    const words = oddWords(text);
    return words === undefined ? [] : [[text, words]];
  });
  return Object.fromEntries(odd);
}

function termsOf(document: Document): number[] {
  return Object.entries(columns).flatMap(([name, { hashed }]) => {
    const texts = textsOf(document[name]);
    const terms: number[] = [];
    if (name === 'meta')
      addMemberTerms('meta', document.meta, (field, term) =>
        terms.push(...createCoarseHashes(1, field)(term)),
      );
    const found =
      hashed === 'words' ? texts.flatMap(analyze) : texts.flatMap((text) => [text, lowerCase(text)]);
    for (const text of hashed ? found : [])
      for (const term of [text, beginningTerm(text)])
        if (term !== undefined) terms.push(...createCoarseHashes(1, name)(term));
    return terms;
  });
}

/** The ids that a query finds through SQL; what SQL knows only roughly passes the matcher as well. */
export async function findBySql(
  client: pg.Client,
  predicate: Predicate,
  documents: ReadonlyMap<string, Document>,
  source = documentSource,
): Promise<string[]> {
  const part = toSql(predicate, source);
  const { text, values } = render(
    sql`select id from document t where ${narrowed(part, sql`t.terms`)} order by id`,
  );
  const { rows } = await client.query<{ id: string }>(text, values);
  const ids = rows.map((row) => row.id);
  if (part.isExact) return ids;
  const matches = createMatcher(predicate);
  return ids.filter((id) => matches(createSubject(documents.get(id))));
}
