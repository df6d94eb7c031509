import { raw, sql } from '../../../lib/sql.ts';

type Hashes = { eid: string; txHash?: string | null | undefined; blockHash?: string | null | undefined };
type Packed = {
  eid: string | null;
  eid_rest: string | null;
  tx_hash: string | null | undefined;
  tx_hash_bytes: string | null;
  block_hash: string | null | undefined;
  block_hash_bytes: string | null;
};

/**
 * The hashes of an alert as stored: 32 bytes as bytes, half the size of their text. An eid that begins with its
 * transaction's hash is stored without it.
 */
export function packHashes({ eid, txHash, blockHash }: Hashes): Packed {
  const txBytes = toBytes(txHash);
  const blockBytes = toBytes(blockHash);
  const hasHash = txHash != null && txBytes !== null && eid.startsWith(txHash);
  return {
    eid: hasHash ? null : eid,
    eid_rest: hasHash ? eid.slice(txHash.length) : null,
    tx_hash: txBytes === null ? txHash : null,
    tx_hash_bytes: txBytes,
    block_hash: blockBytes === null ? blockHash : null,
    block_hash_bytes: blockBytes,
  };
}

const packable = /^0x[0-9a-f]{64}$/;

/** As PostgreSQL reads bytes; null for what would not be the same text again. */
function toBytes(hash: string | null | undefined): string | null {
  return hash != null && packable.test(hash) ? `\\x${hash.slice(2)}` : null;
}

const text = (column: string) => `'0x' || encode(t.${column}, 'hex')`;

/** Of the alert `t`. */
export const txHashSql = sql`coalesce(t.tx_hash, ${raw(text('tx_hash_bytes'))})`;
export const blockHashSql = sql`coalesce(t.block_hash, ${raw(text('block_hash_bytes'))})`;
/** As JSON: bytes have nothing to escape. */
export const txHashJson = hashJson('tx_hash');
export const blockHashJson = hashJson('block_hash');
export const eidSql = sql`coalesce(t.eid, ${txHashSql} || t.eid_rest)`;

function hashJson(column: 'tx_hash' | 'block_hash') {
  return raw(
    `case when t.${column} is null then '"' || ${text(`${column}_bytes`)} || '"' else to_json(t.${column})::text end`,
  );
}
