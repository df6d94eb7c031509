import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { alertKinds } from '../../model/alert.ts';
import type { Scope } from '../../model/principal.ts';
import { subField } from '../../query/lucene/mapping.ts';
import type { Db } from '../db/db.ts';
import { type OfTenant, perTenant } from '../db/shards/perTenant.ts';
import { alertTable } from '../search/documents/alertTable.ts';
import { findSharedContracts } from '../search/documents/documentScopes.ts';
import { memberColumn } from '../search/documents/documentTable.ts';

/** Sources of sampled newest alerts: whole tenants, and contracts that others share. */
export type SampleSource = {
  tenantIds: readonly number[];
  shared: readonly { tenantId: number; id: number }[];
};

export type Sampled = { value: string; count: number };

/** Newest alerts that are read, so that a sample takes milliseconds however many there are; `meta` may be large. */
const sampledRows = 2000;
const sampledMetas = 500;
const maxTenants = 20;
const maxContracts = 100;
/** Longer texts are nothing to choose from. */
const maxLength = 200;
const maxValues = 1000;

export async function findSampleSource(db: Db, scope: Scope): Promise<SampleSource> {
  if (scope.all) {
    const tenants = await db.prepared<{ id: number }>(
      sql`select id from tenant where status <> 'DELETED' order by id limit ${maxTenants}`,
    );
    return { tenantIds: tenants.map(({ id }) => id), shared: [] };
  }
  const shared = (await findSharedContracts(db, scope)).slice(0, maxContracts);
  return { tenantIds: scope.tenantIds, shared: shared.map(({ tenantId, id }) => ({ tenantId, id })) };
}

/** The values of a field, the most frequent first; undefined if alerts have no such field. */
export async function sampleValues(
  db: Db,
  source: SampleSource,
  field: string,
): Promise<Sampled[] | undefined> {
  const path = toPath(field);
  if (!path) return undefined;
  return sample(db, source, path.root === 'meta' ? sampledMetas : sampledRows, (meta) =>
    valuesAt(path, meta),
  );
}

/** The members of `meta`, each with the type of its values: `amount double`. */
export async function sampleMembers(db: Db, source: SampleSource): Promise<Sampled[]> {
  return sample(
    db,
    source,
    sampledMetas,
    (meta) => sql`(select e.key || ' ' || jsonb_typeof(e.value) as value from jsonb_each(${meta}) e) v`,
  );
}

async function sample(
  db: Db,
  { tenantIds, shared }: SampleSource,
  rows: number,
  values: (meta: Sql) => Sql,
): Promise<Sampled[]> {
  const parts: { newest: Sql; meta: Sql }[] = [];
  const meta = memberColumn(alertTable, 'meta').sql;
  const size = Math.ceil(rows / tenantIds.length);
  if (await db.isDistributed())
    for (const id of tenantIds) parts.push({ newest: newestOfTenants([id], size), meta });
  else if (tenantIds.length > 0) parts.push({ newest: newestOfTenants(tenantIds, rows), meta });
  // Private members of their owners are not sampled.
  await perTenant(db, shared, async (contracts, ofTenant) => {
    const share = Math.ceil((rows * contracts.length) / shared.length);
    parts.push({ newest: newestOfContracts(contracts, share, ofTenant), meta: raw("t.meta - 'private'") });
    return [];
  });
  const counts = new Map<string, number>();
  for (const { newest, meta } of parts) {
    const sampled = await db.query<Sampled>(
      sql`select v.value, count(*) as count from ${newest} cross join lateral ${values(meta)}
        where v.value is not null and v.value <> '' and length(v.value) <= ${maxLength}
        group by v.value order by count desc, v.value limit ${maxValues}`,
    );
    for (const { value, count } of sampled) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

/** By the primary key, backwards: PostgreSQL uses it for its order only where the tenant is compared with a value. */
function newestOfTenants(tenantIds: readonly number[], rows: number): Sql {
  const share = Math.ceil(rows / tenantIds.length);
  const parts = tenantIds.map(
    (id) => sql`(select * from alert t where t.tenant_id = ${id} and t.retracted_at is null
      order by t.timestamp desc limit ${share})`,
  );
  return sql`(${join(parts, ' union all ')}) t`;
}

/** By the index of a contract's alerts of one kind. */
function newestOfContracts(contracts: SampleSource['shared'], rows: number, ofTenant: OfTenant): Sql {
  const share = Math.ceil(rows / contracts.length / alertKinds.length);
  return sql`unnest(${contracts.map(({ tenantId }) => tenantId)}::bigint[], ${contracts.map(({ id }) => id)}::bigint[])
      s(tenant_id, contract_id)
    cross join unnest(${[...alertKinds]}::text[]) s2(kind) cross join lateral (
      select * from alert t where t.tenant_id = s.tenant_id and t.contract_id = s.contract_id and t.kind = s2.kind
        and t.retracted_at is null and ${ofTenant('t')}
      order by t.timestamp desc limit ${share}) t`;
}

type Path = { root: string; below: readonly string[] };

function toPath(field: string): Path | undefined {
  const name = field.endsWith(subField) ? field.slice(0, -subField.length) : field;
  const [root = '', ...below] = name.split('.');
  const column = alertTable.columns.get(root);
  const isJson = column?.store === 'json';
  return column && isJson === below.length > 0 && !below.includes('') ? { root, below } : undefined;
}

function valuesAt({ root, below }: Path, meta: Sql): Sql {
  const column = memberColumn(alertTable, root);
  if (column.store === 'json') {
    const path = `$${below.map((name) => `.${JSON.stringify(name)}`).join('')}[*]`;
    return sql`(select j.value #>> '{}' as value from jsonb_path_query(${meta}, ${path}::jsonpath) j(value)
      where jsonb_typeof(j.value) in ('string', 'number', 'boolean')) v`;
  }
  if (column.store === 'text[]') return sql`unnest(${column.sql}) v(value)`;
  return sql`(select (${column.sql})::text as value) v`;
}
