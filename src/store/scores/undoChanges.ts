import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { awaitPrepared } from '../db/shards/awaitPrepared.ts';
import type { Lane } from './lanes.ts';
import { scoreIndex } from './scoreRow.ts';

type Key = { timestamp: number; uid: string };
type UndoableChange = Key & { i: number; scoreGroup: string; base: number };

/** The changes of an alert to the scores of an instance that are not undone, the last first. */
export async function findUndoable(
  tx: Db,
  lane: Lane,
  alert: { uid: string; timestamp: number },
): Promise<UndoableChange[]> {
  // The process that held the lane before may have committed them on the coordinator only so far.
  await awaitPrepared(tx, [lane.tenantId]);
  return tx.prepared<UndoableChange>(
    sql`select timestamp, uid::text, i, score_group as "scoreGroup", base from score_change
      where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId} and timestamp = ${alert.timestamp}
        and alert_id = ${alert.uid} and type = 'alert' and undone_by is null order by i desc`,
  );
}

export type LaterChange = Key & { i: number; base: number; requested: number };

/** The later changes of a group that are not undone, in order. */
export async function findLaterChanges(
  tx: Db,
  lane: Lane,
  after: { scoreGroup: string; i: number },
  limit: number,
): Promise<LaterChange[]> {
  return tx.prepared<LaterChange>(
    sql`select timestamp, uid::text, i, base, asked as requested from score_change
      where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId} and i > ${after.i}
        and score_group = ${after.scoreGroup} and asked is not null and undone_by is null order by i limit ${limit}`,
  );
}

/** Sets the scores that these changes start from. */
export async function rebaseChanges(
  tx: Db,
  lane: Lane,
  moved: readonly (Key & { base: number })[],
): Promise<void> {
  if (moved.length === 0) return;
  await tx.prepared(
    sql`update score_change c set base = m.base
      from unnest(${moved.map(({ timestamp }) => timestamp)}::bigint[], ${moved.map(({ uid }) => uid)}::uuid[],
        ${moved.map(({ base }) => base)}::float8[]) m(timestamp, uid, base)
      where c.tenant_id = ${lane.tenantId} and c.timestamp = m.timestamp and c.uid = m.uid`,
  );
}

/** Inserts the change that undoes another one, marks that one, and sets the score. */
export async function insertReversal(
  tx: Db,
  lane: Lane,
  undone: Key,
  reversal: { i: number; uid: string; timestamp: number; score: number; scoreChange: number },
): Promise<void> {
  const { i, uid, timestamp, score, scoreChange } = reversal;
  const [marked] = await tx.prepared<{ scoreGroup: string | null }>(
    sql`update score_change c set undone_by = ${i}
      where c.tenant_id = ${lane.tenantId} and c.timestamp = ${undone.timestamp} and c.uid = ${undone.uid}::uuid
      returning c.score_group as "scoreGroup"`,
  );
  if (!marked) return;
  await tx.prepared(
    sql`update score_standing p set score = ${score}, changes = p.changes + 1, changed_at = ${timestamp}
      where p.tenant_id = ${lane.tenantId} and p.license_instance_id = ${lane.instanceId}
        and p.score_group = ${marked.scoreGroup}`,
  );
  await tx.prepared(
    sql`insert into score_change (tenant_id, timestamp, license_instance_id, i, uid, index, type, organisation_id,
        license_id, project_id, contract_id, tx_hash, detector_schema_name, alert_id, monitor_id, alert_name,
        alert_message, numeric_severity, meta, score_group, score, score_change, key, value, odd_words, terms)
      select tenant_id, ${timestamp}, license_instance_id, ${i}, ${uid}::uuid, ${scoreIndex(timestamp)}, 'retraction',
        organisation_id, license_id, project_id, contract_id, tx_hash, detector_schema_name, alert_id, monitor_id,
        alert_name, alert_message, numeric_severity, meta, score_group, ${score}, ${scoreChange}, key, -value,
          odd_words, terms
      from score_change c
      where c.tenant_id = ${lane.tenantId} and c.timestamp = ${undone.timestamp} and c.uid = ${undone.uid}::uuid`,
  );
}
