import { storableJson } from '../../lib/json.ts';
import { empty, join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { AlertWrite } from '../../model/alertWrite.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { holdWith } from '../db/shards/holdShards.ts';

/** The shard group of each tenant: the alerts of a group are stored together, so that one transaction on one server writes them. */
export type FindGroups = (db: Db, tenantIds: Iterable<number>) => Promise<ReadonlyMap<number, number>>;

export type GroupWrite = { id: number; writes: readonly AlertWrite[]; at: number };
/** `isOldest`: nothing of its chain and group waits before it. */
export type StoredWrite = GroupWrite & { isOldest: boolean };
export type GroupKey = { chainUid: string; group: number };

/**
 * Adds a row per group in a transaction that holds the chain's cursor, so a chain's ids rise in commit order.
 * `isBehind`: a tenant's older row waits in the group of its former shard.
 */
export async function insertGroupWrites(
  tx: Db,
  chainUid: string,
  writesByGroup: ReadonlyMap<number, readonly AlertWrite[]>,
  time: number,
): Promise<(StoredWrite & { group: number; isBehind: boolean })[]> {
  const groups = [...writesByGroup].map(([group, writes]) => ({ group, writes }));
  if (groups.length === 0) return [];
  // A value for each row, because PostgreSQL would unquote the elements of an array.
  const values = groups.map(
    ({
      group,
      writes,
    }) => sql`(${chainUid}, ${group}::int, ${storableJson(writes)}::text, ${countFindings(writes)}::int,
      ${writes.some(isRetraction)}::boolean, ${time}::bigint, ${[...new Set(writes.flatMap(tenantsOf))]}::bigint[])`,
  );
  const rows = await tx.prepared<{ id: number; group: number; isOldest: boolean; isBehind: boolean }>(
    sql`with older as materialized (select shard_group, tenant_ids from group_write where chain_uid = ${chainUid})
      insert into group_write as added (chain_uid, shard_group, writes, findings, retracts, at, tenant_ids)
      values ${join(values, ', ')}
      returning id, shard_group as "group",
        not exists (select from older where older.shard_group = added.shard_group) as "isOldest",
        exists (select from older
          where older.shard_group <> added.shard_group and older.tenant_ids && added.tenant_ids) as "isBehind"`,
  );
  return rows.map((row) => ({ ...row, at: time, writes: writesByGroup.get(row.group) ?? [] }));
}

/** The ids of the oldest rows of a chain and group. */
export async function listGroupWrites(
  db: Db,
  { chainUid, group }: GroupKey,
  limit: number,
): Promise<number[]> {
  const rows = await db.prepared<{ id: number }>(
    sql`select id from group_write where chain_uid = ${chainUid} and shard_group = ${group}
      order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export async function readGroupWrites(db: Db, ids: readonly number[]): Promise<GroupWrite[]> {
  if (ids.length === 0) return [];
  const rows = await db.prepared<TextRow>(
    sql`select id, writes, at from group_write where id = any(${ids}::bigint[]) order by id`,
  );
  return rows.map(readRow);
}

/**
 * Deletes these rows; returns how many there were. Waits for another process that writes them. Holds the shards of these tenants,
 * because what follows would need a statement of its own for that.
 */
export async function deleteGroupWrites(
  tx: Db,
  ids: readonly number[],
  tenantIds: readonly number[],
): Promise<number> {
  // Those are held after all rows are gone, in the order of all transactions.
  const deletion = (hold: Sql) =>
    sql`with gone as (delete from group_write where id = any(${ids}::bigint[]) returning id)
      select count(*) as count, ${hold} as places from gone`;
  const isHeld = tenantIds.length > 0 && (await tx.isDistributed());
  const rows = isHeld
    ? await holdWith<{ count: number }>(tx, tenantIds, deletion)
    : await tx.prepared<{ count: number }>(deletion(raw('null')));
  return onlyRow(rows).count;
}

/** Retractions of these blocks in later rows. */
export async function findLaterRetractions(
  tx: Db,
  { chainUid, group }: GroupKey,
  after: number,
): Promise<GroupWrite[]> {
  const rows = await tx.prepared<TextRow>(
    sql`select id, writes, at from group_write where chain_uid = ${chainUid} and shard_group = ${group}
      and id > ${after} and retracts order by id`,
  );
  return rows.map(readRow).map((row) => ({ ...row, writes: row.writes.filter(isRetraction) }));
}

type TextRow = Omit<GroupWrite, 'writes'> & { writes: string };

function readRow({ writes, ...row }: TextRow): GroupWrite {
  return { ...row, writes: JSON.parse(writes) as AlertWrite[] };
}

export type WaitingGroup = GroupKey & { findings: number; bytes: number; since: number };

export type WaitingTenants = { count: number; first: number[] };

const maxTenantsNamed = 20;

/** The tenants whose findings wait, of all chains and groups or of one. */
export async function findWaitingTenants(db: Db, key?: GroupKey): Promise<WaitingTenants> {
  const ofKey = key ? sql`where chain_uid = ${key.chainUid} and shard_group = ${key.group}` : empty;
  const [row] = await db.query<WaitingTenants>(
    sql`select count(*) as count, coalesce((array_agg(id order by id))[:${maxTenantsNamed}], '{}') as first
      from (select distinct unnest(tenant_ids) as id from group_write ${ofKey}) t`,
  );
  return row ?? { count: 0, first: [] };
}

/** Chains and groups that have something to write. */
export async function listWaitingGroups(db: Db): Promise<WaitingGroup[]> {
  return db.prepared(
    sql`select chain_uid as "chainUid", shard_group as "group", sum(findings) as findings,
        sum(pg_column_size(writes)) as bytes, min(at) as since
      from group_write group by chain_uid, shard_group`,
  );
}

/**
 * The group behind whose rows each tenant's next ones of a chain belong: that of its shard, or the one in which something of it
 * still waits since before its shard moved.
 */
export async function findLaneGroups(
  db: Db,
  findGroups: FindGroups,
  chainUid: string,
  tenantIds: Iterable<number>,
): Promise<ReadonlyMap<number, number>> {
  const groups = await findGroups(db, tenantIds);
  const moved = await db.prepared<{ id: number; group: number }>(
    sql`select t.id, min(g.shard_group) as "group"
      from unnest(${[...groups.keys()]}::bigint[], ${[...groups.values()]}::int[]) t(id, shard_group)
      join group_write g on g.chain_uid = ${chainUid} and g.shard_group <> t.shard_group and t.id = any(g.tenant_ids)
      group by t.id`,
  );
  if (moved.length === 0) return groups;
  return new Map([...groups, ...moved.map(({ id, group }) => [id, group] as const)]);
}

/** The groups of a chain that have something to write. */
export async function findWaitingGroups(db: Db, chainUid: string): Promise<Set<number>> {
  const rows = await db.prepared<{ group: number }>(
    sql`select distinct shard_group as "group" from group_write where chain_uid = ${chainUid}`,
  );
  return new Set(rows.map(({ group }) => group));
}

/** The tenants whose alerts may be about a chain. */
export async function findTenantsOfChain(db: Db, chainUid: string): Promise<number[]> {
  const rows = await db.prepared<{ tenantId: number }>(
    sql`select distinct tenant_id as "tenantId" from contract where chain_uid = ${chainUid}`,
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** The tenants whose alerts it is about, as far as it names them. */
export function tenantsOf(write: AlertWrite): readonly number[] {
  if (write.type === 'retractBlocks') return write.tenantIds ?? [];
  return (write.type === 'raise' ? write.findings : write.alerts).map(({ tenantId }) => tenantId);
}

function isRetraction({ type }: AlertWrite): boolean {
  return type !== 'raise';
}

function countFindings(writes: readonly AlertWrite[]): number {
  return writes.reduce((sum, write) => sum + (write.type === 'raise' ? write.findings.length : 0), 0);
}
