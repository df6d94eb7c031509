import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

type TriggerSchema = {
  name: string;
  title: string;
  description: string;
  interceptorType: string;
  families: readonly string[];
  paramsSchema: unknown;
  metaMembers: readonly string[];
  examples: unknown;
};

/** Makes the catalogue these kinds of triggers; rows that are the same stay as they are. */
export async function saveTriggerSchemas(
  db: Db,
  schemas: readonly TriggerSchema[],
  now: number,
): Promise<void> {
  await db.query(
    sql`with kinds as (
        select * from json_to_recordset(${JSON.stringify(schemas)}::json) as r(name text, title text, description text,
          "interceptorType" text, families text[], "paramsSchema" jsonb, "metaMembers" text[], examples jsonb)),
      dropped as (delete from trigger_schema where name not in (select name from kinds))
      insert into trigger_schema as s (created_at, updated_at, name, title, description, interceptor_type, network_tags,
        params_schema, meta_members, examples)
      select ${now}::bigint, ${now}::bigint, name, title, description, "interceptorType", families, "paramsSchema",
        "metaMembers", examples from kinds
      on conflict (name) do update set title = excluded.title, description = excluded.description,
        interceptor_type = excluded.interceptor_type, network_tags = excluded.network_tags,
        params_schema = excluded.params_schema, meta_members = excluded.meta_members, examples = excluded.examples,
        updated_at = excluded.updated_at
      where (s.title, s.description, s.interceptor_type, s.network_tags, s.params_schema, s.meta_members, s.examples)
        is distinct from (excluded.title, excluded.description, excluded.interceptor_type, excluded.network_tags,
          excluded.params_schema, excluded.meta_members, excluded.examples)`,
  );
}
