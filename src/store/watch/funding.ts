import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Funding } from '../../model/detection.ts';
import type { Db } from '../db/db.ts';

/** An address that was funded by a labelled source, and the block. */
export type FundedAddress = Funding & { readonly address: string; readonly blockNumber: number };

export async function insertFunded(tx: Db, chainUid: string, rows: readonly FundedAddress[]): Promise<void> {
  if (rows.length === 0) return;
  const written = rows.map(({ address, source, tags, hops, transactionHash, blockNumber, timestamp }) => ({
    address,
    source,
    tags,
    hops,
    transaction_hash: transactionHash,
    block_number: blockNumber,
    timestamp,
  }));
  await tx.prepared(
    sql`insert into funded_address (chain_uid, address, source, tags, hops, transaction_hash, block_number, timestamp)
      select ${chainUid}, r.address, r.source, array(select json_array_elements_text(r.tags)), r.hops,
        r.transaction_hash, r.block_number, r.timestamp
      from json_to_recordset(${storableJson(written)}::json) as r(address text, source text, tags json,
        hops smallint, transaction_hash text, block_number bigint, timestamp bigint)
      on conflict do nothing`,
  );
}

/** Undoes the blocks above this one. */
export async function deleteFundedAbove(tx: Db, chainUid: string, above: number): Promise<void> {
  await tx.query(sql`delete from funded_address where chain_uid = ${chainUid} and block_number > ${above}`);
}

export async function deleteFundedBefore(tx: Db, chainUid: string, timestamp: number): Promise<void> {
  await tx.query(sql`delete from funded_address where chain_uid = ${chainUid} and timestamp < ${timestamp}`);
}

/** Deletes what was funded by any other source. */
export async function deleteFundedExcept(
  db: Db,
  chainUid: string,
  sources: readonly string[],
): Promise<void> {
  await db.query(
    sql`delete from funded_address where chain_uid = ${chainUid} and not source = any(${sources}::text[])`,
  );
}

const members = sql`address, source, tags, hops, transaction_hash as "transactionHash",
  block_number as "blockNumber", timestamp`;

/** The funding of these addresses: the one with the fewest hops and, of those, the newest. */
export async function findFunding(
  db: Db,
  chainUid: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, FundedAddress>> {
  if (addresses.length === 0) return new Map();
  const rows = await db.prepared<FundedAddress>(
    sql`select distinct on (address) ${members} from funded_address
      where chain_uid = ${chainUid} and address = any(${addresses}) order by address, hops, block_number desc`,
  );
  return new Map(rows.map((row) => [row.address, row]));
}

/** The newest ones, newest first. */
export async function listFunded(db: Db, chainUid: string, limit: number): Promise<FundedAddress[]> {
  return db.query(
    sql`select ${members} from funded_address where chain_uid = ${chainUid} order by block_number desc limit ${limit}`,
  );
}
