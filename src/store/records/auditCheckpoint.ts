import { verify } from 'node:crypto';
import type { AuditKeys } from '../../lib/auditKey.ts';
import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { platformChain } from './audit.ts';

/** The last entry of a chain; null is the platform's own. */
export type CheckpointChain = { tenantId: number | null; seq: number; hash: string; at: number };
export type Checkpoint = { at: number; keyId: number; chains: CheckpointChain[] };

/** `payload` is the checkpoint as JSON text: the very bytes that are signed. */
export type SignedCheckpoint = { payload: string; publicKey: string; signature: string };

/** States how far each chain has come, signed: kept elsewhere, it proves later that nothing before it was changed or cut off. */
export async function createCheckpoint(
  db: Db,
  keys: Pick<AuditKeys, 'newest'>,
  scope: Scope,
  now: number,
): Promise<SignedCheckpoint> {
  const rows = await db.query<{ chain: number; seq: number; hash: Buffer; at: number }>(
    sql`select chain, seq, e.hash, e.at from audit_head h join audit_entry e using (chain, seq)
      where ${scope.all ? sql`true` : sql`chain = any(${scope.tenantIds})`} order by chain`,
  );
  const key = keys.newest();
  const checkpoint: Checkpoint = {
    at: now,
    keyId: key.id,
    chains: rows.map(({ chain, seq, hash, at }) => ({
      tenantId: chain === platformChain ? null : chain,
      seq,
      hash: hash.toString('hex'),
      at,
    })),
  };
  const payload = JSON.stringify(checkpoint);
  return {
    payload,
    publicKey: key.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    signature: key.sign(payload).toString('base64'),
  };
}

/** Content of an exported checkpoint; undefined if this Vigil did not sign it in this form. */
export async function readCheckpoint(
  keys: Pick<AuditKeys, 'find'>,
  { payload, signature }: Pick<SignedCheckpoint, 'payload' | 'signature'>,
): Promise<Checkpoint | undefined> {
  const checkpoint: Checkpoint = JSON.parse(payload);
  const key = Number.isInteger(checkpoint.keyId) ? await keys.find(checkpoint.keyId) : undefined;
  const isOurs = key && verify(null, Buffer.from(payload), key.publicKey, Buffer.from(signature, 'base64'));
  return isOurs ? checkpoint : undefined;
}
