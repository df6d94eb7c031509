import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Log } from '../../model/block.ts';

type Summed = Pick<Log, 'address' | 'key' | 'indexed'>;

/** The 2048-bit bloom over the addresses and topics of logs, as a header carries it. */
export function logsBloom(logs: readonly Summed[]): Buffer {
  const bloom = Buffer.alloc(256);
  for (const log of logs) addToBloom(bloom, log);
  return bloom;
}

export function addToBloom(bloom: Buffer, { address, key, indexed }: Summed): void {
  add(bloom, address);
  if (key !== '') add(bloom, key);
  for (const topic of indexed) add(bloom, topic);
}

function add(bloom: Buffer, value: string): void {
  const bits = bitsOf(value);
  for (let at = 0; at < 3; at++) {
    const bit = bits[at]!;
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  }
}

/** Blocks repeat the same tokens, signatures and people, and hashing is what costs. */
const maxCached = 20_000;
let cached = new Map<string, Uint16Array>();
let previous = cached;

function bitsOf(value: string): Uint16Array {
  const found = cached.get(value);
  if (found) return found;
  const bits = previous.get(value) ?? hashBits(value);
  if (cached.size >= maxCached) {
    previous = cached;
    cached = new Map();
  }
  cached.set(value, bits);
  return bits;
}

function hashBits(value: string): Uint16Array {
  const hash = keccak_256(Buffer.from(value.slice(2), 'hex'));
  return Uint16Array.from([0, 2, 4], (at) => ((hash[at]! << 8) | hash[at + 1]!) & 2047);
}
