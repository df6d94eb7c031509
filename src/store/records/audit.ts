import type { AuditKeys } from '../../lib/auditKey.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { empty, type Sql, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { sendLater } from '../db/sendLater.ts';

/** One change: who did what to which record, and what it looked like before and after. No secret is ever in it. */
export type AuditEntry = {
  at: number;
  requestId: string;
  tenantId: number | null;
  actor: { tokenId: number | null; tokenKind: string; userId: number | null; address?: string };
  action: string;
  record: { kind: string; id: number | null };
  changes: Record<string, unknown>;
};

/** Chain of changes that belong to no tenant. */
export const platformChain = 0;
/** Stands for the entry before the first of a chain. */
export const genesis = Buffer.alloc(32);
/** The action of the first keyed entry in a chain that started without a key. */
export const keyedFrom = 'audit.key';

/** Appends to the tenant's chain; the head row is locked, so entries of one chain are in commit order. */
export async function appendAudit(db: Db, keys: Pick<AuditKeys, 'newest'>, entry: AuditEntry): Promise<void> {
  const text = JSON.stringify(entry);
  const chain = entry.tenantId ?? platformChain;
  const key = keys.newest();
  const head = await lockHead(db, chain);
  // Computed here: the statements that the database sees must not reveal the key.
  const hash = key.link(head.hash, text);
  await sendLater(
    db,
    sql`with head as (
        update audit_head set seq = seq + 1, hash = ${hash} where chain = ${chain} returning seq)
      insert into audit_entry (chain, seq, hash, key_id, entry, at, action, record_kind, record_id)
      select ${chain}, head.seq, ${hash}, ${key.id}, ${text}, ${entry.at}, ${entry.action}, ${entry.record.kind},
        ${entry.record.id}
      from head`,
  );
}

/** The same for many entries, with a statement for each chain. */
export async function appendAudits(
  db: Db,
  keys: Pick<AuditKeys, 'newest'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  const key = keys.newest();
  const chains = [...groupBy(entries, ({ tenantId }) => tenantId ?? platformChain)];
  // In one order, so that no two transactions wait for each other's chain.
  for (const [chain, own] of chains.sort(([one], [next]) => one - next)) {
    let { hash } = await lockHead(db, chain);
    const rows: object[] = [];
    for (const entry of own) {
      await yieldToEventLoop();
      const text = JSON.stringify(entry);
      hash = key.link(hash, text);
      const { at, action, record } = entry;
      rows.push({
        n: rows.length + 1,
        hash: hash.toString('hex'),
        text,
        at,
        action,
        kind: record.kind,
        id: record.id,
      });
    }
    await sendLater(
      db,
      sql`with head as (
          update audit_head set seq = seq + ${own.length}, hash = ${hash} where chain = ${chain}
          returning seq - ${own.length} as before)
        insert into audit_entry (chain, seq, hash, key_id, entry, at, action, record_kind, record_id)
        select ${chain}, head.before + r.n, decode(r.hash, 'hex'), ${key.id}, r.text, r.at, r.action, r.kind, r.id
        from head, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as r(n bigint, hash text, text text, at bigint, action text, kind text, id bigint) order by r.n`,
    );
  }
}

async function lockHead(db: Db, chain: number): Promise<{ hash: Buffer }> {
  const head = await db.prepared<{ hash: Buffer }>(
    sql`select hash from audit_head where chain = ${chain} for update`,
  );
  if (head[0]) return head[0];
  // The update changes nothing: it waits for another's first entry, and takes the lock.
  const inserted = await db.prepared<{ hash: Buffer }>(
    sql`insert into audit_head as h (chain, seq, hash) values (${chain}, 0, ${genesis})
      on conflict (chain) do update set seq = h.seq returning hash`,
  );
  return onlyRow(inserted);
}

export type AuditFilter = {
  tenantId?: number;
  kind?: string;
  recordId?: number;
  since?: number;
  until?: number;
};

type AuditSearch = AuditFilter & { from: number; size: number };

/** Newest first. */
export async function searchAudit(db: Db, scope: Scope, search: AuditSearch) {
  const rows = await db.query<Row>(
    sql`select seq, hash, key_id as "keyId", entry from audit_entry where ${matching(scope, search)}
      order by at desc, chain, seq desc limit ${search.size} offset ${search.from}`,
  );
  return rows.map(toShown);
}

/** Chain by chain, oldest first, a page at a time: `after` is the last entry of the page before. */
export async function pageAudit(
  db: Db,
  scope: Scope,
  filter: AuditFilter,
  after: { chain: number; seq: number },
  size: number,
) {
  const rows = await db.query<Row & { chain: number }>(
    sql`select chain, seq, hash, key_id as "keyId", entry from audit_entry
      where (chain, seq) > (${after.chain}, ${after.seq}) and ${matching(scope, filter)}
      order by chain, seq limit ${size}`,
  );
  return rows.map((row) => ({ chain: row.chain, entry: toShown(row) }));
}

type Row = { seq: number; hash: Buffer; keyId: number | null; entry: string };

function matching(scope: Scope, filter: AuditFilter): Sql {
  const chains = scope.all ? sql`true` : sql`chain = any(${scope.tenantIds})`;
  return sql`${chains}
    ${filter.tenantId === undefined ? empty : sql`and chain = ${filter.tenantId}`}
    ${filter.kind === undefined ? empty : sql`and record_kind = ${filter.kind}`}
    ${filter.recordId === undefined ? empty : sql`and record_id = ${filter.recordId}`}
    ${filter.since === undefined ? empty : sql`and at >= ${filter.since}`}
    ${filter.until === undefined ? empty : sql`and at <= ${filter.until}`}`;
}

function toShown({ seq, hash, keyId, entry }: Row) {
  const shown: AuditEntry = JSON.parse(entry);
  return { seq, hash: hash.toString('hex'), keyId, ...shown };
}
