import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

type NewSchema = {
  title: string;
  name: string;
  version: string;
  description: string;
  category: string;
  families: readonly string[];
  configSchema: unknown;
};

/** Writes the schemas that are new or differ; an administrator's choice of status is kept. */
export async function upsertDetectorSchemas(
  db: Db,
  schemas: readonly NewSchema[],
  now: number,
): Promise<void> {
  await db.query(
    sql`insert into detector_schema as s
        (created_at, updated_at, title, name, version, description, author, tags, network_tags, config_schema)
      select ${now}::bigint, ${now}::bigint, r.title, r.name, r.version, r.description, 'Vigil', array[r.category],
        r.families, r."configSchema"
      from json_to_recordset(${JSON.stringify(schemas)}::json)
        as r(title text, name text, version text, description text, category text, families text[],
          "configSchema" jsonb)
      on conflict (name, version) where status <> 'DELETED' do update
        set title = excluded.title, description = excluded.description, tags = excluded.tags,
          network_tags = excluded.network_tags, config_schema = excluded.config_schema, updated_at = excluded.updated_at
        where (s.title, s.description, s.tags, s.network_tags, s.config_schema) is distinct from
          (excluded.title, excluded.description, excluded.tags, excluded.network_tags, excluded.config_schema)`,
  );
}

/** The newest version of a schema that may be used. */
export async function findSchemaId(db: Db, name: string): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(
    sql`select id from detector_schema where name = ${name} and status = 'ACTIVE' order by id desc limit 1`,
  );
  return rows[0]?.id;
}

/** The ids of those of the contracts that have a detector of the schema. */
export async function findDetected(
  db: Db,
  contracts: readonly { tenantId: number; id: number }[],
  schemaId: number,
): Promise<Set<number>> {
  const tenantIds = [...new Set(contracts.map(({ tenantId }) => tenantId))];
  const rows = await db.query<{ id: number }>(
    sql`select distinct contract_id as id from detector where tenant_id = any(${tenantIds})
      and contract_id = any(${contracts.map(({ id }) => id)}) and schema_id = ${schemaId} and status <> 'DELETED'`,
  );
  return new Set(rows.map(({ id }) => id));
}

export async function findSchemaName(db: Db, id: number): Promise<string | undefined> {
  const rows = await db.query<{ name: string }>(
    sql`select name from detector_schema where id = ${id} and status = 'ACTIVE'`,
  );
  return rows[0]?.name;
}

/** The oldest detector of each kind that a contract has, by the name of its schema. */
export async function findDetectorIds(
  db: Db,
  tenantId: number,
  contractId: number,
): Promise<Map<string, number>> {
  const rows = await db.query<{ name: string; id: number }>(
    sql`select s.name, min(d.id) as id from detector d join detector_schema s on s.id = d.schema_id
      where d.tenant_id = ${tenantId} and d.contract_id = ${contractId} and d.status <> 'DELETED' group by s.name`,
  );
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** True if a further contract of the tenant on the chain has an active detector of the kind. */
export async function isDetectedElsewhere(
  db: Db,
  contract: { tenantId: number; chainUid: string; id: number },
  schemaName: string,
): Promise<boolean> {
  const { tenantId, chainUid, id } = contract;
  const rows = await db.query(
    sql`select 1 from detector d join detector_schema s on s.id = d.schema_id
      join contract c on c.tenant_id = d.tenant_id and c.id = d.contract_id
      where d.tenant_id = ${tenantId} and s.name = ${schemaName} and d.status = 'ACTIVE'
        and c.chain_uid = ${chainUid} and c.status = 'ACTIVE' and c.id <> ${id} limit 1`,
  );
  return rows.length > 0;
}

/** Names of the schemas that may be used. */
export async function listSchemaNames(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    sql`select distinct name from detector_schema where status = 'ACTIVE' order by name`,
  );
  return rows.map(({ name }) => name);
}
