import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

/** Base58 with four bytes of double SHA-256 as checksum. */
export const base58check = createBase58check(sha256);
