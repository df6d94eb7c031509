import { sql } from '../../lib/sql.ts';
import { storableJson } from '../../lib/storableJson.ts';
import type { Db } from '../db.ts';

/** How the endpoints of a chain fare in the process that follows it, for everybody to see. */
export async function saveEndpointHealth(
  db: Db,
  chainUid: string,
  holder: string,
  endpoints: readonly unknown[],
): Promise<void> {
  const text = storableJson(endpoints);
  await db.prepared(
    sql`update chain_cursor set endpoints = ${text}::jsonb
      where chain_uid = ${chainUid} and holder = ${holder} and endpoints is distinct from ${text}::jsonb`,
  );
}
