import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** Of all processes together. */
export type Backlog = {
  /** Work that is due and not done, and since when; counted up to `maxCounted`. */
  queues: { queue: string; count: number; since: number | null }[];
  chains: { chainUid: string; lag: number; isFollowed: boolean }[];
  /** Findings that wait for a worker of Citus. */
  unwritten: { worker: number; tenants: number; bytes: number }[];
};

/** More than anyone needs to know that a queue is long. */
const maxCounted = 100_000;

/** Deliveries to receivers that are disabled or asked for a pause are not due. */
export async function readBacklog(db: Db, now: number): Promise<Backlog> {
  const queues = await db.query<Backlog['queues'][number]>(
    sql`select 'deliveries' as queue, count(*) as count, min(at) as since from (
        select q.next_attempt_at as at from delivery_queue q
        join destination x on x.tenant_id = q.tenant_id and x.id = q.destination_id and x.status = 'ACTIVE'
          and (x.paused_until is null or x.paused_until <= ${now})
        where q.next_attempt_at <= ${now} limit ${maxCounted}) d
      union all
      select 'intents', count(*), min(at) from (
        select next_attempt_at as at from action_intent
        where state = 'WAITING' and next_attempt_at <= ${now} limit ${maxCounted}) i
      union all
      select 'scores', count(*), min(at) from (
        select created_at as at from score_work order by id limit ${maxCounted}) s
      union all
      select 'alerts', coalesce(sum(findings), 0)::bigint, min(at) from (
        select findings, at from group_write order by id limit ${maxCounted}) g`,
  );
  const chains = await db.query<Backlog['chains'][number]>(
    sql`select chain_uid as "chainUid", greatest(head - processed, 0) as lag,
        coalesce(lease_until > clock_timestamp(), false) as "isFollowed"
      from chain_cursor where processed is not null order by chain_uid`,
  );
  const unwritten = await db.query<Backlog['unwritten'][number]>(
    sql`select b.worker, b.bytes, (select count(distinct tenant) from group_write g, unnest(g.tenant_ids) as t(tenant)
          where g.shard_group = b.worker) as tenants
      from (select shard_group as worker, sum(pg_column_size(writes))::bigint as bytes from group_write
        where at < ${now - 10_000}::bigint group by 1) b`,
  );
  return { queues, chains, unwritten };
}
