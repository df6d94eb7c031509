import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

/**
 * Decodes `text`; undefined if it is not of that encoding. The decoder's own message is dropped because it can quote a
 * secret. The length is bounded because base58 takes quadratic time.
 */
export function decode(
  coder: { decode(text: string): Uint8Array },
  text: string,
  maxLength: number,
): Uint8Array | undefined {
  if (text.length > maxLength) return undefined;
  try {
    return coder.decode(text);
  } catch {
    return undefined;
  }
}

/** Base58 with four bytes of double SHA-256 as checksum. */
export const base58check = createBase58check(sha256);
