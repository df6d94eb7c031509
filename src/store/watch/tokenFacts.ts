import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type TokenFact = { address: string; call: string; result: string; readAt: number };

export async function findTokenFacts(
  db: Db,
  chainUid: string,
  keys: readonly Pick<TokenFact, 'address' | 'call'>[],
): Promise<TokenFact[]> {
  return db.prepared(
    sql`select f.address, f.call, f.result, f.read_at as "readAt" from token_fact f
      join unnest(${keys.map(({ address }) => address)}::text[],
          ${keys.map(({ call }) => call)}::text[]) k(address, call)
        on k.address = f.address and k.call = f.call
      where f.chain_uid = ${chainUid}`,
  );
}

export async function saveTokenFacts(db: Db, chainUid: string, facts: readonly TokenFact[]): Promise<void> {
  await db.prepared(
    sql`insert into token_fact (chain_uid, address, call, result, read_at)
      select ${chainUid}, * from unnest(${facts.map(({ address }) => address)}::text[],
        ${facts.map(({ call }) => call)}::text[], ${facts.map(({ result }) => result)}::text[],
        ${facts.map(({ readAt }) => readAt)}::bigint[])
      on conflict (chain_uid, address, call) do update set result = excluded.result, read_at = excluded.read_at`,
  );
}
