import { groupBy } from '../../lib/groupBy.ts';
import { empty, join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import { compileSort, type WhereSortItem } from '../../query/where/compileSort.ts';
import { compileWhere } from '../../query/where/compileWhere.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { catalogueOf, columnOf, selectList } from '../tables/members.ts';
import type { ColumnType, Fields, RecordOf, Table } from '../tables/table.ts';
import { reportSlowSearch } from './reportSlowSearch.ts';

export type Row = { [member: string]: unknown };
export type Use = 'read' | 'write';

/** A deletion waits for all locks on the record; a change lets others still bind to it. */
type Lock = 'change' | 'delete';
const locks = { change: raw('for no key update of t'), delete: raw('for update of t') };

/** A record as read; columns that records do not show have no type here. */
type Found<F extends Fields, N extends string> = {
  [K in N]: K extends keyof RecordOf<F> ? RecordOf<F>[K] : unknown;
};

/** One record that is not deleted, or undefined; `lock` keeps it still until the transaction ends. */
export async function findRecord<F extends Fields, N extends string>(
  db: Db,
  table: Table<F>,
  scope: Scope,
  id: number,
  names: readonly N[],
  options: { use?: Use; lock?: Lock } = {},
): Promise<Found<F, N> | undefined> {
  const from = sql`from ${source(table, scope)}
    where t.id = ${id} and t.status <> 'DELETED' and ${condition(table, scope, options.use ?? 'read')}`;
  // A statement of its own: what one statement reads after waiting for a lock mixes the new row with old bindings.
  if (options.lock) await db.prepared(sql`select 1 ${from} ${locks[options.lock]}`);
  return (await db.prepared<Found<F, N>>(sql`select ${selectList(table, names)} ${from}`))[0];
}

/** The records with these ids that are not deleted, by id. */
export async function findRecords(
  db: Db,
  table: Table,
  scope: Scope,
  ids: readonly number[],
  names: readonly string[],
): Promise<Map<number, Row>> {
  const rows = await db.query<Row & { foundId: number }>(
    sql`select t.id as "foundId", ${selectList(table, names)} from ${source(table, scope)}
      where t.id = any(${ids}) and t.status <> 'DELETED' and ${condition(table, scope, 'read')}`,
  );
  return new Map(rows.map(({ foundId, ...row }) => [foundId, row]));
}

export type Search = {
  from?: number;
  size?: number;
  where?: string;
  sort?: readonly WhereSortItem[];
  trackTotal?: boolean;
};

export async function searchRecords(
  db: Db,
  table: Table,
  scope: Scope,
  search: Search,
  names: readonly string[],
): Promise<{ data: Row[]; total?: number }> {
  const { filter, order } = compileRecordSearch(table, scope, search);
  const size = search.size ?? 10;
  const page = sql`select ${selectList(table, names)} from ${source(table, scope)} where ${filter}
    order by ${order} limit ${size} offset ${search.from ?? 0}`;
  const isPlain = !search.where && !search.sort;
  const data = size === 0 ? [] : isPlain ? await db.prepared<Row>(page) : await queryInTime<Row>(db, page);
  if (!search.trackTotal) return { data };
  const [counted] = await queryInTime<{ total: number }>(
    db,
    sql`select count(*) as total from ${source(table, scope)} where ${filter}`,
  );
  return { data, total: counted?.total ?? 0 };
}

/** The condition on `t` and the order of a search, which may throw a problem. */
export function compileRecordSearch(table: Table, scope: Scope, search: Pick<Search, 'where' | 'sort'>) {
  const catalogue = searchable(table);
  const { condition: where, names: named } = compileWhere(search.where ?? '', catalogue);
  const order = compileSort(search.sort, catalogue, sql`t.id`);
  const filter = sql`${condition(table, scope, 'read')}
    ${named.has('status') ? empty : raw("and t.status <> 'DELETED'")} ${where ? sql`and (${where})` : empty}`;
  return { filter, order };
}

/** The connections of searches have a time limit, so that none is kept for long. */
export async function queryInTime<T extends Row>(db: Db, statement: Sql): Promise<T[]> {
  return reportSlowSearch(
    () => db.query<T>(statement),
    'Narrow it by another condition, such as an id or an equality, or use fewer patterns.',
  );
}

/** Ids out of `ids` that exist for this scope, held so that they cannot be deleted before the transaction ends. */
export async function lockRecords(
  db: Db,
  table: Table,
  scope: Scope,
  ids: readonly number[],
  use: Use,
): Promise<Map<number, Row>> {
  const tenant = table.members.tenantId ? sql`, t.tenant_id as "tenantId"` : empty;
  const rows = await db.query<Row & { id: number }>(
    sql`select t.id ${tenant} from ${raw(table.name)} t
      where t.id = any(${ids}) and t.status <> 'DELETED' and ${condition(table, scope, use)} for key share of t`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export async function reserveId(db: Db, table: Table): Promise<number> {
  const rows = await db.query<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence(${table.name}, 'id')) as id`,
  );
  return onlyRow(rows).id;
}

export async function insertRecord(db: Db, table: Table, values: Row): Promise<number> {
  const names = Object.keys(values);
  const rows = await db.query<{ id: number }>(
    sql`insert into ${raw(table.name)} (${raw(names.map(columnOf).join(', '))})
      values (${valuesOf(table, names, values)}) returning id`,
  );
  return onlyRow(rows).id;
}

/** PostgreSQL takes 65,535 values a statement. */
const maxValues = 60_000;

/**
 * Inserts many records and returns their ids, in their order. `taken` has the indexes of those that a unique index refuses:
 * the caller must then undo the transaction.
 */
export async function insertRecords(
  db: Db,
  table: Table,
  records: readonly Row[],
): Promise<{ ids: number[]; taken: number[] }> {
  const reserved = await db.query<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence(${table.name}, 'id')) as id
      from generate_series(1, ${records.length}::int)`,
  );
  const ids = reserved.map(({ id }) => id);
  const rows = records.map((record, index): Row => ({ ...record, id: ids[index] }));
  const inserted = new Set<number>();
  for (const alike of groupBy(rows, (row) => Object.keys(row).sort().join()).values()) {
    const names = Object.keys(alike[0] ?? {}).sort();
    const most = Math.floor(maxValues / names.length);
    for (let start = 0; start < alike.length; start += most) {
      const part = alike.slice(start, start + most);
      const lists = part.map((row) => sql`(${valuesOf(table, names, row)})`);
      const written = await db.query<{ id: number }>(
        sql`insert into ${raw(table.name)} (${raw(names.map(columnOf).join(', '))})
          values ${join(lists, ', ')} on conflict do nothing returning id`,
      );
      for (const { id } of written) inserted.add(id);
    }
  }
  return { ids, taken: ids.flatMap((id, index) => (inserted.has(id) ? [] : [index])) };
}

function valuesOf(table: Table, names: readonly string[], values: Row): Sql {
  return join(
    names.map((name) => bind(table, name, values[name])),
    ', ',
  );
}

/** Writes the values that differ from the stored ones. False, and `updatedAt` stays, when none does. */
export async function updateRecord(
  db: Db,
  table: Table,
  scope: Scope,
  id: number,
  values: Row,
  now: number,
): Promise<boolean> {
  const columns = Object.entries(values).map(([name, value]) => ({
    name: raw(columnOf(name)),
    value: bind(table, name, value),
  }));
  if (columns.length === 0) return false;
  const assign = columns.map(({ name, value }) => sql`${name} = ${value}`);
  const differs = columns.map(({ name, value }) => sql`t.${name} is distinct from ${value}`);
  const rows = await db.query(
    sql`update ${raw(table.name)} t set ${join(assign, ', ')}, updated_at = ${now}
      where t.id = ${id} and ${condition(table, scope, 'write')} and (${join(differs, ' or ')}) returning 1`,
  );
  return rows.length > 0;
}

/** For a change of what belongs to the record and is stored elsewhere. */
export async function touchRecord(
  db: Db,
  table: Table,
  scope: Scope,
  id: number,
  now: number,
): Promise<void> {
  await db.query(
    sql`update ${raw(table.name)} t set updated_at = ${now}
      where t.id = ${id} and ${condition(table, scope, 'write')}`,
  );
}

/** Marks a record and all it owns as deleted, and drops the bindings to them. Returns how many of each kind went. */
export async function deleteRecords(
  db: Db,
  table: Table,
  ids: readonly number[],
  now: number,
): Promise<Record<string, number>> {
  const rows = await db.query<{ id: number }>(
    sql`select t.id from ${raw(table.name)} t where t.id = any(${ids}) and t.status <> 'DELETED'
      order by t.id ${locks.delete}`,
  );
  const gone = rows.map((row) => row.id);
  await db.query(
    sql`update ${raw(table.name)} t set status = 'DELETED', updated_at = ${now} where t.id = any(${gone})`,
  );
  const counts: Record<string, number> = { [table.kind]: gone.length };
  for (const { table: binding, column } of table.unbinds ?? []) {
    await db.query(
      sql`delete from ${raw(binding)} b using ${raw(table.name)} t
        where t.id = any(${gone}) and b.tenant_id = t.tenant_id and b.${raw(column)} = t.id`,
    );
  }
  for (const { table: child, column, ofTenant } of table.owns?.() ?? []) {
    const parents = ofTenant
      ? sql`join ${raw(table.name)} parent on parent.tenant_id = t.tenant_id and parent.id = t.${raw(column)}
          where parent.id = any(${gone})`
      : sql`where t.${raw(column)} = any(${gone})`;
    const children = await db.query<{ id: number }>(
      sql`select t.id from ${raw(child.name)} t ${parents} and t.status <> 'DELETED'`,
    );
    if (children.length === 0) continue;
    const below = await deleteRecords(
      db,
      child,
      children.map((row) => row.id),
      now,
    );
    for (const [kind, count] of Object.entries(below)) counts[kind] = (counts[kind] ?? 0) + count;
  }
  return counts;
}

/** The rows of a table as `t`, for a from clause. */
export function source(table: Table, scope: Scope): Sql {
  if (!table.isScopedInside) return sql`${raw(table.name)} t`;
  return sql`${raw(table.name)} t cross join (select ${scope.all}::boolean as is_everything,
    ${scope.tenantIds}::bigint[] as tenant_ids, ${scope.organisationIds}::bigint[] as organisation_ids) scope`;
}

function condition(table: Table, scope: Scope, use: Use): Sql {
  const rule = use === 'write' ? table.writable(scope) : table.visible(scope);
  return table.only ? sql`${raw(table.only)} and ${rule}` : rule;
}

const catalogues = new Map<Table, ReturnType<typeof catalogueOf>>();

/** `status` can be searched in every kind, also where the record does not show it (docs/api-spec.md). */
function searchable(table: Table): ReturnType<typeof catalogueOf> {
  const cached = catalogues.get(table);
  if (cached) return cached;
  const catalogue = catalogueOf({ ...table.members, status: { type: 'string' } });
  catalogues.set(table, catalogue);
  return catalogue;
}

function bind(table: Table, name: string, value: unknown): Sql {
  const member = table.members[name];
  const type: ColumnType | 'one' | 'many' | undefined = table.hidden?.[name] ?? member?.type;
  if (!type) throw new Error(`The ${table.kind} table has no column for ${name}.`);
  if (type === 'json') return sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
  return sql`${value}`;
}
