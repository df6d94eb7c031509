import { raw, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { keptFrom } from '../search/months/partitions.ts';

/** Tables that belong to alerts, and the column with their time. */
const tables = {
  incident: 'last_at',
  incident_message: 'sent_at',
  alert_comment: 'alert_timestamp',
} as const;

/** Incidents and comments are kept as long as alerts, which are dropped by months or days. */
export async function purgeBesideAlerts(db: Db, retainedFrom: number): Promise<void> {
  const before = await keptFrom(db, retainedFrom);
  for (const [table, time] of Object.entries(tables)) await purge(db, table, time, before);
}

/** After a while no more alerts of a transaction come, and no cause repeats. */
export async function purgeIncidentKeys(db: Db, before: number): Promise<void> {
  await purge(db, 'incident_key', 'last_at', before);
}

async function purge(db: Db, table: string, time: string, before: number): Promise<void> {
  // Workers know no rows of the coordinator; each deletes all of its own.
  if (table === 'incident' && (await db.isDistributed())) {
    await db.query(sql`delete from incident where last_at < ${before}`);
    return;
  }
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with gone as (delete from ${raw(table)} where ctid = any(array(
          select ctid from ${raw(table)} where ${raw(time)} < ${before} limit ${limit})) returning 1)
        select count(*) as count from gone`,
    );
    return onlyRow(rows).count;
  });
}
