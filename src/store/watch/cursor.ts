import { sql } from '../../lib/sql.ts';
import type { BlockRef, Header } from '../../model/block.ts';
import type { Db } from '../db/db.ts';
import { leaseMs } from './leases.ts';

export type Cursor = {
  /** The newest block that was processed; undefined before the first. */
  tip: Header | undefined;
  /** Processed blocks that may still be reorganised, oldest first; the last one is the tip. */
  recent: Header[];
  final: number;
  /** The next block although no processed block is stored; undefined when unknown. */
  next: number | undefined;
  /** True if it was never followed before. */
  isNew: boolean;
  /** Until when scheduled work was run; undefined before the first time. */
  tickedAt: number | undefined;
};

/** Another process follows the chain now; this one must not write. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export async function findCursor(db: Db, chainUid: string): Promise<Cursor> {
  const recent = await db.query<Header>(
    sql`select number, hash, parent_hash as "parentHash", timestamp from chain_block
      where chain_uid = ${chainUid} order by number`,
  );
  const [row] = await db.query<{
    final: number;
    processed: number | null;
    updatedAt: number;
    tickedAt: number | null;
  }>(
    sql`select final, processed, updated_at as "updatedAt", ticked_at as "tickedAt" from chain_cursor
      where chain_uid = ${chainUid}`,
  );
  return {
    tip: recent.at(-1),
    recent,
    final: row?.final ?? -1,
    next: row?.processed == null ? undefined : row.processed + 1,
    isNew: (row?.updatedAt ?? 0) === 0,
    tickedAt: row?.tickedAt ?? undefined,
  };
}

export type CursorStep = {
  chainUid: string;
  holder: string;
  /** The block that the step starts from. */
  from: BlockRef | undefined;
  head: number;
  confirmations: number;
  now: number;
};

/** Advances by these blocks, oldest first. */
export async function advanceCursor(tx: Db, step: CursorStep, blocks: readonly Header[]): Promise<void> {
  const tip = blocks.at(-1);
  if (!tip) throw new Error('There are no blocks to advance by.');
  await moveCursor(tx, step, tip, tip.number);
  await tx.prepared(
    sql`insert into chain_block (chain_uid, number, hash, parent_hash, timestamp)
      select ${step.chainUid}, * from unnest(${blocks.map(({ number }) => number)}::bigint[],
        ${blocks.map(({ hash }) => hash)}::text[], ${blocks.map(({ parentHash }) => parentHash)}::text[],
        ${blocks.map(({ timestamp }) => timestamp)}::bigint[])`,
  );
}

/** Rewinds to a height, and to the block there if it is known; deletes the blocks above. */
export async function rewindCursor(
  tx: Db,
  step: CursorStep,
  to: Header | undefined,
  height: number,
): Promise<void> {
  await moveCursor(tx, step, to, height);
  await tx.query(sql`delete from chain_block where chain_uid = ${step.chainUid} and number > ${height}`);
}

/** Goes on behind blocks that no one can read any more; what came before them cannot be taken back. */
export async function skipCursor(tx: Db, step: CursorStep, height: number): Promise<void> {
  await moveCursor(tx, step, undefined, height);
  await tx.query(sql`delete from chain_block where chain_uid = ${step.chainUid}`);
  await tx.query(sql`delete from watch_undo where chain_uid = ${step.chainUid}`);
}

/** Also renews the lease: its own renewal waits for this transaction, which may take long on a busy database. */
async function moveCursor(tx: Db, step: CursorStep, to: Header | undefined, height: number): Promise<void> {
  const moved = await tx.prepared(
    sql`update chain_cursor set processed = ${height}::bigint, hash = ${to?.hash ?? null}::text,
        processed_at = ${to?.timestamp ?? null}::bigint, head = greatest(${step.head}::bigint, ${height}::bigint),
        confirmed = ${height - step.confirmations}::bigint, updated_at = ${step.now}::bigint,
        lease_until = greatest(lease_until, clock_timestamp() + ${leaseMs} * interval '1 ms')
      where chain_uid = ${step.chainUid} and holder = ${step.holder} and lease_until > clock_timestamp()
        and hash is not distinct from ${step.from?.hash ?? null}::text
      returning ${limitIdleTransaction}`,
  );
  if (moved.length === 0)
    throw new LeaseLost(`The chain ${step.chainUid} is followed by another process now.`);
}

/** A process that freezes inside a transaction must not keep the chain locked for the next holder. */
const limitIdleTransaction = sql`set_config('idle_in_transaction_session_timeout', '4000', true)`;

/** Blocks up to this one can no longer be reorganised; deletes what would undo them. */
export async function finalizeChain(tx: Db, chainUid: string, holder: string, final: number): Promise<void> {
  await assertHolder(tx, chainUid, holder);
  await tx.query(
    sql`update chain_cursor set final = greatest(final, ${final}) where chain_uid = ${chainUid}`,
  );
  // The newest final block stays, because the next block must continue it.
  await tx.query(
    sql`delete from chain_block where chain_uid = ${chainUid} and number < ${final}
      and number < (select max(number) from chain_block where chain_uid = ${chainUid})`,
  );
  await tx.query(sql`delete from watch_undo where chain_uid = ${chainUid} and number <= ${final}`);
}

/** Records that all scheduled work until then was run. */
export async function saveTick(db: Db, chainUid: string, holder: string, time: number): Promise<void> {
  await db.prepared(
    sql`update chain_cursor set ticked_at = greatest(ticked_at, ${time}::bigint)
      where chain_uid = ${chainUid} and holder = ${holder}`,
  );
}

/** Deletes the position on a chain on which nothing is watched any more. */
export async function parkChain(tx: Db, chainUid: string, holder: string): Promise<void> {
  await assertHolder(tx, chainUid, holder);
  await tx.query(
    sql`update chain_cursor set processed = null, hash = null, processed_at = null,
      halted_after = null, halted_at = null where chain_uid = ${chainUid}`,
  );
  await tx.query(sql`delete from chain_block where chain_uid = ${chainUid}`);
  await tx.query(sql`delete from watch_undo where chain_uid = ${chainUid}`);
  await tx.query(sql`delete from deferred_evaluation where chain_uid = ${chainUid}`);
  await tx.query(sql`delete from untraced_block where chain_uid = ${chainUid}`);
}

/** For transactions that do not move the cursor. */
export async function assertHolder(tx: Db, chainUid: string, holder: string): Promise<void> {
  const rows = await tx.prepared(
    sql`select ${limitIdleTransaction} from chain_cursor where chain_uid = ${chainUid} and holder = ${holder}
      and lease_until > clock_timestamp() for update`,
  );
  if (rows.length === 0) throw new LeaseLost(`The chain ${chainUid} is followed by another process now.`);
}
