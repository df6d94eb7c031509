import { sql } from '../../lib/sql.ts';
import type { ScoreFault } from '../../model/score.ts';
import { type Db, onlyRow } from '../db/db.ts';

export type PresentScores = {
  licenseId: number;
  version: string;
  params: string | null;
  /** True if an alert raised now would be scored. */
  isScoring: boolean;
  fault: ScoreFault | null;
  /** Events that are not scored yet, counted up to 10,000. */
  waiting: number;
  groups: { name: string; title: string | null; status: string }[];
  standing: { scoreGroup: string; score: number; changes: number; changedAt: number }[];
};

type InstanceKey = { tenantId: number; id: number };

/** The scores of an instance; the caller has checked that it is visible. */
export async function findPresentScores(
  db: Db,
  { tenantId, id }: InstanceKey,
  now: number,
): Promise<PresentScores> {
  const time = new Date(now).toISOString();
  const rows = await db.prepared<PresentScores>(
    sql`select i.license_id as "licenseId", l.version, l.params, s.fault,
        i.status = 'ACTIVE' and i.license_status = 'LICENCED' and l.status = 'ACTIVE' and l.score_script is not null
          and exists (select from license_instance_meta m
            where m.tenant_id = i.tenant_id and m.license_instance_id = i.id
            and m.status = 'ACTIVE' and m.started_at <= ${time} and (m.expired_at is null or ${time} < m.expired_at))
          as "isScoring",
        (select count(*) from (select from score_work w where w.tenant_id = i.tenant_id and w.license_instance_id = i.id
          limit 10000) w) as waiting,
        (select coalesce(json_agg(json_build_object('name', g.name, 'title', g.title, 'status', g.status)
           order by g.id), '[]'::json)
         from score_group g where g.license_id = l.id and g.status <> 'DELETED') as groups,
        (select coalesce(json_agg(json_build_object('scoreGroup', p.score_group, 'score', p.score, 'changes', p.changes,
          'changedAt', p.changed_at) order by p.score_group), '[]'::json)
         from score_standing p where p.tenant_id = i.tenant_id and p.license_instance_id = i.id) as standing
      from license_instance i join license l on l.id = i.license_id
      left join score_lane s on s.tenant_id = i.tenant_id and s.license_instance_id = i.id
      where i.tenant_id = ${tenantId} and i.id = ${id}`,
  );
  return onlyRow(rows);
}

/** The sum of the changes of a group within one interval, in millionths; intervals count from `from`. */
export type Movement = { scoreGroup: string; interval: number; millionths: number };

/** All movements after `from`; those beyond the last interval count to it. */
export async function findMovements(
  db: Db,
  { tenantId, id }: InstanceKey,
  { from, widthMs, intervals }: { from: number; widthMs: number; intervals: number },
): Promise<Movement[]> {
  return db.prepared<Movement>(
    sql`select c.score_group as "scoreGroup",
        least((c.timestamp - ${from}) / ${widthMs}::bigint, ${intervals}::bigint) as interval,
        sum(round(c.score_change * 1000000)::bigint)::bigint as millionths
      from score_change c where c.tenant_id = ${tenantId} and c.license_instance_id = ${id} and c.timestamp >= ${from}
      group by 1, 2 order by 2, 1`,
  );
}
