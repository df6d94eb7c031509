import { hash } from 'node:crypto';

/** The key under which labels are found: the first 8 bytes of the SHA-256 of the address in its canonical spelling. */
export function addressHash(canonicalAddress: string): bigint {
  return hash('sha256', canonicalAddress, 'buffer').readBigInt64BE(0);
}
