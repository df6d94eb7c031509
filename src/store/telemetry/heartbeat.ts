import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { HeartbeatFault, HeartbeatState } from '../../model/heartbeat.ts';
import { type Db, onlyRow } from '../db/db.ts';

/** A judgement that is older than this many of its intervals says nothing any more: no process judges. */
const staleIntervals = 2;

export async function readHeartbeat(db: Db, now: number): Promise<HeartbeatState> {
  const rows = await db.query<HeartbeatState & { checkedAt: number; everyMs: number }>(
    sql`select is_ok as "isOk", since, checked_at as "checkedAt", every_ms as "everyMs", faults, addresses,
        sent_at as "sentAt", send_fault as "sendFault"
      from heartbeat`,
  );
  const [row] = rows;
  if (!row)
    return {
      ...unjudged('No process with the role work has judged the installation yet.'),
      since: null,
      checkedAt: null,
      addresses: 0,
      sentAt: null,
      sendFault: null,
    };
  const { everyMs, ...state } = row;
  const ageMs = now - state.checkedAt;
  if (ageMs <= staleIntervals * everyMs) return state;
  const reason = `No process with the role work has judged the installation for ${Math.round(ageMs / 1000)} s.`;
  return { ...state, ...unjudged(reason), since: state.checkedAt };
}

function unjudged(message: string): Pick<HeartbeatState, 'isOk' | 'faults'> {
  return { isOk: false, faults: [{ part: 'unjudged', chainUid: null, message }] };
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
