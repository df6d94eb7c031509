import { sql } from '../../lib/sql.ts';
import type { PendingState } from '../../model/pending.ts';
import type { Scope } from '../../model/principal.ts';
import type { TraceState } from '../../model/traceState.ts';
import type { Db } from '../db/db.ts';
import { contractTable } from '../tables/contractTable.ts';

export type ChainState = {
  chainUid: string;
  isFollowed: boolean;
  head: number | null;
  processed: number | null;
  confirmed: number | null;
  final: number | null;
  processedAt: number | null;
  endpoints: unknown[] | null;
  traces: TraceState | null;
  pending: PendingState | null;
  unseenBlocks: number;
  unseenLast: number | null;
  unseenReason: string | null;
  unseenAt: number | null;
  /** Findings that wait for a shard group that cannot be written. */
  unwritten: number;
  unwrittenSince: number | null;
};

export async function findChainStates(db: Db): Promise<Map<string, ChainState>> {
  const rows = await db.query<ChainState>(
    sql`select chain_uid as "chainUid", coalesce(lease_until > clock_timestamp(), false) as "isFollowed",
        nullif(head, -1) as head, nullif(processed, -1) as processed,
          case when confirmed >= 0 then confirmed end as confirmed,
        case when final >= 0 then final end as final, processed_at as "processedAt", endpoints,
        traces, pending, unseen_blocks as "unseenBlocks", unseen_last as "unseenLast", unseen_reason as "unseenReason",
        unseen_at as "unseenAt", coalesce(w.findings, 0) as unwritten, w.since as "unwrittenSince"
      from chain_cursor left join (select chain_uid, sum(findings) as findings, min(at) as since from group_write
        group by chain_uid) w using (chain_uid)`,
  );
  return new Map(rows.map((row) => [row.chainUid, row]));
}

/** Contracts listed per chain; the rest are only counted. */
const maxListed = 1000;

type Contracts = { count: number; first: { id: number; name: string }[] };

/** The caller's active contracts on each chain: how many, and the first of them. */
export async function listContractsByChain(db: Db, scope: Scope): Promise<Map<string, Contracts>> {
  const rows = await db.query<Contracts & { chainUid: string }>(
    sql`select chain_uid as "chainUid", count(*) as count,
        json_agg(json_build_object('id', id, 'name', name) order by id) filter (where rank <= ${maxListed}) as first
      from (select t.chain_uid, t.id, t.name, row_number() over (partition by t.chain_uid order by t.id) as rank
            from contract t where t.status = 'ACTIVE' and ${contractTable.visible(scope)}) c
      group by chain_uid`,
  );
  return new Map(rows.map(({ chainUid, count, first }) => [chainUid, { count, first }]));
}
