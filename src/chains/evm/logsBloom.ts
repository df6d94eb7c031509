import { keccak_256 } from '@noble/hashes/sha3.js';
import { createKeccak, type IHasher } from 'hash-wasm';
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

/**
 * Blocks repeat tokens, signatures and people, and hashing is expensive. The cache is a table of slots in typed arrays, a tenth of
 * the memory of a map of texts. A value replaces another in its slot.
 */
const slotCount = 1 << 17;
const wordsPerSlot = 8;
const slotWords = new Uint32Array(slotCount * wordsPerSlot);
/** Characters of the value in the slot; 0 while it is free. */
const slotLengths = new Uint8Array(slotCount);
const slotBits = new Uint16Array(slotCount * 3);

/** The value that is looked up, as numbers of eight digits each. */
const words = new Uint32Array(wordsPerSlot);
const uncachedBits = new Uint16Array(3);

function add(bloom: Buffer, value: string): void {
  const { length } = value;
  const slot = (length === 42 || length === 66) && readWords(value) ? slotOf(length) : -1;
  if (slot < 0) {
    hashBits(value, uncachedBits, 0);
    setBits(bloom, uncachedBits, 0);
    return;
  }
  if (!holds(slot, length)) {
    hashBits(value, slotBits, slot * 3);
    slotWords.set(words, slot * wordsPerSlot);
    slotLengths[slot] = length;
  }
  setBits(bloom, slotBits, slot * 3);
}

/** Reads the digits behind `0x`; false where one is none. */
function readWords(value: string): boolean {
  const count = (value.length - 2) >> 3;
  let invalid = 0;
  for (let n = 0; n < count; n++) {
    let word = 0;
    for (let at = 2 + n * 8, end = at + 8; at < end; at++) {
      const code = value.charCodeAt(at);
      const digit = code < 128 ? digits[code]! : 255;
      invalid |= digit;
      word = (word << 4) | (digit & 15);
    }
    words[n] = word;
  }
  for (let n = count; n < wordsPerSlot; n++) words[n] = 0;
  return invalid < 16;
}

const digits = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

function slotOf(length: number): number {
  let mixed = length;
  for (let n = 0; n < wordsPerSlot; n++) {
    mixed = Math.imul(mixed ^ words[n]!, 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return (mixed >>> 0) % slotCount;
}

function holds(slot: number, length: number): boolean {
  if (slotLengths[slot] !== length) return false;
  const start = slot * wordsPerSlot;
  for (let n = 0; n < wordsPerSlot; n++) if (slotWords[start + n] !== words[n]) return false;
  return true;
}

/** Five times as fast as in JavaScript; undefined until it is compiled, or where there is no WebAssembly. */
let hasher: IHasher | undefined;
createKeccak(256).then(
  (compiled) => {
    hasher = compiled;
  },
  () => undefined,
);

function keccak(bytes: Uint8Array): Uint8Array {
  return hasher ? hasher.init().update(bytes).digest('binary') : keccak_256(bytes);
}

function hashBits(value: string, into: Uint16Array, start: number): void {
  const hash = keccak(Buffer.from(value.slice(2), 'hex'));
  for (let n = 0; n < 3; n++) into[start + n] = ((hash[2 * n]! << 8) | hash[2 * n + 1]!) & 2047;
}

function setBits(bloom: Buffer, bits: Uint16Array, start: number): void {
  for (let n = start; n < start + 3; n++) {
    const bit = bits[n]!;
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  }
}
