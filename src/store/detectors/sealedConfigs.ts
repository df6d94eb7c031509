import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import type { Row } from '../records/records.ts';

/** The credentials of a detector's configuration in their sealed form, by member. */
export async function findSealedConfig(db: Db, tenantId: number, detectorId: number): Promise<Row> {
  const rows = await db.query<{ sealed: Row | null }>(
    sql`select sealed_config as sealed from detector where tenant_id = ${tenantId} and id = ${detectorId}`,
  );
  return rows[0]?.sealed ?? {};
}

export type PlainConfig = { tenantId: number; id: number; config: Row };

/** Configurations of detectors of this schema that have one of these members unsealed; locked until the transaction ends. */
export async function findPlainConfigs(
  tx: Db,
  schemaId: number,
  members: readonly string[],
  limit: number,
): Promise<PlainConfig[]> {
  return tx.query<PlainConfig>(
    sql`select d.tenant_id as "tenantId", d.id, d.config from detector d
      where d.schema_id = ${schemaId} and exists (select from unnest(${[...members]}::text[]) m(name)
        where jsonb_typeof(d.config->m.name) = 'string' and not coalesce(d.sealed_config ? m.name, false))
      order by d.id limit ${limit} for update of d skip locked`,
  );
}

export async function writeSealedConfig(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  shown: Row,
  sealed: Row,
): Promise<void> {
  await tx.query(
    sql`update detector set config = config || ${JSON.stringify(shown)}::jsonb,
        sealed_config = coalesce(sealed_config, '{}') || ${JSON.stringify(sealed)}::jsonb
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

/** Backtests that are over need their configuration no longer. */
export async function removeBacktestMembers(
  tx: Db,
  schemaName: string,
  members: readonly string[],
): Promise<void> {
  await tx.query(
    sql`update backtest set config = config - ${[...members]}::text[]
      where schema_name = ${schemaName} and state in ('DONE', 'FAILED', 'CANCELED')
        and config ?| ${[...members]}::text[]`,
  );
}

export type PlainUri = { tenantId: number; id: number; uri: string };

export async function findPlainUris(tx: Db, limit: number): Promise<PlainUri[]> {
  return tx.query<PlainUri>(
    sql`select tenant_id as "tenantId", id, messenger_b_uri as uri from destination
      where messenger_b_uri is not null and sealed_messenger_b_uri is null
      order by id limit ${limit} for update skip locked`,
  );
}

export async function writeSealedUri(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  shown: string,
  box: Buffer,
): Promise<void> {
  await tx.query(
    sql`update destination set sealed_messenger_b_uri = ${box}, messenger_b_uri = ${shown},
        value = case when type = 'MESSENGER_B' then ${shown} else value end
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

export async function findSchemas(db: Db): Promise<{ id: number; name: string; configSchema: Row | null }[]> {
  return db.query(sql`select id, name, config_schema as "configSchema" from detector_schema`);
}
