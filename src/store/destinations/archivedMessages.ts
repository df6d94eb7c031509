import { type Sql, sql } from '../../lib/sql.ts';
import type { Db, Store } from '../db/db.ts';
import { groupByShard } from '../db/shards/groupByShard.ts';
import { perShard } from '../db/shards/perShard.ts';
import { perTenant } from '../db/shards/perTenant.ts';

const dayMs = 24 * 3_600_000;
/** Then hardly anyone asks for a message any more: its alert is final and its incident has ended. */
export const archivedAfterMs = 7 * dayMs;
/** A day earlier, because the clocks of processes differ. */
const mayBeArchivedMs = 6 * dayMs;
const chunkSize = 1000;

type Key = { tenantId: number; id: number };
type Settled = Key & { createdAt: number };
const tenantOf = ({ tenantId }: Key) => tenantId;

/**
 * On Citus, moves the messages of settled deliveries to their tenants' workers, which relieves the coordinator. A
 * worker that is down delays only its own; its error is thrown at the end.
 */
export async function archiveMessages(store: Store, now: number): Promise<void> {
  if (!(await isArchiveDistributed(store))) return;
  const failed = new Map<number, unknown>();
  const before = now - archivedAfterMs;
  let from = 0;
  for (;;) {
    const keys = await findSettled(store, { from, before }, [...failed.keys()]);
    let moved = 0;
    for (const [, shardKeys] of await groupByShard(store, keys, tenantOf))
      try {
        await store.transaction((tx) => copyToWorker(tx, shardKeys));
        moved += await store.transaction((tx) => deleteArchived(tx, shardKeys));
      } catch (error) {
        for (const key of shardKeys) failed.set(key.tenantId, error);
        moved += shardKeys.length;
      }
    // Locked rows, and rows with an older time than their neighbours, are left to the next run.
    if (moved === 0) break;
    from = keys.reduce((latest, { createdAt }) => Math.max(latest, createdAt), from);
  }
  for (const error of failed.values()) throw error;
}

/** Not yet, where `vigil migrate --citus` ran before there was an archive. */
async function isArchiveDistributed(db: Db): Promise<boolean> {
  if (!(await db.isDistributed())) return false;
  const rows = await db.query(
    sql`select from pg_dist_partition where logicalrelid = 'delivery_archive'::regclass`,
  );
  return rows.length > 0;
}

/** From the time that the last ones had, because the rows of those that were moved are there until the next vacuum. */
async function findSettled(
  db: Db,
  { from, before }: { from: number; before: number },
  exceptTenants: readonly number[],
): Promise<Settled[]> {
  return db.query<Settled>(
    sql`select m.tenant_id as "tenantId", m.id, m.created_at as "createdAt" from delivery_message m
      where m.created_at >= ${from} and m.created_at < ${before}
        and m.tenant_id <> all(${exceptTenants}::bigint[]) and ${isSettled}
      limit ${chunkSize}`,
  );
}

const isSettled = sql`not exists (
  select from delivery_queue q where q.tenant_id = m.tenant_id and q.message_id = m.id)`;

async function copyToWorker(tx: Db, keys: readonly Key[]): Promise<void> {
  const messages = await tx.query<{ rows: string | null }>(
    sql`select json_agg(m)::text as rows from (
        select m.tenant_id, m.id, m.created_at, m.data from delivery_message m join ${listed(keys)}) m`,
  );
  const rows = messages[0]?.rows;
  if (!rows) return;
  await perShard(
    tx,
    keys,
    tenantOf,
    () =>
      sql`with archived as (
          insert into delivery_archive (tenant_id, id, created_at, data)
          select r.tenant_id, r.id, r.created_at, r.data
          from json_to_recordset(${rows}::json) as r(tenant_id bigint, id bigint, created_at bigint, data jsonb)
          on conflict (tenant_id, id) do nothing returning 1)
        select count(*)::text as shard_row from archived`,
  );
}

/**
 * Deletes messages once the worker shows them, in a separate transaction, so a crash leaves two copies and never none.
 * Leaves locked ones, which are about to be sent. Returns the number deleted.
 */
async function deleteArchived(tx: Db, keys: readonly Key[]): Promise<number> {
  const locked = await tx.query<Key>(
    sql`select m.tenant_id as "tenantId", m.id from delivery_message m join ${listed(keys)}
      where ${isSettled} for update of m skip locked`,
  );
  const archived = await perTenant(tx, locked, (of, ofTenant) =>
    tx.query<Key>(
      sql`select a.tenant_id as "tenantId", a.id from delivery_archive a
        where ${ofTenant('a')} and a.id = any(${of.map(({ id }) => id)}::bigint[])`,
    ),
  );
  await tx.query(sql`delete from delivery_message m using ${listed(archived, sql`where`)}`);
  return archived.length;
}

/** These keys as `k`, with the condition that `m` is one of them. */
function listed(keys: readonly Key[], on = sql`on`): Sql {
  return sql`unnest(${keys.map(tenantOf)}::bigint[], ${keys.map(({ id }) => id)}::bigint[]) k(tenant_id, id)
    ${on} k.tenant_id = m.tenant_id and k.id = m.id`;
}

/**
 * Brings back what the workers have of the messages of these deliveries, and keeps the others here until the transaction ends.
 * `deliveries` follows `from` and has the alias `d`.
 */
export async function restoreMessages(tx: Db, deliveries: Sql, now: number): Promise<void> {
  if (!(await tx.isDistributed())) return;
  const missing = await tx.query<Key>(
    sql`with k as materialized (
        select distinct d.tenant_id, d.message_id as id from ${deliveries}
          and d.message_id is not null and d.created_at < ${now - mayBeArchivedMs}),
      here as materialized (
        select m.tenant_id, m.id from delivery_message m join k on k.tenant_id = m.tenant_id and k.id = m.id
        for key share of m)
      select k.tenant_id as "tenantId", k.id from k
      where not exists (select from here where here.tenant_id = k.tenant_id and here.id = k.id)`,
  );
  const archived = await perTenant(tx, missing, (of, ofTenant) =>
    tx.query<{ row: string }>(
      sql`select to_json(a)::text as row from delivery_archive a
        where ${ofTenant('a')} and a.id = any(${of.map(({ id }) => id)}::bigint[])`,
    ),
  );
  if (archived.length === 0) return;
  const rows = `[${archived.map(({ row }) => row).join()}]`;
  await tx.query(
    sql`insert into delivery_message (tenant_id, id, created_at, data)
      select r.tenant_id, r.id, r.created_at, r.data
      from json_to_recordset(${rows}::json) as r(tenant_id bigint, id bigint, created_at bigint, data jsonb)
      on conflict (tenant_id, id) do nothing`,
  );
}

/** Each worker deletes its own. */
export async function purgeArchivedMessages(db: Db, before: number): Promise<void> {
  if (await db.isDistributed())
    await db.query(sql`delete from delivery_archive where created_at < ${before}`);
}
