import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import type { Lane } from './lanes.ts';
import { scoreIndex } from './scoreRow.ts';

type Key = { timestamp: number; uid: string };
type Standing = Key & { i: number; scoreGroup: string; base: number };

/** What an alert did to the scores of an instance and what still stands, the last first. */
export async function findStanding(
  tx: Db,
  lane: Lane,
  alert: { uid: string; timestamp: number },
): Promise<Standing[]> {
  return tx.prepared<Standing>(
    sql`select timestamp, uid::text, i, score_group as "scoreGroup", base from score_change
      where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId} and timestamp = ${alert.timestamp}
        and alert_id = ${alert.uid} and type = 'alert' and undone_by is null order by i desc`,
  );
}

export type Later = Key & { i: number; base: number; asked: number };

/** The changes of a group that came after one and still stand, in order. */
export async function findLater(
  tx: Db,
  lane: Lane,
  after: { scoreGroup: string; i: number },
  most: number,
): Promise<Later[]> {
  return tx.prepared<Later>(
    sql`select timestamp, uid::text, i, base, asked from score_change
      where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId} and i > ${after.i}
        and score_group = ${after.scoreGroup} and asked is not null and undone_by is null order by i limit ${most}`,
  );
}

/** The same changes now stand on other scores. */
export async function rebase(tx: Db, lane: Lane, moved: readonly (Key & { base: number })[]): Promise<void> {
  if (moved.length === 0) return;
  await tx.prepared(
    sql`update score_change c set base = m.base
      from unnest(${moved.map(({ timestamp }) => timestamp)}::bigint[], ${moved.map(({ uid }) => uid)}::uuid[],
        ${moved.map(({ base }) => base)}::float8[]) m(timestamp, uid, base)
      where c.tenant_id = ${lane.tenantId} and c.timestamp = m.timestamp and c.uid = m.uid`,
  );
}

/** Writes the change that takes another one back, marks that one, and sets the score. */
export async function writeReversal(
  tx: Db,
  lane: Lane,
  undone: Key,
  reversal: { i: number; uid: string; timestamp: number; score: number; scoreChange: number },
): Promise<void> {
  const { i, uid, timestamp, score, scoreChange } = reversal;
  await tx.prepared(
    sql`with undone as (
        update score_change c set undone_by = ${i}
        where c.tenant_id = ${lane.tenantId} and c.timestamp = ${undone.timestamp} and c.uid = ${undone.uid}::uuid
        returning c.*),
      standing as (
        update score_standing p set score = ${score}, changes = p.changes + 1, changed_at = ${timestamp} from undone u
        where p.tenant_id = u.tenant_id and p.license_instance_id = u.license_instance_id
          and p.score_group = u.score_group)
      insert into score_change (tenant_id, timestamp, license_instance_id, i, uid, index, type, organisation_id,
        license_id, project_id, contract_id, tx_hash, detector_schema_name, alert_id, monitor_id, alert_name,
        alert_message, numeric_severity, meta, score_group, score, score_change, key, value, odd_words, terms)
      select tenant_id, ${timestamp}, license_instance_id, ${i}, ${uid}::uuid, ${scoreIndex(timestamp)}, 'retraction',
        organisation_id, license_id, project_id, contract_id, tx_hash, detector_schema_name, alert_id, monitor_id,
        alert_name, alert_message, numeric_severity, meta, score_group, ${score}, ${scoreChange}, key, -value,
          odd_words, terms from undone`,
  );
}
