import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { hasEnded, isLeaving, stayingProcesses } from './presenceLocks.ts';

/**
 * Validity of a stand-by without renewal. Others wait as long before they read the chain, because a restarted process
 * is back by then.
 */
const standByMs = 10_000;

const processOf = raw('s.process');
const claimedBy = raw('f.process');

/** True if the row `s` of `chain_standby` is of another process that is ready and can be counted on. */
export function isReadyBeside(process: string): Sql {
  return sql`(s.is_ready and s.process <> ${process} and s.until > clock_timestamp()
    and not ${hasEnded(processOf)} and not ${isLeaving(processOf)})`;
}

type Claim = {
  process: string;
  /** Those that this process can follow. */
  chainUids: readonly string[];
  /** Those among them of which it has read what is watched. */
  readyUids: readonly string[];
};

/**
 * Makes a process the stand-by of one more chain and returns it: a chain read already, one without stand-by, or one of
 * a process with at least two more. Reads nothing during hand-overs.
 */
export async function claimStandBy(
  db: Db,
  { process, chainUids, readyUids }: Claim,
): Promise<string | undefined> {
  const rows = await db.prepared<{ chainUid: string }>(
    sql`with followed as (
        select k.chain_uid, k.holder, s.process as former, coalesce(s.until < clock_timestamp(), true) as is_over,
          case when s.until > clock_timestamp() and s.process <> k.holder then s.process end as process
        from chain_cursor k left join chain_standby s on s.chain_uid = k.chain_uid
        where k.holder is not null and k.lease_until > clock_timestamp()),
      counts as (select former as process, count(*) as chains from followed where not is_over group by former),
      own as (select coalesce((select chains from counts where process = ${process}), 0) as chains),
      candidate as (
        select f.chain_uid, f.former from followed f left join counts c on c.process = f.process cross join own
        where f.chain_uid = any(${chainUids}) and f.holder <> ${process}
          and case when f.chain_uid = any(${readyUids}) then coalesce(f.process = ${process}, true)
            when f.process = ${process} then false
            when exists (select from chain_cursor k where k.wanted_until > clock_timestamp()) then false
            when f.process is null then f.is_over and own.chains < (
              select ceil((select count(*) from followed) / greatest(count(*) - 1, 1)::numeric)
              from (${stayingProcesses}) o)
            else c.chains >= own.chains + 2 and not ${hasEnded(claimedBy)} and not ${isLeaving(claimedBy)} end
        order by f.chain_uid = any(${readyUids}) desc, f.process is null desc, c.chains desc,
          hashtext(f.chain_uid || ${process}) limit 1)
      insert into chain_standby as s (chain_uid, process, is_ready, until)
      select chain_uid, ${process}, chain_uid = any(${readyUids}), clock_timestamp() + ${standByMs} * interval '1 ms'
      from candidate
      on conflict (chain_uid) do update
        set process = excluded.process, is_ready = excluded.is_ready, until = excluded.until
        where s.process = (select former from candidate)
      returning chain_uid as "chainUid"`,
  );
  return rows[0]?.chainUid;
}

/** Says that a process that stands by has read what it needs; false when another one does meanwhile. */
export async function confirmStandBy(db: Db, chainUid: string, process: string): Promise<boolean> {
  const rows = await db.query(
    sql`update chain_standby set is_ready = true where chain_uid = ${chainUid} and process = ${process} returning 1`,
  );
  return rows.length > 0;
}

/** Goes on standing by for these chains; returns those that no other process took over. */
export async function renewStandBys(
  db: Db,
  chainUids: readonly string[],
  process: string,
): Promise<Set<string>> {
  const rows = await db.prepared<{ chainUid: string }>(
    sql`update chain_standby set until = clock_timestamp() + ${standByMs} * interval '1 ms'
      where chain_uid = any(${chainUids}) and process = ${process} returning chain_uid as "chainUid"`,
  );
  return new Set(rows.map(({ chainUid }) => chainUid));
}
