import type { AuditKeys } from '../lib/auditKey.ts';

/** The record member that a secret belongs to; a sealed box opens only for its owner. */
export type SecretOwner = { tenantId: number | null; kind: string; id: number | string; member: string };

export type Keyring = {
  seal(owner: SecretOwner, plain: string): Buffer;
  unseal(owner: SecretOwner, box: Buffer): Promise<string>;
  /** For secrets that are wiped after use, which a string cannot be. */
  unsealBytes(owner: SecretOwner, box: Buffer): Promise<Buffer>;
  audit: AuditKeys;
};
