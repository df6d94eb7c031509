import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/** The address that a program derives from seeds; it lies off the curve, so that no key can sign for it. */
export function findProgramAddress(program: string, ...seeds: readonly Uint8Array[]): string {
  for (let bump = 255; bump >= 0; bump--) {
    const digest = createHash('sha256');
    for (const seed of seeds) digest.update(seed);
    const bytes = digest
      .update(Uint8Array.of(bump))
      .update(base58.decode(program))
      .update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(bytes)) return base58.encode(bytes);
  }
  throw new Error('No address can be derived from these seeds.');
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}
