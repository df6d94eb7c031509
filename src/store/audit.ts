import { createHash } from 'node:crypto';
import { empty, sql } from '../lib/sql.ts';
import type { Scope } from '../model/principal.ts';
import type { Db, Store } from './db.ts';

/** One change: who did what to which record, and what it looked like before and after. No secret is ever in it. */
export type AuditEntry = {
  at: number;
  requestId: string;
  tenantId: number | null;
  actor: { tokenId: number | null; tokenKind: string; userId: number | null };
  action: string;
  record: { kind: string; id: number | null };
  changes: Record<string, unknown>;
};

/** Chain of changes that belong to no tenant. */
const platformChain = 0;
const genesis = Buffer.alloc(32);

/** Appends to the tenant's chain; the head row is locked, so entries of one chain are in commit order. */
export async function appendAudit(db: Db, entry: AuditEntry): Promise<void> {
  const text = JSON.stringify(entry);
  const chain = entry.tenantId ?? platformChain;
  const first = createHash('sha256').update(genesis).update(text).digest();
  await db.prepared(
    sql`with head as (
        insert into audit_head as h (chain, seq, hash) values (${chain}, 1, ${first})
        on conflict (chain) do update set seq = h.seq + 1, hash = sha256(h.hash || convert_to(${text}, 'UTF8'))
        returning seq, hash)
      insert into audit_entry (chain, seq, hash, entry, at, action, record_kind, record_id)
      select ${chain}, head.seq, head.hash, ${text}, ${entry.at}, ${entry.action}, ${entry.record.kind}, ${entry.record.id}
      from head`,
  );
}

export type AuditSearch = {
  from: number;
  size: number;
  tenantId?: number;
  kind?: string;
  recordId?: number;
  since?: number;
  until?: number;
};

/** Newest first. */
export async function searchAudit(db: Db, scope: Scope, search: AuditSearch) {
  const chains = scope.all ? sql`true` : sql`chain = any(${scope.tenantIds})`;
  const rows = await db.query<{ seq: number; hash: Buffer; entry: string }>(
    sql`select seq, hash, entry from audit_entry where ${chains}
      ${search.tenantId === undefined ? empty : sql`and chain = ${search.tenantId}`}
      ${search.kind === undefined ? empty : sql`and record_kind = ${search.kind}`}
      ${search.recordId === undefined ? empty : sql`and record_id = ${search.recordId}`}
      ${search.since === undefined ? empty : sql`and at >= ${search.since}`}
      ${search.until === undefined ? empty : sql`and at <= ${search.until}`}
      order by at desc, chain, seq desc limit ${search.size} offset ${search.from}`,
  );
  return rows.map((row) => {
    const entry: AuditEntry = JSON.parse(row.entry);
    return { seq: row.seq, hash: row.hash.toString('hex'), ...entry };
  });
}

export type AuditFault = { chain: number; seq: number; reason: string };

/** Walks every chain from its first entry and reports the first broken link of each, in one view of the store. */
export async function verifyAudit(
  store: Store,
): Promise<{ entries: number; chains: number; faults: AuditFault[] }> {
  return store.transaction(async (tx) => {
    // Entries that are appended meanwhile must not look like ones beyond the head.
    await tx.query(sql`set transaction isolation level repeatable read, read only`);
    const heads = await tx.query<Head>(sql`select chain, seq, hash from audit_head order by chain`);
    const strays = await tx.query<{ chain: number; seq: number }>(
      sql`select chain, min(seq) as seq from audit_entry
        where chain not in (select chain from audit_head) group by chain order by chain`,
    );
    const faults: AuditFault[] = strays.map(({ chain, seq }) => ({
      chain,
      seq,
      reason: 'the chain has no head',
    }));
    let entries = 0;
    for (const head of heads) {
      const { count, fault } = await verifyChain(tx, head);
      entries += count;
      if (fault) faults.push({ chain: head.chain, ...fault });
    }
    return { entries, chains: heads.length, faults };
  });
}

type Head = { chain: number; seq: number; hash: Buffer };

const batch = 1000;

type Link = {
  seq: number;
  hash: Buffer;
  entry: string;
  at: number;
  action: string;
  kind: string;
  id: number | null;
};
type LinkFault = { seq: number; reason: string };

async function verifyChain(db: Db, head: Head): Promise<{ count: number; fault?: LinkFault }> {
  let hash: Buffer = genesis;
  let seq = 0;
  for (;;) {
    const links = await db.query<Link>(
      sql`select seq, hash, entry, at, action, record_kind as kind, record_id as id from audit_entry
        where chain = ${head.chain} and seq > ${seq} order by seq limit ${batch}`,
    );
    for (const link of links) {
      const expected = createHash('sha256').update(hash).update(link.entry).digest();
      const reason = linkFault(link, seq + 1, expected, head.chain);
      if (reason) return { count: seq, fault: { seq: seq + 1, reason } };
      hash = expected;
      seq += 1;
    }
    if (links.length < batch) break;
  }
  if (seq < head.seq)
    return { count: seq, fault: { seq: seq + 1, reason: `entries up to ${head.seq} are missing` } };
  if (seq > head.seq)
    return { count: seq, fault: { seq: head.seq + 1, reason: 'the entry is beyond the head of the chain' } };
  if (!hash.equals(head.hash))
    return { count: seq, fault: { seq, reason: 'the head of the chain has another hash' } };
  return { count: seq };
}

function linkFault(link: Link, seq: number, hash: Buffer, chain: number): string | undefined {
  if (link.seq !== seq) return 'the entry is missing';
  if (!link.hash.equals(hash)) return 'the hash does not follow from the entry and the one before it';
  const entry: AuditEntry = JSON.parse(link.entry);
  const agrees =
    (entry.tenantId ?? platformChain) === chain &&
    entry.at === link.at &&
    entry.action === link.action &&
    entry.record.kind === link.kind &&
    entry.record.id === link.id;
  return agrees ? undefined : 'a column differs from the entry';
}
