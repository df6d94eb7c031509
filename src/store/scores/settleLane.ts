import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { ScoreFault } from '../../model/score.ts';
import type { Db } from '../db/db.ts';
import type { LaneState } from './readLane.ts';
import { type NewScoreChange, scoreRow } from './scoreRow.ts';

/**
 * Writes the changes and the current scores, deletes the finished work and releases the lane, in the transaction. It does
 * nothing, and returns false, if another process holds the lane.
 */
export async function settleLane(
  db: Db,
  lane: LaneState,
  settled: {
    changes: readonly NewScoreChange[];
    done: readonly number[];
    nextI: number;
    fault: ScoreFault | undefined;
  },
): Promise<boolean> {
  const { changes, done, nextI, fault } = settled;
  const changeRows: Record<string, unknown>[] = [];
  for (const change of changes) changeRows.push(await scoreRow(lane, change));
  const release = sql`update score_lane set holder = null, lease_until = null, next_i = ${nextI},
      fault = ${fault ? storableJson(fault) : null}::jsonb
    where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId}
      and holder = ${lane.holder}::uuid
    returning tenant_id, license_instance_id`;
  const changed = sql`insert into score_change
    select r.* from json_populate_recordset(null::score_change, ${storableJson(changeRows)}::json) r`;
  const isDistributed = await db.isDistributed();
  const rows = await db.prepared(
    sql`with lane as (${release}),
      done as (
        delete from score_work where id = any(${done}::bigint[]) and exists (select from lane)),
      ${isDistributed ? raw('') : sql`changed as (${changed} where exists (select from lane)),`}
      standing as (
        insert into score_standing as p (tenant_id, license_instance_id, score_group, score, changes, changed_at)
        select lane.tenant_id, lane.license_instance_id, r."scoreGroup", r.score, r.changes, r.at
        from lane, json_to_recordset(${storableJson(toStandings(changes))}::json)
          as r("scoreGroup" text, score double precision, changes bigint, at bigint)
        on conflict (tenant_id, license_instance_id, score_group) do update
          set score = excluded.score, changes = p.changes + excluded.changes, changed_at = excluded.changed_at)
      select from lane`,
  );
  // On workers, which a statement on the lane cannot reach; the transaction keeps both together.
  if (isDistributed && rows.length > 0 && changeRows.length > 0) await db.prepared(changed);
  return rows.length > 0;
}

/** The last score of each group. */
function toStandings(changes: readonly NewScoreChange[]) {
  const standings = new Map<string, { scoreGroup: string; score: number; changes: number; at: number }>();
  for (const { scoreGroup, score, event } of changes) {
    const before = standings.get(scoreGroup)?.changes ?? 0;
    standings.set(scoreGroup, { scoreGroup, score, changes: before + 1, at: event.timestamp });
  }
  return [...standings.values()];
}
