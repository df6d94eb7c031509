import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base32nopad } from '@scure/base';
import { decode } from '../encodings.ts';
import type { FamilyRules } from '../familyRules.ts';

const addressForm = 'an account (G…), a contract (C…) or a muxed account (M…) in capital letters and digits';

/** The first byte of a strkey, which makes its first letter. */
const strkeyVersion = { account: 6 << 3, muxed: 12 << 3, contract: 2 << 3, seed: 18 << 3 } as const;

const payloadLengths = new Map<number, number>([
  [strkeyVersion.account, 32],
  [strkeyVersion.contract, 32],
  // The 32 bytes of the account and a number of 8 bytes.
  [strkeyVersion.muxed, 40],
]);

const keyForm = 'a secret seed of 56 capital letters and digits that starts with S';

export const stellarRules: FamilyRules = {
  addressForm,
  readAddress(text) {
    const strkey = decodeStrkey(text);
    if (!strkey)
      return {
        fault: `This is not a Stellar address, or its checksum does not fit: give ${addressForm}.`,
      };
    if (strkey.version === strkeyVersion.seed)
      return {
        fault: `This is a secret seed and not an address, so keep it to yourself: give ${addressForm}.`,
      };
    if (strkey.payload.length !== payloadLengths.get(strkey.version))
      return { fault: `This is a Stellar key of another kind: give ${addressForm}.` };
    return { canonical: text };
  },
  keyForm,
  readKey(text) {
    const strkey = decodeStrkey(text);
    if (strkey?.version !== strkeyVersion.seed || strkey.payload.length !== 32)
      return { fault: `This is not a Stellar secret seed, or its checksum does not fit: give ${keyForm}.` };
    return { key: strkey.payload };
  },
  generateKey: () => ed25519.utils.randomSecretKey(),
  deriveAddress: (key) => encodeStrkey(strkeyVersion.account, ed25519.getPublicKey(key)),
};

function encodeStrkey(version: number, payload: Uint8Array): string {
  const body = concatBytes(Uint8Array.of(version), payload);
  return base32nopad.encode(concatBytes(body, checksum(body)));
}

/** Version and payload of a strkey (SEP-23), or undefined when it is none or its checksum does not fit. */
function decodeStrkey(text: string): { version: number; payload: Uint8Array } | undefined {
  const bytes = decode(base32nopad, text, 69);
  const version = bytes?.[0];
  if (bytes === undefined || version === undefined) return undefined;
  const payload = bytes.slice(1, -2);
  // Encoding again refuses a wrong checksum and every second spelling of the same bytes at once.
  return encodeStrkey(version, payload) === text ? { version, payload } : undefined;
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
