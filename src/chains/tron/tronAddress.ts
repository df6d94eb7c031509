import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { base58check, decode } from '../../lib/encodings.ts';
import { InvalidResponse } from '../net/replies.ts';

/** The byte in front of every mainnet account; it makes the text start with T. */
const version = 0x41;

/** The 20 bytes of an account in the form that contracts know; undefined for a text that is none as people write it. */
export function readShown(text: string): string | undefined {
  const bytes = decode(base58check, text, 34);
  return bytes?.length === 21 && bytes[0] === version ? `0x${bytesToHex(bytes.subarray(1))}` : undefined;
}

/** The address as people know it, T…. */
export function showAddress(canonical: string): string {
  return base58check.encode(concatBytes(Uint8Array.of(version), hexToBytes(canonical.slice(2))));
}

/** The address as nodes take it. */
export function toNodeAddress(canonical: string): string {
  return `41${canonical.slice(2)}`;
}

/** An address that a node sent: of an account (41…), of a log (without 41), or as people write it. */
export function fromNode(text: unknown): string {
  if (typeof text === 'string') {
    if (text.length === 42 && text.startsWith('41')) return `0x${text.slice(2)}`;
    if (text.length === 40) return `0x${text}`;
    const read = readShown(text);
    if (read !== undefined) return read;
  }
  throw new InvalidResponse('an address is none of Tron');
}
