import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import type { IncidentKeyRow } from './incidentTable.ts';

export type IncidentJudgement = { disposition: string | null; reason: string | null };

/** Quality of a detector over a time. */
export type Quality = {
  acknowledged: number;
  medianMs: number | null;
  judged: Record<'TRUE' | 'BENIGN' | 'KNOWN' | 'TEST', number>;
};

/** Stores what an incident turned out to be, for it and for each detector with an alert in it; null takes it back. */
export async function judgeIncident(
  tx: Db,
  incident: IncidentKeyRow,
  { disposition, reason }: IncidentJudgement,
  now: number,
): Promise<void> {
  const { tenantId, uid, firstAt, lastAt } = incident;
  await tx.query(
    sql`update incident i set disposition = ${disposition}::text, disposition_reason = ${reason}::text,
        updated_at = ${now}
      where i.tenant_id = ${tenantId} and i.uid = ${uid}::uuid`,
  );
  const found = await perTenant(tx, [{ tenantId }], (_of, ofTenant) =>
    tx.query<{ id: number }>(
      sql`select distinct t.detector_id as id from alert t
        where t.tenant_id = ${tenantId} and t.timestamp between ${firstAt} and ${lastAt}
          and ${incidentUidSql} = ${uid}::uuid and t.detector_id is not null and t.retracted_at is null
          and ${ofTenant('t')}`,
    ),
  );
  await tx.query(
    sql`delete from detector_judgement j where j.tenant_id = ${tenantId} and j.incident_uid = ${uid}::uuid`,
  );
  if (disposition !== null)
    await tx.query(
      sql`insert into detector_judgement (tenant_id, detector_id, incident_uid, at, disposition)
        select ${tenantId}, d.id, ${uid}::uuid, ${now}, ${disposition}
        from unnest(${found.map(({ id }) => id)}::bigint[]) d(id)`,
    );
}

/** By an index on the detector and the time: what it costs follows from what people judged, not from its alerts. */
export async function readQuality(
  db: Db,
  { tenantId, id }: { tenantId: number; id: number },
  since: number,
): Promise<Quality> {
  const rows = await db.query<Quality>(
    sql`select a.acknowledged, a.median as "medianMs", j.judged from
      (select count(*) as acknowledged,
          (percentile_disc(0.5) within group (order by c.took_ms))::bigint as median
        from detector_acknowledgement c
        where c.tenant_id = ${tenantId} and c.detector_id = ${id} and c.at >= ${since}) a,
      (select json_build_object('TRUE', count(*) filter (where j.disposition = 'TRUE'),
          'BENIGN', count(*) filter (where j.disposition = 'BENIGN'),
          'KNOWN', count(*) filter (where j.disposition = 'KNOWN'),
          'TEST', count(*) filter (where j.disposition = 'TEST')) as judged
        from detector_judgement j
        where j.tenant_id = ${tenantId} and j.detector_id = ${id} and j.at >= ${since}) j`,
  );
  return onlyRow(rows);
}

/** Deletes what no figure counts any more. */
export async function purgeJudgements(db: Db, before: number): Promise<void> {
  for (const table of [sql`detector_acknowledgement`, sql`detector_judgement`])
    await inChunks(async (limit) => {
      const rows = await db.query<{ count: number }>(
        sql`with gone as (delete from ${table} where ctid = any(array(
            select ctid from ${table} where at < ${before} limit ${limit})) returning 1)
          select count(*) as count from gone`,
      );
      return onlyRow(rows).count;
    });
}
