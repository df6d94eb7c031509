import { type Sql, sql } from '../../../lib/sql.ts';
import { createMapping, type Mapping, type MappingTypes } from '../../../query/lucene/mapping.ts';
import type { SqlColumn } from '../../../query/lucene/sqlSource.ts';

/** A partitioned table whose rows are searched by query string: alerts, score changes. Its alias is `t`. */
export type DocumentTable = {
  name: 'alert' | 'score_change';
  mapping: Mapping;
  /** Every member of a document, by name. */
  columns: ReadonlyMap<string, SqlColumn>;
  /** Rows that are omitted unless the query names one of these fields. */
  hidden?: { condition: Sql; unless: readonly string[] };
  /** All columns whose values may be so long that PostgreSQL stores them elsewhere, if these are known. */
  mayBeLong?: readonly string[];
  /** Members that change after the transaction that stored the document, without a change of the roll-ups, if these are known. */
  changing?: readonly string[];
};

/** The column of a member, which must exist. */
export function memberColumn(
  { name, columns }: Pick<DocumentTable, 'name' | 'columns'>,
  member: string,
): SqlColumn {
  const column = columns.get(member);
  if (!column) throw new Error(`The ${name} table has no member ${member}.`);
  return column;
}

type Member = SqlColumn & { type: MappingTypes[string] };

export function defineDocumentTable(
  name: DocumentTable['name'],
  members: Readonly<Record<string, Member>>,
  hidden?: DocumentTable['hidden'],
  known: Pick<DocumentTable, 'mayBeLong' | 'changing'> = {},
): DocumentTable {
  const types: Record<string, MappingTypes[string]> = {};
  for (const [member, { type }] of Object.entries(members)) {
    types[member] = type;
    if (type === 'text') types[`${member}.keyword`] = 'keyword';
  }
  return {
    name,
    mapping: createMapping(types),
    columns: new Map(Object.entries(members).map(([member, { type: _type, ...column }]) => [member, column])),
    ...(hidden ? { hidden } : {}),
    ...known,
  };
}

/**
 * The documents that a call may see: a condition on `t`, and its tenants, if listed. `ordered`: an equivalent condition
 * with a time-ordered index. `foreign`: shared documents, whose private members stay hidden.
 */
export type DocumentScope = {
  condition: Sql;
  tenantIds: readonly number[] | undefined;
  ordered?: Sql;
  foreign?: Sql;
  /** The contract, or with contract 0 the tenant, whose roll-ups count exactly the documents of the call. */
  counted?: { tenantId: number; contractId: number; kind?: string };
  /** True if `tenantIds` are those of everybody whose worker answers, so that every statement has to name them. */
  isPartial?: boolean;
  /** The same for scopes that are the same in all of this, so that what was worked out for one serves the next. */
  key?: string;
};

/** The table as the caller sees it: without the member `private` of the `meta` of foreign documents. */
export function asSeenIn(table: DocumentTable, { foreign }: DocumentScope): DocumentTable {
  const meta = table.columns.get('meta');
  if (!foreign || !meta) return table;
  const shown = sql`(case when ${foreign} then ${meta.sql} - 'private' else ${meta.sql} end)`;
  return { ...table, columns: new Map([...table.columns, ['meta', { ...meta, sql: shown }]]) };
}
