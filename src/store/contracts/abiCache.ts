import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type CachedAbi = { abi: unknown[] | null; source: string };

/** A contract may be verified later, and a verified one may be matched better. */
const unknownForMs = 6 * 3_600_000;
const knownForMs = 30 * 86_400_000;

/** Answers of sources about a contract, unless they are too old. */
export async function findCachedAbi(
  db: Db,
  chainUid: string,
  address: string,
  now: number,
): Promise<CachedAbi | undefined> {
  const [row] = await db.query<CachedAbi>(
    sql`select abi, source from abi_cache where chain_uid = ${chainUid} and address = ${address}
      and fetched_at > ${now}::bigint
        - case when abi is null then ${unknownForMs}::bigint else ${knownForMs}::bigint end`,
  );
  return row;
}

export async function saveCachedAbi(
  db: Db,
  { chainUid, address, abi, source }: CachedAbi & { chainUid: string; address: string },
  now: number,
): Promise<void> {
  await db.query(
    sql`insert into abi_cache (chain_uid, address, abi, source, fetched_at)
      values (${chainUid}, ${address}, ${abi === null ? null : storableJson(abi)}::jsonb, ${source}, ${now})
      on conflict (chain_uid, address) do update
        set abi = excluded.abi, source = excluded.source, fetched_at = excluded.fetched_at`,
  );
}
