import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Heartbeat, HeartbeatFault } from '../../model/heartbeat.ts';
import { type Db, onlyRow } from '../db.ts';

/** Undefined while no process has judged yet. */
export async function findHeartbeat(db: Db): Promise<Heartbeat | undefined> {
  const rows = await db.query<Heartbeat>(
    sql`select is_ok as "isOk", since, checked_at as "checkedAt", every_ms as "everyMs", faults, addresses,
        sent_at as "sentAt", send_fault as "sendFault"
      from heartbeat`,
  );
  return rows[0];
}

type Judgement = { now: number; everyMs: number; faults: readonly HeartbeatFault[]; addresses: number };

/** Stores what was judged; returns when the last call was taken. */
export async function saveHeartbeat(
  db: Db,
  { now, everyMs, faults, addresses }: Judgement,
): Promise<number | null> {
  const rows = await db.query<{ sentAt: number | null }>(
    sql`insert into heartbeat as h (checked_at, every_ms, is_ok, since, faults, addresses)
      values (${now}, ${everyMs}, ${faults.length === 0}, ${now}, ${storableJson(faults)}::jsonb, ${addresses})
      on conflict (id) do update set checked_at = excluded.checked_at, every_ms = excluded.every_ms,
        is_ok = excluded.is_ok, since = case when h.is_ok = excluded.is_ok then h.since else excluded.since end,
        faults = excluded.faults, addresses = excluded.addresses
      returning sent_at as "sentAt"`,
  );
  return onlyRow(rows).sentAt;
}

/** Claims the next call for one process: none is due before `dueBefore`, the time of the last one. */
export async function claimBeat(db: Db, dueBefore: number, now: number): Promise<boolean> {
  const rows = await db.query(
    sql`update heartbeat set sent_at = ${now}
      where is_ok and (sent_at is null or sent_at <= ${dueBefore} or sent_at > ${now}) returning 1`,
  );
  return rows.length > 0;
}

/** Gives the call to whichever process is next when an address did not take it, with the reason. */
export async function settleBeat(
  db: Db,
  { fault, sentAt, before }: { fault: string | null; sentAt: number; before: number | null },
): Promise<void> {
  await db.query(
    fault === null
      ? sql`update heartbeat set send_fault = null where send_fault is not null`
      : sql`update heartbeat set send_fault = ${fault},
          sent_at = case when sent_at = ${sentAt} then ${before}::bigint else sent_at end`,
  );
}
