import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Hex, Secp256k1 } from 'ox';
import { expect } from 'vitest';
import type { Signature } from '../../../src/chains/transactor.ts';

/** Low s, and the address that ox finds in it is the signer's. */
export function expectSignature({ bytes, yParity }: Signature, hash: Uint8Array, address: string): void {
  const signature = {
    r: Hex.toBigInt(Hex.fromBytes(bytes.subarray(0, 32))),
    s: Hex.toBigInt(Hex.fromBytes(bytes.subarray(32))),
    yParity,
  };
  expect(signature.s <= secp256k1.Point.CURVE().n / 2n, 's is in the lower half').toBe(true);
  expect(signature.s > 0n && signature.r > 0n).toBe(true);
  const found = Secp256k1.recoverAddress({ payload: Hex.fromBytes(hash), signature });
  expect(found.toLowerCase()).toBe(address.toLowerCase());
}
