import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** After a week without a message the messenger restarts its update ids, possibly at a lower one. */
const offsetValidMs = 6 * 24 * 3_600_000;

/** Acquires or renews the lease of the bot; returns the id of the next update, or undefined while another process holds it. */
export async function leaseMessenger(
  db: Db,
  bot: string,
  holder: string,
  leaseMs: number,
  now: number,
): Promise<number | undefined> {
  const rows = await db.query<{ next: number }>(
    sql`insert into messenger_offset as m (bot, next_update, holder, lease_until)
      values (${bot}, 0, ${holder}, clock_timestamp() + ${leaseMs} * interval '1 ms')
      on conflict (bot) do update set holder = excluded.holder, lease_until = excluded.lease_until
        where m.holder = excluded.holder or m.lease_until is null or m.lease_until < clock_timestamp()
      returning case when m.updated_at < ${now - offsetValidMs} then 0 else m.next_update end as next`,
  );
  return rows[0]?.next;
}

/** Records that an update was read, in the transaction of its effect; false when it was read before or the lease was lost. */
export async function advanceMessenger(
  tx: Db,
  poll: { bot: string; holder: string; leaseMs: number; now: number },
  update: number,
): Promise<boolean> {
  const rows = await tx.query(
    sql`update messenger_offset set next_update = ${update + 1}, updated_at = ${poll.now},
        lease_until = clock_timestamp() + ${poll.leaseMs} * interval '1 ms'
      where bot = ${poll.bot} and holder = ${poll.holder} and lease_until > clock_timestamp()
        and (next_update <= ${update} or updated_at < ${poll.now - offsetValidMs})
      returning 1`,
  );
  return rows.length > 0;
}

export async function releaseMessenger(db: Db, bot: string, holder: string): Promise<void> {
  await db.query(
    sql`update messenger_offset set holder = null, lease_until = null where bot = ${bot} and holder = ${holder}`,
  );
}
