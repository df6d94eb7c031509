import { createHmac, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';

/** Key of the audit log: derived from a data key, so that the database alone cannot compute it. */
export type AuditKey = {
  id: number;
  /** The link of an entry: HMAC-SHA-256 over the hash before it and its text. */
  link(previous: Buffer, text: string): Buffer;
  /** Ed25519. */
  sign(text: string): Buffer;
  /** HMAC-SHA-256 of a link that people get by mail or chat. */
  signLink(text: string): Buffer;
  /** For those who keep checkpoints elsewhere. */
  publicKey: KeyObject;
};

export type AuditKeys = {
  /** For entries and checkpoints to come. */
  newest(): AuditKey;
  find(id: number): Promise<AuditKey | undefined>;
};

export function deriveAuditKey(id: number, dataKey: Buffer): AuditKey {
  const chainKey = derive(dataKey, 'vigil audit chain');
  const linkKey = derive(dataKey, 'vigil action link');
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, derive(dataKey, 'vigil audit checkpoint')]),
    format: 'der',
    type: 'pkcs8',
  });
  return {
    id,
    link: (previous, text) => createHmac('sha256', chainKey).update(previous).update(text).digest(),
    signLink: (text) => createHmac('sha256', linkKey).update(text).digest(),
    sign: (text) => sign(null, Buffer.from(text), privateKey),
    publicKey: createPublicKey(privateKey),
  };
}

/** Prefix of the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

function derive(dataKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', dataKey, '', purpose, 32));
}
