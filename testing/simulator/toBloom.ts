import { keccak_256 } from '@noble/hashes/sha3.js';

/** The 2048-bit bloom that a header carries over the addresses and topics of its logs. */
export function toBloom(logs: readonly { address: string; topics: readonly string[] }[]): string {
  const bloom = Buffer.alloc(256);
  const seen = new Set<string>();
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics]) {
      if (seen.has(value)) continue;
      seen.add(value);
      for (const bit of bitsOf(value)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return `0x${bloom.toString('hex')}`;
}

// Blocks repeat the same tokens and signatures, and hashing is what costs.
const known = new Map<string, readonly number[]>();

function bitsOf(value: string): readonly number[] {
  const found = known.get(value);
  if (found) return found;
  const hash = keccak_256(Buffer.from(value.slice(2), 'hex'));
  const bits = [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 2047);
  if (known.size > 200_000) known.clear();
  known.set(value, bits);
  return bits;
}
