import { raw, sql, unplanned } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { hasEnded, isLeaving, processHash, stayingProcesses } from './presenceLocks.ts';
import { isReadyBeside } from './standBys.ts';

const holderOf = raw('k.holder');
const wantedBy = raw('k.wanted_by');

/** Time for which an unreachable process keeps its chain. */
export const leaseMs = 6000;

/** Process that asks for a lease; `isPresent`: it holds the lock of its presence, so its end is noticed at once. */
export type LeaseHolder = { holder: string; isPresent: boolean };

/**
 * Acquires or renews a chain's lease by the database's clock; undefined when another process holds it. A lease whose
 * holder's presence ended is free early. `isWanted`: another process is ready to take over.
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
          or k.holder_present and ${hasEnded(holderOf)}
      returning coalesce(k.wanted_by <> k.holder and k.wanted_ready and k.wanted_until > clock_timestamp(), false)
        as "isWanted"`,
  );
  return rows[0];
}

/**
 * The chains that another process follows, and those that another one stands by for, which is to take them first. Unlike
 * `acquireLease`, the question locks nothing.
 */
export async function findHeldChains(db: Db, holder: string): Promise<Map<string, 'followed' | 'reserved'>> {
  const rows = await db.prepared<{ chainUid: string; isFollowed: boolean }>(
    sql`select k.chain_uid as "chainUid", k.is_followed as "isFollowed"
      from (select chain_uid, holder, holder <> ${holder} and lease_until >= clock_timestamp()
          and not (holder_present and ${hasEnded(holderOf)}) as is_followed from chain_cursor k) k
        left join chain_standby s on not coalesce(k.is_followed, false) and s.chain_uid = k.chain_uid
          and s.process is distinct from k.holder and ${isReadyBeside(holder)}
      where k.is_followed or s.process is not null`,
  );
  return new Map(rows.map(({ chainUid, isFollowed }) => [chainUid, isFollowed ? 'followed' : 'reserved']));
}

/**
 * Hands the chain to the process that asked for it and is ready, or to the one that stands by, for a moment in which it may take
 * over, or to whichever is first.
 */
export async function releaseLease(db: Db, chainUid: string, holder: string): Promise<void> {
  await db.query(
    sql`with released as (
        update chain_cursor k set holder_present = false, wanted_by = null, wanted_until = null, wanted_ready = false,
          offered = false, (holder, lease_until) = (
            select heir.process, clock_timestamp() + interval '2 s' from (
              select case when k.wanted_ready and k.wanted_until > clock_timestamp() and not ${isLeaving(wantedBy)}
                then k.wanted_by else (select s.process from chain_standby s
                  where s.chain_uid = k.chain_uid and ${isReadyBeside(holder)}) end as process) heir
            where heir.process is not null)
        where k.chain_uid = ${chainUid} and k.holder = ${holder} returning 1)
      select pg_notify('vigil_lease', ${chainUid}) from released`,
  );
}

/** `isOffered`: its holder waits for it to stop. */
export type RequestedLease = { chainUid: string; isOffered: boolean };

/**
 * Requests an offered chain, or one of a process that follows at least two more; its holder goes on until
 * `confirmLease`. First chains that this process has read, then those without a stand-by.
 */
export async function requestLease(
  db: Db,
  chainUids: readonly string[],
  holder: string,
): Promise<RequestedLease | undefined> {
  const rows = await db.prepared<RequestedLease>(
    sql`with held as (
        select k.chain_uid, k.holder, k.offered,
          coalesce(case when k.wanted_until > clock_timestamp() then k.wanted_by end, k.holder) as heir,
          case when s.process = ${holder} then 0 when s.process is null then 1 else 2 end as rank
        from chain_cursor k left join chain_standby s on s.chain_uid = k.chain_uid
          and s.process <> k.holder and s.until > clock_timestamp()
        where k.lease_until > clock_timestamp()),
      counts as (select heir, count(*) as chains, bool_or(offered and heir = holder) as is_leaving
        from held group by heir),
      own as (select coalesce((select chains from counts where heir = ${holder}), 0) as chains),
      candidate as (
        select h.chain_uid from held h join counts c on c.heir = h.heir cross join own
        where h.chain_uid = any(${chainUids}) and h.holder = h.heir and h.heir <> ${holder}
          and (c.chains >= 2 + own.chains or h.offered and not exists (
            select 1 from counts o where not o.is_leaving and o.chains + 1 < own.chains))
          and not exists (select 1 from held w where w.heir = ${holder} and w.holder <> ${holder})
        order by h.offered desc, c.chains desc, h.rank, h.chain_uid limit 1)
      update chain_cursor k set wanted_by = ${holder}, wanted_ready = false,
        wanted_until = clock_timestamp() + ${maxPreparationMs} * interval '1 ms'
      from candidate where k.chain_uid = candidate.chain_uid
        and (k.wanted_until is null or k.wanted_until < clock_timestamp())
      returning k.chain_uid as "chainUid", k.offered as "isOffered"`,
  );
  return rows[0];
}

/** True if a process other than this one follows a chain. */
export const isFollowedByOthers = (holder: string) =>
  sql`exists (select from chain_cursor where holder <> ${unplanned(holder)} and lease_until > clock_timestamp())`;

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

/** For so long an offered chain is kept for the process that stands by for it; one that hangs does not answer. */
const maxAnswerMs = 2000;

/**
 * Offers all chains of a process; false if no process would remain. A chain with a stand-by is offered to that first,
 * and followed here until it answers.
 */
export async function offerLeases(db: Db, holder: string): Promise<boolean> {
  const rows = await db.query(
    sql`with offered as (
        update chain_cursor k set offered = true, wanted_by = coalesce(heir.process, k.wanted_by),
          wanted_ready = k.wanted_ready and heir.process is null,
          wanted_until = case when heir.process is null then k.wanted_until
            else clock_timestamp() + ${maxAnswerMs} * interval '1 ms' end
        from (select own.chain_uid, s.process from chain_cursor own left join chain_standby s
            on s.chain_uid = own.chain_uid and ${isReadyBeside(holder)}
              and not (own.wanted_ready and own.wanted_until > clock_timestamp())) heir
        where k.holder = ${holder} and heir.chain_uid = k.chain_uid
          and exists (select from (${stayingProcesses}) o where o.process <> ${processHash(holder)})
        returning 1)
      select pg_notify('vigil_lease', ${offerMessage}) from (select from offered limit 1) o`,
  );
  return rows.length > 0;
}

/** Says that a process is ready for those of these chains that are offered to it. */
export async function acceptOffers(db: Db, chainUids: readonly string[], holder: string): Promise<void> {
  await db.query(
    sql`with accepted as (
        update chain_cursor set wanted_ready = true, wanted_until = clock_timestamp() + interval '5 s'
        where chain_uid = any(${chainUids}) and offered and wanted_by = ${holder} and not wanted_ready
          and wanted_until > clock_timestamp() returning chain_uid)
      select pg_notify('vigil_lease', chain_uid) from accepted`,
  );
}

/** True if a remaining process asks for a chain of this one; undefined when there is none. */
export async function isAnyLeaseWanted(db: Db, holder: string): Promise<boolean | undefined> {
  const rows = await db.query<{ isWanted: boolean }>(
    sql`select exists (select from chain_cursor k where k.holder = ${holder} and k.wanted_by <> k.holder
        and k.wanted_until > clock_timestamp() and not ${isLeaving(wantedBy)}) as "isWanted"
      where exists (select from (${stayingProcesses}) o where o.process <> ${processHash(holder)})`,
  );
  return rows[0]?.isWanted;
}
