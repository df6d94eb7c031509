import { crc32 } from 'node:zlib';
import { concatBytes } from '@noble/hashes/utils.js';
import { base32nopad } from '@scure/base';
import { decode } from '../decode.ts';

/** Base32 letters of the checksum and of the 29 bytes that a principal has at most. */
const maxLetters = 53;

/** The text of a principal: checksum and bytes in small base32 letters, in groups of five. */
export function encodePrincipal(bytes: Uint8Array): string {
  const letters = base32nopad.encode(concatBytes(toChecksum(bytes), bytes)).toLowerCase();
  return letters.replace(/.{5}(?=.)/g, '$&-');
}

/** True only for the exact spelling that `encodePrincipal` gives. */
export function isPrincipal(text: string): boolean {
  const bytes = decode(base32nopad, text.replaceAll('-', '').toUpperCase(), maxLetters);
  return bytes !== undefined && encodePrincipal(bytes.subarray(4)) === text;
}

/** The four bytes that go in front of a principal and of an account identifier. */
export function toChecksum(bytes: Uint8Array): Uint8Array {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum;
}
