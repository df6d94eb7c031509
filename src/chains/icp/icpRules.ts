import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha224 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import {
  decodePrincipal,
  encodePrincipal,
  readAccount,
  showAccount,
  toChecksum,
} from '../../codecs/icp/accounts.ts';
import { decode } from '../../lib/encodings.ts';
import type { FamilyRules } from '../familyRules.ts';

const addressForm =
  'a principal (groups of five letters and digits joined by -), an ICRC-1 account (a principal, a checksum and, after a dot, the subaccount) or an account identifier (64 hexadecimal digits)';

type Identity = { curve: keyof typeof curves; secret: Uint8Array; publicKey: string | undefined };

/** `publicPrefix` is what stands before a public key in DER, in hexadecimal. */
const curves = {
  ed25519: {
    publicPrefix: '302a300506032b6570032100',
    toPublicKey: (secret: Uint8Array) => ed25519.getPublicKey(secret),
    isValid: () => true,
  },
  secp256k1: {
    publicPrefix: '3056301006072a8648ce3d020106052b8104000a034200',
    toPublicKey: (secret: Uint8Array) => secp256k1.getPublicKey(secret, false),
    isValid: (secret: Uint8Array) => secp256k1.utils.isValidSecretKey(secret),
  },
};

/** DER has one spelling per value, so each kind of private key is one pattern: secret, then public key if any. */
const derForms: readonly { curve: keyof typeof curves; pattern: RegExp }[] = [
  // PKCS#8 without and with the public key, in the two ways in which tools attach it.
  { curve: 'ed25519', pattern: /^302e020100300506032b657004220420(.{64})$/ },
  { curve: 'ed25519', pattern: /^3053020101300506032b657004220420(.{64})a123032100(.{64})$/ },
  { curve: 'ed25519', pattern: /^3051020101300506032b657004220420(.{64})812100(.{64})$/ },
  // PKCS#8 and SEC1.
  {
    curve: 'secp256k1',
    pattern: /^308184020100301006072a8648ce3d020106052b8104000a046d306b0201010420(.{64})a144034200(.{130})$/,
  },
  { curve: 'secp256k1', pattern: /^30740201010420(.{64})a00706052b8104000aa144034200(.{130})$/ },
];

const keyForm = 'the unencrypted PEM text of an Ed25519 or secp256k1 identity, as dfx and icp export it';

const accountFault =
  'This is not an ICRC-1 account, or its checksum does not fit: copy it again, or give the principal alone for its default subaccount.';

/** A PEM text cannot be taken for a key of another family, and dfx and icp write nothing else. */
export const icpRules: FamilyRules = {
  addressForm,
  readAddress(text) {
    const canonical = text.toLowerCase();
    if (/^[0-9a-f]{64}$/.test(canonical)) {
      if (bytesToHex(toChecksum(hexToBytes(canonical.slice(8)))) !== canonical.slice(0, 8))
        return {
          fault:
            'The first 8 digits of an account identifier are a checksum, and it does not fit: copy the identifier again.',
        };
    } else if (canonical.includes('.')) {
      const account = readAccount(canonical);
      // That of subaccount 0 is the principal itself, and has one spelling only.
      return account ? { canonical: showAccount(account) } : { fault: accountFault };
    } else if (!decodePrincipal(canonical)) {
      return {
        fault: `This is not an Internet Computer address, or its checksum does not fit: give ${addressForm}.`,
      };
    }
    return { canonical };
  },
  keyForm,
  readKey(text) {
    const identity = readIdentity(bytesToHex(readPem(text) ?? new Uint8Array()));
    if (!identity || !curves[identity.curve].isValid(identity.secret))
      return { fault: `This is not an Internet Computer private key: give ${keyForm}.` };
    const { curve, secret, publicKey } = identity;
    if (publicKey !== undefined && publicKey !== bytesToHex(curves[curve].toPublicKey(secret)))
      return {
        fault:
          'The public key in the PEM text does not belong to the private key, so a character is wrong: export the identity again.',
      };
    return { key: toPkcs8(curve, secret) };
  },
  generateKey: () => toPkcs8('ed25519', ed25519.utils.randomSecretKey()),
  /** The self-authenticating principal: SHA-224 of the DER public key, and the byte 2. */
  deriveAddress(key) {
    const identity = readIdentity(bytesToHex(key));
    if (!identity) throw new Error('The icp key is not the PKCS#8 DER that readKey and generateKey give.');
    return toPrincipal(curves[identity.curve].toPublicKey(identity.secret));
  },
  signing: {
    // Keys in a hardware module; others say themselves of which curve they are.
    curve: 'secp256k1',
    addressOf: toPrincipal,
    open(key) {
      const identity = readIdentity(bytesToHex(key));
      if (!identity) throw new Error('The icp key is not the PKCS#8 DER that readKey and generateKey give.');
      return identity;
    },
    hashesMessages: true,
  },
};

function toPrincipal(publicKey: Uint8Array): string {
  return encodePrincipal(concatBytes(sha224(toDer(publicKey)), Uint8Array.of(2)));
}

/** A public key as the network takes it: 32 bytes of Ed25519, or 65 of secp256k1. */
export function toDer(publicKey: Uint8Array): Uint8Array {
  const { publicPrefix } = curves[publicKey.length === 32 ? 'ed25519' : 'secp256k1'];
  return concatBytes(hexToBytes(publicPrefix), publicKey);
}

function readPem(text: string): Uint8Array | undefined {
  if (text.length > 1000) return undefined;
  // OpenSSL puts the curve in a block of its own before the key.
  const pem =
    /^\s*(?:-----BEGIN EC PARAMETERS-----[^-]*-----END EC PARAMETERS-----\s*)?-----BEGIN (EC )?PRIVATE KEY-----([^-]+)-----END \1PRIVATE KEY-----\s*$/.exec(
      text,
    );
  return pem?.[2] === undefined ? undefined : decode(base64, pem[2].replace(/\s/g, ''), 200);
}

function readIdentity(der: string): Identity | undefined {
  for (const { curve, pattern } of derForms) {
    const [, secret, publicKey] = pattern.exec(der) ?? [];
    if (secret !== undefined) return { curve, secret: hexToBytes(secret), publicKey };
  }
  return undefined;
}

function toPkcs8(curve: keyof typeof curves, secret: Uint8Array): Uint8Array {
  const digits = bytesToHex(secret);
  if (curve === 'ed25519') return hexToBytes(`302e020100300506032b657004220420${digits}`);
  const publicKey = bytesToHex(curves.secp256k1.toPublicKey(secret));
  return hexToBytes(
    `308184020100301006072a8648ce3d020106052b8104000a046d306b0201010420${digits}a144034200${publicKey}`,
  );
}
