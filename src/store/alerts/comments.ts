import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import type { AlertKey } from './alertRecords.ts';

export type Comment = {
  id: number;
  authorId: number | null;
  author: string;
  text: string;
  createdAt: number;
};

/** The oldest first. */
export async function findComments(db: Db, { tenantId, uid }: AlertKey): Promise<Comment[]> {
  return db.prepared<Comment>(
    sql`select o.id, o.author_id as "authorId", o.author, o.text, o.created_at as "createdAt"
      from alert_comment o where o.tenant_id = ${tenantId} and o.alert_uid = ${uid}::uuid order by o.id`,
  );
}

export async function countComments(db: Db, { tenantId, uid }: AlertKey): Promise<number> {
  const rows = await db.prepared<{ count: number }>(
    sql`select count(*) as count from alert_comment o
      where o.tenant_id = ${tenantId} and o.alert_uid = ${uid}::uuid`,
  );
  return onlyRow(rows).count;
}

export async function insertComment(
  tx: Db,
  { tenantId, uid, timestamp }: AlertKey,
  { authorId, author, text, createdAt }: Omit<Comment, 'id'>,
): Promise<number> {
  const rows = await tx.prepared<{ id: number }>(
    sql`insert into alert_comment (tenant_id, alert_uid, alert_timestamp, author_id, author, text, created_at)
      values (${tenantId}, ${uid}::uuid, ${timestamp}, ${authorId}, ${author}, ${text}, ${createdAt}) returning id`,
  );
  return onlyRow(rows).id;
}

export async function deleteComment(tx: Db, { tenantId, uid }: AlertKey, id: number): Promise<void> {
  await tx.prepared(
    sql`delete from alert_comment where tenant_id = ${tenantId} and alert_uid = ${uid}::uuid and id = ${id}`,
  );
}

/** Name of the token's holder for people: name or address of its user, else the label of the key. */
export async function findAuthor(db: Db, tokenId: number): Promise<string> {
  const rows = await db.prepared<{ author: string }>(
    sql`select coalesce(m.name, m.email, k.label, case k.kind when 'ADMIN' then 'Administrator' else 'API key' end)
        as author
      from access_token k left join member m on m.id = k.member_id where k.id = ${tokenId}`,
  );
  return onlyRow(rows).author;
}
