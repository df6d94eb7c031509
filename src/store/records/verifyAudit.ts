import { createHash } from 'node:crypto';
import type { AuditKeys } from '../../lib/auditKey.ts';
import { sql } from '../../lib/sql.ts';
import type { Db, Store } from '../db/db.ts';
import { type AuditEntry, genesis, keyedFrom, platformChain } from './audit.ts';
import type { Checkpoint, CheckpointChain } from './auditCheckpoint.ts';

type AuditFault = { chain: number; seq: number; reason: string };

/**
 * Walks every chain in one snapshot and reports its first broken link. Entries that were cut off at the end together
 * with the head show only beside an earlier checkpoint.
 */
export async function verifyAudit(
  store: Store,
  keys: Pick<AuditKeys, 'find'>,
  checkpoint?: Checkpoint,
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
      const exported = checkpoint?.chains.find(({ tenantId }) => toChain(tenantId) === head.chain);
      const { count, fault } = await verifyChain(tx, keys, head, exported);
      entries += count;
      if (fault) faults.push({ chain: head.chain, ...fault });
    }
    for (const { tenantId, seq } of checkpoint?.chains ?? []) {
      const chain = toChain(tenantId);
      if (heads.some((head) => head.chain === chain) || faults.some((fault) => fault.chain === chain))
        continue;
      faults.push({ chain, seq: 1, reason: `the whole chain is missing; the checkpoint has ${seq} entries` });
    }
    return { entries, chains: heads.length, faults };
  });
}

type Head = { chain: number; seq: number; hash: Buffer };

const batch = 1000;

type Link = {
  seq: number;
  hash: Buffer;
  keyId: number | null;
  entry: string;
  at: number;
  action: string;
  kind: string;
  id: number | null;
};
type LinkFault = { seq: number; reason: string };

async function verifyChain(
  db: Db,
  keys: Pick<AuditKeys, 'find'>,
  head: Head,
  exported: CheckpointChain | undefined,
): Promise<{ count: number; fault?: LinkFault }> {
  let hash: Buffer = genesis;
  let seq = 0;
  let isKeyed = false;
  for (;;) {
    const links = await db.query<Link>(
      sql`select seq, hash, key_id as "keyId", entry, at, action, record_kind as kind, record_id as id from audit_entry
        where chain = ${head.chain} and seq > ${seq} order by seq limit ${batch}`,
    );
    for (const link of links) {
      const reason =
        link.seq === seq + 1
          ? await linkFault(link, keys, hash, isKeyed, head.chain)
          : 'the entry is missing';
      if (reason) return { count: seq, fault: { seq: seq + 1, reason } };
      if (link.seq === exported?.seq && link.hash.toString('hex') !== exported.hash)
        return {
          count: seq,
          fault: { seq: seq + 1, reason: 'the entry is another one than in the checkpoint' },
        };
      isKeyed = link.keyId !== null;
      hash = link.hash;
      seq += 1;
    }
    if (links.length < batch) break;
  }
  const reason = endFault(head, { seq, hash, isKeyed }, exported);
  return reason ? { count: seq, fault: reason } : { count: seq };
}

function endFault(
  head: Head,
  { seq, hash, isKeyed }: { seq: number; hash: Buffer; isKeyed: boolean },
  exported: CheckpointChain | undefined,
): LinkFault | undefined {
  if (seq < head.seq) return { seq: seq + 1, reason: `entries up to ${head.seq} are missing` };
  if (seq > head.seq) return { seq: head.seq + 1, reason: 'the entry is beyond the head of the chain' };
  if (!hash.equals(head.hash)) return { seq, reason: 'the head of the chain has another hash' };
  // Every chain of before was bound by a keyed entry, so one without any was written behind Vigil's back.
  if (!isKeyed) return { seq, reason: 'the chain ends without a keyed entry' };
  if (exported && seq < exported.seq)
    return { seq: seq + 1, reason: `entries up to ${exported.seq} of the checkpoint are missing` };
  return undefined;
}

async function linkFault(
  link: Link,
  keys: Pick<AuditKeys, 'find'>,
  previous: Buffer,
  wasKeyed: boolean,
  chain: number,
): Promise<string | undefined> {
  const key = link.keyId === null ? undefined : await keys.find(link.keyId);
  if (link.keyId !== null && !key) return `there is no key ${link.keyId}`;
  if (!key && wasKeyed) return 'the entry is not keyed, although the one before it is';
  const expected =
    key?.link(previous, link.entry) ?? createHash('sha256').update(previous).update(link.entry).digest();
  if (!link.hash.equals(expected)) return 'the hash does not follow from the entry and the one before it';
  if (key && !wasKeyed && link.seq > 1 && link.action !== keyedFrom)
    return 'the first keyed entry does not bind those before it';
  const entry: AuditEntry = JSON.parse(link.entry);
  const agrees =
    toChain(entry.tenantId) === chain &&
    entry.at === link.at &&
    entry.action === link.action &&
    entry.record.kind === link.kind &&
    entry.record.id === link.id;
  return agrees ? undefined : 'a column differs from the entry';
}

function toChain(tenantId: number | null): number {
  return tenantId ?? platformChain;
}
