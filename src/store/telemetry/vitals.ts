import { sql } from '../../lib/sql.ts';
import { canaryId } from '../../model/heartbeat.ts';
import { platformTenant } from '../../model/metrics.ts';
import { isDeepEnough, mayFire } from '../actions/claimIntents.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { isLive } from '../tables/isLive.ts';

/** The workers that note when they went through their queue. */
export type PassedQueue = 'intents' | 'scores';

/** State of the whole installation, as the database knows it. */
export type Vitals = {
  /** The clock of the database. */
  at: number;
  /** Chains on which anything is watched, where this process has endpoints or a process has not given the lease back. */
  chains: {
    chainUid: string;
    isFollowed: boolean;
    head: number | null;
    processed: number | null;
    /** The time of the newest block, and when it was written. */
    processedAt: number | null;
    movedAt: number | null;
    endpoints: unknown[] | null;
  }[];
  /** Time of the last pass through each queue. */
  passes: { queue: PassedQueue; at: number }[];
  /** The oldest intent that is due although no other one of its wallet moves, and the oldest score work that no one takes. */
  stuckIntent: number | null;
  stuckScore: number | null;
  /** The oldest alert that waits for a server of a distributed database. */
  unwritten: number | null;
  /** Time of the last canary that came through the queue of deliveries. */
  canaryAt: number | null;
};

/**
 * An intent that was claimed or ended within this time shows that the calls of its wallet go on. A chain is looked at up to its first
 * live contract.
 */
export async function readVitals(
  db: Db,
  { now, limitMs, configured }: { now: number; limitMs: number; configured: readonly string[] },
): Promise<Vitals> {
  const rows = await db.prepared<Vitals>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint as at,
        (select coalesce(json_agg(json_build_object('chainUid', u.uid,
            'isFollowed', coalesce(k.lease_until > clock_timestamp(), false),
            'head', nullif(k.head, -1), 'processed', nullif(k.processed, -1), 'processedAt', k.processed_at,
            'movedAt', nullif(k.updated_at, 0), 'endpoints', k.endpoints) order by u.uid), '[]')
          from (select unnest(${configured}::text[]) union select chain_uid from chain_cursor
            where processed is not null) u(uid)
          left join chain_cursor k on k.chain_uid = u.uid
          where (u.uid = any(${configured}::text[]) or k.holder is not null)
            and (select true from contract c where c.chain_uid = u.uid and ${isLive} limit 1)) as chains,
        (select coalesce(json_agg(json_build_object('queue', queue, 'at', at)), '[]') from worker_pass) as passes,
        (select min(i.next_attempt_at) from action_intent i join tenant n on n.id = i.tenant_id
          where i.state = 'WAITING' and i.next_attempt_at <= ${now - limitMs}::bigint
            and i.chain_uid = any(${configured}::text[])
            and (i.lease_until is null or i.lease_until < clock_timestamp())
            and ${isDeepEnough} and ${mayFire}
            and (i.tenant_id, i.wallet_id) not in (select tenant_id, wallet_id from action_intent
              where state in ('WAITING', 'SIGNED', 'SUBMITTED')
                and (lease_until > clock_timestamp() or updated_at > ${now - limitMs}::bigint))) as "stuckIntent",
        (select min(w.created_at) from score_work w
          join score_lane s on s.tenant_id = w.tenant_id and s.license_instance_id = w.license_instance_id
          join license_instance i on i.tenant_id = w.tenant_id and i.id = w.license_instance_id
            and i.status <> 'DELETED'
          where w.created_at <= ${now - limitMs}::bigint and s.fault is null
            and not exists (select from score_lane where lease_until > now())) as "stuckScore",
        (select min(at) from group_write) as unwritten,
        (select delivered_at from delivery where tenant_id = ${platformTenant} and id = ${canaryId}) as "canaryAt"`,
  );
  return onlyRow(rows);
}

/** Well within the shortest time between two heartbeats. */
export const defaultPassEveryMs = 2000;

/** Notes that a worker has gone through its queue. */
export async function notePass(db: Db, queue: PassedQueue, now: number): Promise<void> {
  await db.prepared(
    sql`insert into worker_pass (queue, at) values (${queue}, ${now})
      on conflict (queue) do update set at = excluded.at`,
  );
}
