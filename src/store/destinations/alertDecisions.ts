import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';

/**
 * The decision on an alert when it was raised, where a rule applied. `code`: why no one was notified, null where someone was.
 * `routes`: those that took it, and whom each notified or would have.
 */
export type StoredDecision = {
  code: string | null;
  silenceIds?: number[];
  inhibitionIds?: number[];
  routes?: { id: number; held: string | null; destinationIds: number[] }[];
  /** The alert was retracted since. If it is raised again and no rule has a say then, this decision is over. */
  isRetracted?: true;
};
type Key = { tenantId: number; uid: string };

/** One that is raised again is decided again: the last decision stays. */
export async function insertDecisions(
  tx: Db,
  decisions: readonly (Key & { decision: StoredDecision })[],
  now: number,
): Promise<void> {
  if (decisions.length === 0) return;
  await tx.prepared(
    sql`insert into alert_decision (tenant_id, alert_uid, decided_at, decision)
      select d.tenant_id, d.alert_uid, ${now}, d.decision
      from unnest(${decisions.map(({ tenantId }) => tenantId)}::bigint[],
        ${decisions.map(({ uid }) => uid)}::uuid[],
        ${decisions.map(({ decision }) => JSON.stringify(decision))}::jsonb[]) d(tenant_id, alert_uid, decision)
      order by d.tenant_id, d.alert_uid
      on conflict (tenant_id, alert_uid) do update set decided_at = excluded.decided_at, decision = excluded.decision`,
  );
}

/** Ends the decisions of alerts that are retracted, in the same transaction. */
export async function endDecisions(tx: Db, alerts: readonly Key[]): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`update alert_decision d set decision = d.decision || '{"isRetracted": true}'
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
        k(tenant_id, uid)
      where d.tenant_id = k.tenant_id and d.alert_uid = k.uid`,
  );
}

export async function findDecision(
  db: Db,
  { tenantId, uid }: Key,
): Promise<{ decidedAt: number; decision: StoredDecision } | undefined> {
  const rows = await db.prepared<{ decidedAt: number; decision: StoredDecision }>(
    sql`select decided_at as "decidedAt", decision from alert_decision
      where tenant_id = ${tenantId} and alert_uid = ${uid}::uuid`,
  );
  return rows[0];
}

export type SilencedAlert = { uid: string; silences: { id: number; reason: string }[] };

/** The alerts among these that silences hold from people, of the tenants that the caller may see. */
export async function findSilenced(
  db: Db,
  tenantIds: readonly number[] | undefined,
  uids: readonly string[],
): Promise<SilencedAlert[]> {
  return db.prepared<SilencedAlert>(
    sql`select d.alert_uid::text as uid, (
        select coalesce(json_agg(json_build_object('id', s.id, 'reason', s.reason) order by s.id), '[]')
        from silence s where s.tenant_id = d.tenant_id
          and s.id in (select (i.id)::bigint from jsonb_array_elements_text(d.decision -> 'silenceIds') i(id))
      ) as silences
      from alert_decision d
      where d.decision ->> 'code' = 'silenced' and not d.decision ? 'isRetracted'
        and (${tenantIds === undefined} or d.tenant_id = any(${tenantIds ?? []}::bigint[]))
        and d.alert_uid = any(${uids}::uuid[]) order by 1`,
  );
}

export async function purgeDecisions(db: Db, before: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with old as (
          select tenant_id, alert_uid from alert_decision where decided_at < ${before}
          limit ${limit} for update skip locked),
        purged as (
          delete from alert_decision d using old where d.tenant_id = old.tenant_id and d.alert_uid = old.alert_uid
          returning 1)
        select count(*) as count from purged`,
    );
    return onlyRow(rows).count;
  });
}
