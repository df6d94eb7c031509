import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type SubscriberKey = { kind: 'detector' | 'trigger'; id: number };

export type DeferredRow = SubscriberKey & {
  number: number;
  hash: string;
  previous: { number: number; timestamp: number } | null;
  tenantId: number;
  /** Reason of the deferral. */
  reason: string;
};

/** The deferred evaluations of a subscriber. */
export type DeferredBacklog = SubscriberKey & {
  tenantId: number;
  count: number;
  oldestAt: number;
  nextAttemptAt: number;
  /** Nodes did not answer what one of them reads, or one of those before it. */
  waitsForReads: boolean;
};

export async function insertDeferred(
  tx: Db,
  chainUid: string,
  rows: readonly DeferredRow[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ previous, ...row }) => ({
    ...row,
    previousNumber: previous?.number ?? null,
    previousTimestamp: previous?.timestamp ?? null,
  }));
  await tx.prepared(
    sql`insert into deferred_evaluation (chain_uid, kind, id, number, hash, previous_number, previous_timestamp,
      tenant_id, reason, next_attempt_at, created_at)
      select ${chainUid}, r.kind, r.id, r.number, r.hash, r."previousNumber", r."previousTimestamp", r."tenantId",
        r.reason, ${now}::bigint, ${now}::bigint
      from json_to_recordset(${storableJson(values)}::json) as r(kind text, id bigint, number bigint, hash text,
        "previousNumber" bigint, "previousTimestamp" bigint, "tenantId" bigint, reason text)`,
  );
}

export async function listBacklogs(db: Db, chainUid: string): Promise<DeferredBacklog[]> {
  return db.query<DeferredBacklog>(
    sql`select kind, id, min(tenant_id) as "tenantId", count(*)::int as count, min(created_at) as "oldestAt",
        min(next_attempt_at) as "nextAttemptAt", bool_or(reason = 'read') as "waitsForReads"
      from deferred_evaluation where chain_uid = ${chainUid} group by kind, id`,
  );
}

/** The oldest deferred evaluation of the subscriber. */
export async function findDeferred(
  db: Db,
  chainUid: string,
  { kind, id }: SubscriberKey,
): Promise<(DeferredRow & { createdAt: number; attempts: number }) | undefined> {
  const [row] = await db.prepared<
    Omit<DeferredRow, 'previous'> & {
      previousNumber: number | null;
      previousTimestamp: number | null;
      createdAt: number;
      attempts: number;
    }
  >(
    sql`select kind, id, number, hash, previous_number as "previousNumber", previous_timestamp as "previousTimestamp",
        tenant_id as "tenantId", reason, created_at as "createdAt", attempts
      from deferred_evaluation where chain_uid = ${chainUid} and kind = ${kind} and id = ${id} order by number limit 1`,
  );
  if (!row) return undefined;
  const { previousNumber, previousTimestamp, ...rest } = row;
  const previous =
    previousNumber === null ? null : { number: previousNumber, timestamp: previousTimestamp ?? 0 };
  return { ...rest, previous };
}

/** False when it does not exist any more. */
export async function deleteDeferred(
  tx: Db,
  chainUid: string,
  { kind, id, number, hash }: Pick<DeferredRow, 'kind' | 'id' | 'number' | 'hash'>,
): Promise<boolean> {
  const rows = await tx.prepared(
    sql`delete from deferred_evaluation where chain_uid = ${chainUid} and kind = ${kind} and id = ${id}
      and number = ${number} and hash = ${hash} returning 1`,
  );
  return rows.length > 0;
}

/** The evaluation was not possible; it is tried again later. */
export async function postponeDeferred(
  db: Db,
  chainUid: string,
  { kind, id, number }: Pick<DeferredRow, 'kind' | 'id' | 'number'>,
  nextAttemptAt: number,
): Promise<void> {
  await db.prepared(
    sql`update deferred_evaluation set attempts = attempts + 1, next_attempt_at = ${nextAttemptAt}
      where chain_uid = ${chainUid} and kind = ${kind} and id = ${id} and number = ${number}`,
  );
}

/** Deletes the deferred evaluations of the subscriber; returns which blocks they were. */
export async function dropDeferred(
  tx: Db,
  chainUid: string,
  { kind, id }: SubscriberKey,
): Promise<{ first: number; last: number; count: number } | undefined> {
  const [dropped] = await tx.prepared<{ first: number | null; last: number | null; count: number }>(
    sql`with dropped as (delete from deferred_evaluation where chain_uid = ${chainUid} and kind = ${kind} and id = ${id}
        returning number)
      select min(number) as first, max(number) as last, count(*)::int as count from dropped`,
  );
  if (!dropped || dropped.first === null || dropped.last === null) return undefined;
  return { first: dropped.first, last: dropped.last, count: dropped.count };
}

/** Blocks above this one are no longer part of the chain. */
export async function deleteDeferredAbove(tx: Db, chainUid: string, height: number): Promise<void> {
  await tx.query(sql`delete from deferred_evaluation where chain_uid = ${chainUid} and number > ${height}`);
}

/** The oldest block that an evaluation waits for. */
export async function findOldestDeferred(db: Db, chainUid: string): Promise<number | undefined> {
  const [row] = await db.query<{ number: number | null }>(
    sql`select min(number) as number from deferred_evaluation where chain_uid = ${chainUid}`,
  );
  return row?.number ?? undefined;
}

/** Blocks up to this one cannot be read any more. */
export async function deleteDeferredUpTo(tx: Db, chainUid: string, height: number): Promise<void> {
  await tx.query(sql`delete from deferred_evaluation where chain_uid = ${chainUid} and number <= ${height}`);
}
