import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { isMailedType } from '../tables/kindConditions.ts';

type DestinationKey = { tenantId: number; id: number };

export async function findConfirmation(
  db: Db,
  { tenantId, id }: DestinationKey,
): Promise<{ confirmedAt: number | null; mailedAt: number | null }> {
  const rows = await db.query<{ confirmedAt: number | null; mailedAt: number | null }>(
    sql`select confirmed_at as "confirmedAt", confirm_mailed_at as "mailedAt" from destination
      where tenant_id = ${tenantId} and id = ${id}`,
  );
  return onlyRow(rows);
}

export async function saveConfirmationCode(
  db: Db,
  { tenantId, id }: DestinationKey,
  { hash, until, now }: { hash: Buffer; until: number; now: number },
): Promise<void> {
  await db.query(
    sql`update destination set confirm_hash = ${hash}, confirm_until = ${until}, confirm_mailed_at = ${now}
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

/** Confirmation mails to an address since a time, for any destination. */
export async function countConfirmationMails(db: Db, to: string, since: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from mail_outbox
      where kind = 'confirm' and lower(to_address) = lower(${to}) and created_at > ${since}`,
  );
  return onlyRow(rows).count;
}

/** Confirms the address of the link, once, and wakes the senders. */
export async function confirmByHash(
  db: Db,
  hash: Buffer,
  now: number,
): Promise<(DestinationKey & { address: string; tenant: string }) | undefined> {
  const rows = await db.query<DestinationKey & { address: string; tenant: string }>(
    sql`update destination x set confirmed_at = ${now}, confirm_hash = null, confirm_until = null
      from tenant n
      where x.confirm_hash = ${hash} and x.confirm_until > ${now} and ${isMailedType()} and x.status <> 'DELETED'
        and n.id = x.tenant_id and n.status <> 'DELETED'
      returning x.tenant_id as "tenantId", x.id, x.value as address, n.name as tenant`,
  );
  if (rows.length > 0) await db.query(sql`select announce('vigil_work')`);
  return rows[0];
}

/** True if the user accepted an invite that was mailed to this address, which proves that they read it. */
export async function isMailedMember(db: Db, userId: number, address: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from member m
      where m.id = ${userId} and m.status = 'ACTIVE' and lower(m.email) = lower(${address})
        and exists (select from invite i where lower(i.email) = lower(m.email) and i.accepted_at is not null
          and i.tenant_id is not distinct from m.tenant_id)
        and exists (select from mail_outbox o where o.kind = 'invite' and o.state = 'DELIVERED'
          and lower(o.to_address) = lower(m.email))`,
  );
  return rows.length > 0;
}
