import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

/**
 * The bytes that `text` stands for, or undefined when it is not of that encoding; the caller says what is wrong.
 * The decoder's own message is dropped because it can quote the text, which may be a secret, and the length is
 * bounded first because base58 takes quadratic time.
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
