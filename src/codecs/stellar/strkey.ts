import { concatBytes } from '@noble/hashes/utils.js';
import { base32nopad } from '@scure/base';

/** The first byte of a strkey (SEP-23), which makes its first letter. */
export const strkeyVersion = {
  account: 6 << 3,
  muxed: 12 << 3,
  contract: 2 << 3,
  seed: 18 << 3,
} as const;

export function encodeStrkey(version: number, payload: Uint8Array): string {
  const body = concatBytes(Uint8Array.of(version), payload);
  return base32nopad.encode(concatBytes(body, checksum(body)));
}

/** Version and payload, or undefined when it is no strkey or its checksum does not fit. */
export function decodeStrkey(text: string): { version: number; payload: Uint8Array } | undefined {
  const bytes = toBytes(text);
  const version = bytes?.[0];
  if (bytes === undefined || version === undefined) return undefined;
  const payload = bytes.slice(1, -2);
  // Encoding again refuses a wrong checksum and every second spelling of the same bytes at once.
  return encodeStrkey(version, payload) === text ? { version, payload } : undefined;
}

/** The decoder's own message is dropped because it can quote the text, which may be a secret. */
function toBytes(text: string): Uint8Array | undefined {
  if (text.length > 69) return undefined;
  try {
    return base32nopad.decode(text);
  } catch {
    return undefined;
  }
}

/** The address of a contract from its id in hexadecimal digits. */
export function contractAddress(digits: string): string {
  return encodeStrkey(strkeyVersion.contract, Buffer.from(digits, 'hex'));
}

/** The account behind a muxed one, which only adds a number that its owner gives a meaning; all else as it is. */
export function withoutMuxing(address: string): string {
  if (!address.startsWith('M') || address.length !== 69) return address;
  const strkey = decodeStrkey(address);
  return strkey?.version === strkeyVersion.muxed
    ? encodeStrkey(strkeyVersion.account, strkey.payload.subarray(0, 32))
    : address;
}

/** CRC-16 with polynomial 0x1021, low byte first. */
function checksum(bytes: Uint8Array): Uint8Array {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return Uint8Array.of(crc & 0xff, crc >> 8);
}
