import { sql } from '../../lib/sql.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Db } from '../db/db.ts';

/** A block whose inner calls are yet to be evaluated. */
export type UntracedBlock = BlockRef & {
  /** The keys of the subscribers that remain; null: all. */
  remaining: string[] | null;
  attempts: number;
  createdAt: number;
};

/** The key of one who follows money: it needs the traces of the transactions in which a labelled source takes part, and no others. */
export const fundingKey = 'funding';

/** A block that is about to wait; `onlyFunding`: no subscriber needs its traces. */
export type NewUntraced = BlockRef & { onlyFunding?: boolean };

export async function insertUntraced(
  tx: Db,
  chainUid: string,
  blocks: readonly NewUntraced[],
  now: number,
): Promise<void> {
  if (blocks.length === 0) return;
  await tx.prepared(
    sql`insert into untraced_block (chain_uid, number, hash, next_attempt_at, created_at, remaining)
      select ${chainUid}, r.number, r.hash, ${now}::bigint, ${now}::bigint,
        case when r.only_funding then array[${fundingKey}::text] end
      from unnest(${blocks.map(({ number }) => number)}::bigint[], ${blocks.map(({ hash }) => hash)}::text[],
        ${blocks.map(({ onlyFunding = false }) => onlyFunding)}::boolean[]) as r(number, hash, only_funding)`,
  );
}

/** Those that are due, new ones before those that failed, the oldest first. */
export async function listUntraced(
  db: Db,
  chainUid: string,
  now: number,
  limit: number,
): Promise<UntracedBlock[]> {
  return db.prepared<UntracedBlock>(
    sql`select number, hash, remaining, attempts, created_at as "createdAt" from untraced_block
      where chain_uid = ${chainUid} and next_attempt_at <= ${now} order by attempts, number limit ${limit}`,
  );
}

/** False when one of them does not exist any more. */
export async function deleteUntraced(
  tx: Db,
  chainUid: string,
  blocks: readonly BlockRef[],
): Promise<boolean> {
  const rows = await tx.prepared(
    sql`delete from untraced_block u using unnest(${blocks.map(({ number }) => number)}::bigint[],
        ${blocks.map(({ hash }) => hash)}::text[]) as r(number, hash)
      where u.chain_uid = ${chainUid} and u.number = r.number and u.hash = r.hash returning 1`,
  );
  return rows.length === blocks.length;
}

/** It is tried again later, for these subscribers only where they are named. False when it does not exist any more. */
export async function postponeUntraced(
  tx: Db,
  chainUid: string,
  { number, hash }: BlockRef,
  remaining: readonly string[] | null,
  nextAttemptAt: number,
): Promise<boolean> {
  const rows = await tx.prepared(
    sql`update untraced_block set attempts = attempts + 1, next_attempt_at = ${nextAttemptAt},
        remaining = ${remaining}::text[]
      where chain_uid = ${chainUid} and number = ${number} and hash = ${hash} returning 1`,
  );
  return rows.length > 0;
}

/** Blocks above this one are no longer part of the chain. */
export async function deleteUntracedAbove(tx: Db, chainUid: string, height: number): Promise<void> {
  await tx.query(sql`delete from untraced_block where chain_uid = ${chainUid} and number > ${height}`);
  await tx.query(sql`delete from unseen_block where chain_uid = ${chainUid} and number > ${height}`);
}

/** So long it is known which blocks were given up. */
const unseenMs = 90 * 86_400_000;

/** Reason why the inner calls of a block are not seen, or not yet; undefined where nothing is known to be missing. */
export async function findUnseen(
  db: Db,
  chainUid: string,
  { number, hash }: BlockRef,
): Promise<{ isWaiting: boolean; reason: string | null } | undefined> {
  const [row] = await db.prepared<{ isWaiting: boolean; reason: string | null }>(
    sql`select true as "isWaiting", null as reason from untraced_block
      where chain_uid = ${chainUid} and number = ${number} and hash = ${hash}
        and remaining is distinct from array[${fundingKey}::text]
      union all
      select false, reason from unseen_block
      where chain_uid = ${chainUid} and number = ${number} and hash = ${hash} limit 1`,
  );
  return row;
}

