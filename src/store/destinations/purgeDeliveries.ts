import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { purgeEscalations } from '../onCall/escalations.ts';
import { purgeDecisions } from './alertDecisions.ts';
import { purgeArchivedMessages } from './archivedMessages.ts';
import { deadLetterDeliveries } from './deadLetterDeliveries.ts';
import { purgeInhibitionSources } from './inhibitions.ts';
import { purgeGroups } from './routeGroups.ts';

/** Settled deliveries are deleted after this time, where no setting says otherwise. */
export const deliveryDays = 90;
const dayMs = 24 * 3_600_000;

/** Deletes old settled deliveries, and marks those that will never be sent as DEAD. */
export async function purgeDeliveries(db: Db, now: number, days = deliveryDays): Promise<void> {
  const before = now - days * dayMs;
  await deadLetterDeliveries(db, now);
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with old as (
          select tenant_id, id from delivery where created_at < ${before} and state <> 'PENDING'
          limit ${limit} for update skip locked),
        purged as (
          delete from delivery d using old where d.tenant_id = old.tenant_id and d.id = old.id returning 1),
        attempts as (
          delete from delivery_attempt a using old where a.tenant_id = old.tenant_id and a.delivery_id = old.id)
        select count(*) as count from purged`,
    );
    return onlyRow(rows).count;
  });
  await purgeMessages(db, before - dayMs);
  await purgeDecisions(db, before);
  await purgeEscalations(db, before);
  await purgeGroups(db, { quiet: now - 2 * dayMs, repeated: before });
  await purgeInhibitionSources(db, before);
  await purgeArchivedMessages(db, before - dayMs);
}

/** A delivery that was pending for all that time keeps its message, also for a while after it is settled at last. */
async function purgeMessages(db: Db, before: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with old as (
          select m.tenant_id, m.id from delivery_message m
          where m.created_at < ${before} and not exists (
            select from delivery_queue q where q.tenant_id = m.tenant_id and q.message_id = m.id)
          limit ${limit}),
        purged as (
          delete from delivery_message m using old where m.tenant_id = old.tenant_id and m.id = old.id returning 1)
        select count(*) as count from purged`,
    );
    return onlyRow(rows).count;
  });
}
