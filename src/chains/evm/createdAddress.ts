import { keccak_256 } from '@noble/hashes/sha3.js';

/** The address of the contract that a transaction of this sender and nonce creates: what the hash of both as RLP ends with. */
export function createdAddress(from: string, nonce: number): string {
  const sender = Buffer.from(from.slice(2), 'hex');
  const payload = Buffer.concat([Buffer.of(0x80 + sender.length), sender, encodeNonce(nonce)]);
  const hash = keccak_256(Buffer.concat([Buffer.of(0xc0 + payload.length), payload]));
  return `0x${Buffer.from(hash.subarray(12)).toString('hex')}`;
}

function encodeNonce(nonce: number): Buffer {
  if (nonce === 0) return Buffer.of(0x80);
  if (nonce < 0x80) return Buffer.of(nonce);
  const digits = nonce.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
}
