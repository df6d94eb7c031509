import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

const keptMs = 24 * 60 * 60 * 1000;

export type StoredReply = { requestHash: Buffer; sealedReply: Buffer };

/** Takes the key for this transaction; false while another one holds it. */
export async function tryLockKey(db: Db, owner: string, key: string): Promise<boolean> {
  const rows = await db.prepared<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`${owner} ${key}`}, 0)) as locked`,
  );
  return rows[0]?.locked ?? false;
}

export async function findReply(
  db: Db,
  owner: string,
  key: string,
  now: number,
): Promise<StoredReply | undefined> {
  const rows = await db.prepared<StoredReply>(
    sql`select request_hash as "requestHash", sealed_reply as "sealedReply" from idempotency_key
      where owner = ${owner} and key = ${key} and created_at > ${now - keptMs}`,
  );
  return rows[0];
}

export async function saveReply(
  db: Db,
  owner: string,
  key: string,
  reply: StoredReply,
  now: number,
): Promise<void> {
  await db.prepared(
    sql`insert into idempotency_key (owner, key, created_at, request_hash, sealed_reply)
      values (${owner}, ${key}, ${now}, ${reply.requestHash}, ${reply.sealedReply})
      on conflict (owner, key) do update set created_at = excluded.created_at,
        request_hash = excluded.request_hash, sealed_reply = excluded.sealed_reply`,
  );
}

export async function purgeReplies(db: Db, now: number): Promise<void> {
  await db.query(sql`delete from idempotency_key where created_at <= ${now - keptMs}`);
}
