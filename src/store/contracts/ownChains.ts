import { empty, sql } from '../../lib/sql.ts';
import type { Chain } from '../../model/chain.ts';
import { type Db, onlyRow } from '../db/db.ts';

/** A chain that an administrator added. */
export type OwnChain = {
  chain: Chain;
  /** Distinguishes its network from every other. */
  identity: string;
  isDeleted: boolean;
  createdAt: number;
  updatedAt: number;
};

const columns = sql`facts as chain, identity, status = 'DELETED' as "isDeleted", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** One of them, or all, the oldest first, with those that were deleted. */
export async function findOwnChains(db: Db, uid?: string): Promise<OwnChain[]> {
  return db.query<OwnChain>(
    sql`select ${columns} from own_chain ${uid === undefined ? empty : sql`where uid = ${uid}`}
      order by created_at, uid`,
  );
}

/** One change at a time, so that no network is added under two names. Readers do not wait. */
export async function lockOwnChains(tx: Db): Promise<void> {
  await tx.query(sql`lock table own_chain in share row exclusive mode`);
}

/** Waits for those who hold the chain, and keeps others from it. */
export async function lockOwnChain(tx: Db, uid: string): Promise<void> {
  await tx.query(sql`select from own_chain where uid = ${uid} for update`);
}

/** True if the chain exists; it is then held until the transaction ends. */
export async function holdOwnChain(tx: Db, uid: string): Promise<boolean> {
  const rows = await tx.query(sql`select from own_chain where uid = ${uid} and status = 'ACTIVE' for share`);
  return rows.length > 0;
}

/** Adds the chain, changes its facts, or brings it back after it was deleted. */
export async function saveOwnChain(
  tx: Db,
  { chain, identity }: Pick<OwnChain, 'chain' | 'identity'>,
  now: number,
): Promise<OwnChain> {
  const rows = await tx.query<OwnChain>(
    sql`insert into own_chain (uid, identity, facts, status, created_at, updated_at)
        values (${chain.uid}, ${identity}, ${JSON.stringify(chain)}::jsonb, 'ACTIVE', ${now}, ${now})
      on conflict (uid) do update set facts = excluded.facts, status = 'ACTIVE', updated_at = excluded.updated_at
      returning ${columns}`,
  );
  await notifyChange(tx);
  return onlyRow(rows);
}

/** The chain and its endpoints. Where something ever was on it, its facts stay, so that alerts of it are still understood. */
export async function deleteOwnChain(
  tx: Db,
  { uid, wasUsed }: { uid: string; wasUsed: boolean },
  now: number,
): Promise<void> {
  await tx.query(
    wasUsed
      ? sql`update own_chain set status = 'DELETED', updated_at = ${now} where uid = ${uid}`
      : sql`delete from own_chain where uid = ${uid}`,
  );
  await tx.query(sql`delete from chain_endpoint where chain_uid = ${uid}`);
  await notifyChange(tx);
}

type Uses = { contracts: number; wallets: number; wasUsed: boolean };

/** Records on the chain of all tenants, and whether any ever were. */
export async function countUsesOfChain(db: Db, uid: string): Promise<Uses> {
  const rows = await db.query<Uses>(
    sql`select c.count as contracts, w.count as wallets, c.ever + w.ever + l.ever > 0 as "wasUsed"
      from (select count(*) filter (where status <> 'DELETED') as count, count(*) as ever
          from contract where chain_uid = ${uid}) c,
        (select count(*) filter (where status <> 'DELETED') as count, count(*) as ever
          from wallet where chain_uid = ${uid}) w,
        (select count(*) as ever from address_label where chain_uid = ${uid}) l`,
  );
  return onlyRow(rows);
}

/** Every process reads the chains again once the change is committed. */
async function notifyChange(tx: Db): Promise<void> {
  await tx.query(sql`select pg_notify('vigil_chain', '')`);
}