type Unseen = {
  count: number;
  firstAt: number;
  lastAt: number;
  number: number;
  reason: string;
  /** Null: the whole block. */
  transactions: string[] | null;
};

/** The same of the blocks since a moment: how many there are, when the first was given up, and what is known of the newest. */
export async function findUnseenSince(db: Db, chainUid: string, since: number): Promise<Unseen | undefined> {
  const [row] = await db.prepared<Unseen>(
    sql`select (count(*) over ())::int as count, min(at) over () as "firstAt", at as "lastAt", number, reason,
        transactions
      from unseen_block where chain_uid = ${chainUid} and at > ${since}::bigint order by at desc, number desc limit 1`,
  );
  return row;
}

/** Transactions that are named of a block. */
const maxNamed = 100;

/** Records that what happens within these transactions of a block stays unseen, while the others are evaluated. */
export async function recordUnseen(
  tx: Db,
  chainUid: string,
  { number, hash }: BlockRef,
  transactions: readonly string[],
  reason: string,
  now: number,
): Promise<void> {
  await tx.query(
    sql`with kept as (insert into unseen_block (chain_uid, number, hash, reason, at, transactions)
        values (${chainUid}, ${number}, ${hash}, ${reason}, ${now}::bigint,
          ${transactions.slice(0, maxNamed)}::text[])
        on conflict do nothing returning number),
      old as (delete from unseen_block where chain_uid = ${chainUid} and at < ${now - unseenMs}::bigint)
      update chain_cursor set unseen_blocks = unseen_blocks + 1,
        unseen_last = greatest(unseen_last, ${number}::bigint), unseen_reason = ${reason}, unseen_at = ${now}
      where chain_uid = ${chainUid} and exists (select from kept)`,
  );
}

/** Gives blocks up for good and records that their inner calls stay unseen; returns how many they were. */
export async function giveUpUntraced(
  tx: Db,
  chainUid: string,
  blocks: readonly BlockRef[],
  reason: string,
  now: number,
): Promise<number> {
  const [given] = await tx.query<{ count: number }>(
    sql`with gone as (delete from untraced_block u using unnest(${blocks.map(({ number }) => number)}::bigint[],
          ${blocks.map(({ hash }) => hash)}::text[]) as r(number, hash)
        where u.chain_uid = ${chainUid} and u.number = r.number and u.hash = r.hash returning u.number, u.hash),
      kept as (insert into unseen_block (chain_uid, number, hash, reason, at)
        select ${chainUid}, number, hash, ${reason}, ${now}::bigint from gone on conflict do nothing),
      old as (delete from unseen_block where chain_uid = ${chainUid} and at < ${now - unseenMs}::bigint),
      counted as (update chain_cursor set unseen_blocks = unseen_blocks + (select count(*) from gone),
          unseen_last = greatest(unseen_last, (select max(number) from gone)),
          unseen_reason = ${reason}, unseen_at = ${now}
        where chain_uid = ${chainUid} and exists (select from gone))
      select count(*)::int as count from gone`,
  );
  return given?.count ?? 0;
}

export type UntracedBacklog = {
  count: number;
  oldest: number | null;
  oldestAt: number | null;
  failing: number;
};

export async function countUntraced(db: Db, chainUid: string): Promise<UntracedBacklog> {
  const [row] = await db.prepared<UntracedBacklog>(
    sql`select count(*)::int as count, min(number) as oldest, min(created_at) as "oldestAt",
        (count(*) filter (where attempts > 0))::int as failing
      from untraced_block where chain_uid = ${chainUid}`,
  );
  return row ?? { count: 0, oldest: null, oldestAt: null, failing: 0 };
}

/** The oldest of those beyond so many. */
export async function listExcess(db: Db, chainUid: string, limit: number): Promise<BlockRef[]> {
  return db.query<BlockRef>(
    sql`select number, hash from untraced_block where chain_uid = ${chainUid} order by number desc offset ${limit}`,
  );
}
