import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { presenceLock } from './openPresence.ts';

/** How long a process that cannot be reached keeps its chain. */
export const leaseMs = 6000;

/** Who asks for a lease; `isPresent`: it holds the lock of its presence, so that its end is noticed at once. */
export type LeaseHolder = { holder: string; isPresent: boolean };

/**
 * Acquires or renews the lease of a chain; undefined when another process holds it. The database's clock decides. The lease of
 * a holder whose presence has ended is taken before it runs out. `isWanted`: another process is
 * ready to go on with it.
 */
export async function acquireLease(
  db: Db,
  chainUid: string,
  { holder, isPresent }: LeaseHolder,
  ms = leaseMs,
): Promise<{ isWanted: boolean } | undefined> {
  const rows = await db.prepared<{ isWanted: boolean }>(
    sql`insert into chain_cursor as k (chain_uid, head, confirmed, final, updated_at, holder, holder_present,
        lease_until)
      values (${chainUid}, -1, -1, -1, 0, ${holder}, ${isPresent}, clock_timestamp() + ${ms} * interval '1 ms')
      on conflict (chain_uid) do update set holder = excluded.holder, holder_present = excluded.holder_present,
          lease_until = excluded.lease_until, offered = k.offered and k.holder = excluded.holder
        where k.holder is null or k.holder = excluded.holder or k.lease_until < clock_timestamp()
          or k.holder_present and pg_try_advisory_xact_lock_shared(${presenceLock}, hashtext(k.holder))
      returning coalesce(k.wanted_by <> k.holder and k.wanted_ready and k.wanted_until > clock_timestamp(), false)
        as "isWanted"`,
  );
  return rows[0];
}

/** The chains that `acquireLease` would refuse this process; unlike it, the question locks nothing. */
export async function findHeldChains(db: Db, holder: string): Promise<Set<string>> {
  const rows = await db.prepared<{ chainUid: string }>(
    sql`select chain_uid as "chainUid" from chain_cursor
      where holder <> ${holder} and lease_until >= clock_timestamp()
        and not (holder_present and pg_try_advisory_xact_lock_shared(${presenceLock}, hashtext(holder)))`,
  );
  return new Set(rows.map(({ chainUid }) => chainUid));
}

/** Hands the chain to the process that is ready for it, for a moment in which it may take over, or to whichever is first. */
export async function releaseLease(db: Db, chainUid: string, holder: string): Promise<void> {
  await db.query(
    sql`with released as (
        update chain_cursor set holder_present = false, wanted_by = null, wanted_until = null, wanted_ready = false,
          offered = false,
          holder = case when wanted_ready and wanted_until > clock_timestamp() then wanted_by end,
          lease_until = case when wanted_ready and wanted_until > clock_timestamp()
            then clock_timestamp() + interval '2 s' end
        where chain_uid = ${chainUid} and holder = ${holder} returning 1)
      select pg_notify('vigil_lease', ${chainUid}) from released`,
  );
}

/**
 * Asks for one of these chains: one that its holder offers, or one of a process that follows at least two more. Returns it; its
 * holder goes on until `confirmLease`. Chains that are asked for count as handed over.
 */
export async function requestLease(
  db: Db,
  chainUids: readonly string[],
  holder: string,
): Promise<string | undefined> {
  const rows = await db.prepared<{ chainUid: string }>(
    sql`with held as (
        select chain_uid, holder, offered,
          coalesce(case when wanted_until > clock_timestamp() then wanted_by end, holder) as heir
        from chain_cursor where lease_until > clock_timestamp()),
      counts as (select heir, count(*) as chains, bool_or(offered and heir = holder) as is_leaving
        from held group by heir),
      own as (select coalesce((select chains from counts where heir = ${holder}), 0) as chains),
      candidate as (
        select h.chain_uid from held h join counts c on c.heir = h.heir cross join own
        where h.chain_uid = any(${chainUids}) and h.holder = h.heir and h.heir <> ${holder}
          and (c.chains >= 2 + own.chains or h.offered and not exists (
            select 1 from counts o where not o.is_leaving and o.chains + 1 < own.chains))
          and not exists (select 1 from held w where w.heir = ${holder} and w.holder <> ${holder})
        order by h.offered desc, c.chains desc, h.chain_uid limit 1)
      update chain_cursor k set wanted_by = ${holder}, wanted_ready = false,
        wanted_until = clock_timestamp() + ${maxPreparationMs} * interval '1 ms'
      from candidate where k.chain_uid = candidate.chain_uid
        and (k.wanted_until is null or k.wanted_until < clock_timestamp())
      returning k.chain_uid as "chainUid"`,
  );
  return rows[0]?.chainUid;
}

/** A process that asked for a chain and did not get ready within this time has given it up. */
const maxPreparationMs = 60_000;

/** Says that the process that asked for the chain can go on with it; false when it is no longer asked for. */
export async function confirmLease(db: Db, chainUid: string, holder: string): Promise<boolean> {
  const rows = await db.query(
    sql`with confirmed as (
        update chain_cursor set wanted_ready = true, wanted_until = clock_timestamp() + interval '5 s'
        where chain_uid = ${chainUid} and wanted_by = ${holder} and wanted_until > clock_timestamp() returning 1)
      select pg_notify('vigil_lease', ${chainUid}) from confirmed`,
  );
  return rows.length > 0;
}

/** The message by which a process that stops says that its chains may be asked for. */
export const offerMessage = 'offered';

/** Offers all chains of a process, unless no other one is there; false then. */
export async function offerLeases(db: Db, holder: string): Promise<boolean> {
  const rows = await db.query(
    sql`with offered as (
        update chain_cursor set offered = true where holder = ${holder} and 1 < (
          select count(distinct objid) from pg_locks where locktype = 'advisory' and classid = ${presenceLock}
            and granted and database = (select oid from pg_database where datname = current_database()))
        returning 1)
      select pg_notify('vigil_lease', ${offerMessage}) from offered limit 1`,
  );
  return rows.length > 0;
}

/** Whether another process asks for a chain of this one. */
export async function isAnyLeaseWanted(db: Db, holder: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from chain_cursor where holder = ${holder} and wanted_by <> holder
      and wanted_until > clock_timestamp() limit 1`,
  );
  return rows.length > 0;
}
