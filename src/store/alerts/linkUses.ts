import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';

type LinkUse = { tenantId: number; hash: Buffer; usedAt: number; expiresAt: number };

/** False if the link was used before. */
export async function markLinkUsed(tx: Db, { tenantId, hash, usedAt, expiresAt }: LinkUse): Promise<boolean> {
  const rows = await tx.query(
    sql`insert into link_use (tenant_id, code_hash, used_at, expires_at)
      values (${tenantId}, ${hash}, ${usedAt}, ${expiresAt}) on conflict do nothing returning 1`,
  );
  return rows.length > 0;
}

/**
 * The destination of an unused link, as people know it, and its tenant; undefined if either or the user is gone. Addresses of
 * webhooks may hold keys and are not shown.
 */
export async function findLinkReceiver(
  db: Db,
  { tenantId, destinationId }: { tenantId: number; destinationId: number },
  hash: Buffer,
): Promise<{ sentTo: string; tenant: string } | undefined> {
  const rows = await db.query<{ sentTo: string; tenant: string }>(
    sql`select coalesce(x.name, case when x.type = 'EMAIL' then x.value end, x.messenger_a_chat_title,
          x.messenger_b_channel_name, 'destination ' || x.id) as "sentTo", n.name as tenant
      from destination x join tenant n on n.id = x.tenant_id and n.status = 'ACTIVE'
      where x.tenant_id = ${tenantId} and x.id = ${destinationId} and x.status = 'ACTIVE'
        and not exists (select from link_use l where l.tenant_id = x.tenant_id and l.code_hash = ${hash})
        and not (x.type = 'EMAIL'
          and exists (select from member m where m.tenant_id = x.tenant_id and lower(m.email) = lower(x.value))
          and not exists (select from member where tenant_id = x.tenant_id and lower(email) = lower(x.value)
            and status = 'ACTIVE'))`,
  );
  return rows[0];
}

export async function purgeLinkUses(db: Db, now: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with gone as (delete from link_use where ctid = any(array(
          select ctid from link_use where expires_at < ${now} limit ${limit})) returning 1)
        select count(*) as count from gone`,
    );
    return onlyRow(rows).count;
  });
}
