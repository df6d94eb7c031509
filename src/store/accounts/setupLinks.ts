import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export async function insertSetupLink(db: Db, hash: Buffer, expiredAt: number): Promise<void> {
  await db.query(sql`insert into setup_link (hash, expired_at) values (${hash}, ${expiredAt})`);
}

/** Uses the link up; false when there is no such open one. Of two who use it at once one waits and finds it gone. */
export async function consumeSetupLink(db: Db, hash: Buffer, now: number): Promise<boolean> {
  const rows = await db.query(
    sql`delete from setup_link where hash = ${hash} and expired_at > ${now} returning 1`,
  );
  return rows.length > 0;
}

/** True if a link is open and no one can sign in yet. */
export async function awaitsFirstUser(db: Db, now: number): Promise<boolean> {
  const rows = await db.prepared(
    sql`select 1 from setup_link where expired_at > ${now}
      and not exists (select from member where status = 'ACTIVE') limit 1`,
  );
  return rows.length > 0;
}
