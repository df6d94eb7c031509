import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { deliveryLeaseSeconds } from './claimDeliveries.ts';

/** Takes the turn at a destination; false while another process has it. After a crash it ends with the lease of the message. */
export async function takeTurn(db: Db, destinationId: number, holder: string): Promise<boolean> {
  const rows = await db.prepared(
    sql`insert into delivery_turn as t (destination_id, holder, until)
      values (${destinationId}, ${holder}::uuid, now() + make_interval(secs => ${deliveryLeaseSeconds}))
      on conflict (destination_id) do update set holder = excluded.holder, until = excluded.until
      where t.until < now() returning 1 as taken`,
  );
  return rows.length > 0;
}

export async function endTurn(db: Db, destinationId: number, holder: string): Promise<void> {
  await db.prepared(
    sql`delete from delivery_turn where destination_id = ${destinationId} and holder = ${holder}::uuid`,
  );
}
