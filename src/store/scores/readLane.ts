import { sql } from '../../lib/sql.ts';
import type { ScoreEvent } from '../../model/score.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { getsScoresType } from '../tables/kindConditions.ts';
import type { Lane } from './lanes.ts';

/** The license, the scores and the queued work of an instance, in order. */
export type LaneState = Lane & {
  organisationId: number;
  projectId: number;
  licenseId: number;
  params: string | null;
  groupScript: string | null;
  scoreScript: string | null;
  scoreGroups: { name: string; status: string }[];
  standing: Record<string, number>;
  nextI: number;
  work: ScoreWork[];
  /** True if a destination receives score changes. */
  hasSubscribers: boolean;
};

type Queued = { id: number; at: number };
export type ScoreWork =
  | (Queued & { type: 'alert' | 'tick'; data: ScoreEvent })
  | (Queued & { type: 'retraction'; alertUid: string; alertTimestamp: number });

/** Call after claiming the lane, so that the license is current. */
export async function readLane(db: Db, lane: Lane, limit: number): Promise<LaneState> {
  const rows = await db.prepared<Omit<LaneState, keyof Lane>>(
    sql`select i.organisation_id as "organisationId", i.project_id as "projectId", i.license_id as "licenseId",
      l.params, l.group_script as "groupScript", l.score_script as "scoreScript", s.next_i as "nextI",
        (select coalesce(json_agg(json_build_object('name', g.name, 'status', g.status) order by g.id), '[]'::json)
         from score_group g where g.license_id = l.id and g.status <> 'DELETED') as "scoreGroups",
        (select coalesce(json_object_agg(p.score_group, p.score), '{}'::json) from score_standing p
         where p.tenant_id = i.tenant_id and p.license_instance_id = i.id) as standing,
        (select coalesce(json_agg(json_build_object('id', w.id, 'type', w.type, 'at', w.at, 'alertUid', w.alert_uid,
          'alertTimestamp', w.alert_timestamp, 'data', w.data) order by w.id), '[]'::json)
         from (select * from score_work w where w.tenant_id = i.tenant_id and w.license_instance_id = i.id
               order by w.id limit ${limit}) w) as work,
        exists (select from destination x where ${receivesScores} and x.tenant_id = i.tenant_id) as "hasSubscribers"
      from score_lane s
      join license_instance i on i.tenant_id = s.tenant_id and i.id = s.license_instance_id
      join license l on l.id = i.license_id
      where s.tenant_id = ${lane.tenantId} and s.license_instance_id = ${lane.instanceId}`,
  );
  return { ...lane, ...onlyRow(rows) };
}

/** Destinations that receive score changes: webhooks tagged DEFAULT, because people are notified of the alert itself. */
export const receivesScores = sql`x.status = 'ACTIVE' and ${getsScoresType()} and 'DEFAULT' = any(x.tags)`;
