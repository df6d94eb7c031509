import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bech32, bech32m } from '@scure/base';
import { base58check, decode } from '../../lib/encodings.ts';
import type { FamilyRules, KeyFault } from '../familyRules.ts';
import { type BitcoinNetwork, mainNetwork, networkOf } from './networks.ts';

const compressedMark = 0x01;
/** Of the main network and of all test networks. */
const wifs = [0x80, 0xef];

export const bitcoinRules: FamilyRules = {
  addressForm: mainNetwork.addressForm,
  readAddress(text, chain) {
    const network = networkOf(chain);
    return /^(?:bc|tb|bcrt)1/i.test(text) ? readSegwit(text, network) : readBase58(text, network);
  },
  keyForm: mainNetwork.keyForm,
  readKey(text, chain) {
    const { wif, keyForm } = chain ? networkOf(chain) : mainNetwork;
    const bytes = decode(base58check, text, 60);
    const first = bytes?.[0] ?? -1;
    if (first !== wif && wifs.includes(first))
      return {
        fault: `This key belongs to ${wif === 0xef ? 'the Bitcoin main network' : 'a Bitcoin test network'}: give ${keyForm}.`,
      };
    const isCompressed = bytes?.length === 34 && bytes[33] === compressedMark;
    if (first !== wif || !bytes || (bytes.length !== 33 && !isCompressed))
      return { fault: `This is not a Bitcoin private key, or its checksum does not fit: give ${keyForm}.` };
    const key = bytes.slice(1);
    if (!secp256k1.utils.isValidSecretKey(key.subarray(0, 32)))
      return {
        fault: 'No such private key exists: the number must be at least 1 and below the order of secp256k1.',
      };
    return { key };
  },
  generateKey: () => concatBytes(secp256k1.utils.randomSecretKey(), Uint8Array.of(compressedMark)),
  /** A compressed key controls the bc1q address; an uncompressed one, which SegWit forbids, the one with 1. */
  deriveAddress(key, chain) {
    const network = networkOf(chain);
    const isCompressed = key.length === 33;
    const publicKey = secp256k1.getPublicKey(key.subarray(0, 32), isCompressed);
    return isCompressed
      ? toSegwit(publicKey, network)
      : base58check.encode(concatBytes(Uint8Array.of(network.keyHash), hash160(publicKey)));
  },
  signing: {
    curve: 'secp256k1',
    addressOf: (publicKey, chain) =>
      toSegwit(secp256k1.Point.fromBytes(publicKey).toBytes(true), networkOf(chain)),
  },
};

/** The SegWit address of a compressed public key. */
function toSegwit(publicKey: Uint8Array, { prefix }: BitcoinNetwork): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(hash160(publicKey))]);
}

function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** BIP-173 and BIP-350: version 0 is written in bech32, every later one in bech32m. */
function readSegwit(text: string, { prefix, addressForm }: BitcoinNetwork): { canonical: string } | KeyFault {
  const canonical = text.toLowerCase();
  if (!canonical.startsWith(`${prefix}1`))
    return {
      fault: `This address belongs to ${prefix === 'bc' ? 'a Bitcoin test network' : 'another Bitcoin network'}: give ${addressForm}.`,
    };
  if (text !== canonical && text !== text.toUpperCase())
    return {
      fault: `A ${prefix}1 address must not mix capitals and small letters: write it all in lower case.`,
    };
  const plain = bech32.decodeUnsafe(canonical);
  const decoded = plain ?? bech32m.decodeUnsafe(canonical);
  if (!decoded)
    return {
      fault: `The checksum of the ${prefix}1 address does not fit, so a character is wrong: copy the address again.`,
    };
  const [version = -1, ...words] = decoded.words;
  const length = bech32.fromWordsUnsafe(words)?.length ?? 0;
  const isRight =
    version === 0
      ? plain !== undefined && (length === 20 || length === 32)
      : plain === undefined && version >= 1 && version <= 16 && length >= 2 && length <= 40;
  if (!isRight)
    return {
      fault: `No output can have this ${prefix}1 address (wrong version, length or checksum kind): give ${addressForm}.`,
    };
  return { canonical };
}

function readBase58(
  text: string,
  { keyHash, scriptHash, addressForm }: BitcoinNetwork,
): { canonical: string } | KeyFault {
  const bytes = decode(base58check, text, 40);
  if (bytes?.length !== 21)
    return { fault: `This is not a Bitcoin address, or its checksum does not fit: give ${addressForm}.` };
  if (bytes[0] !== keyHash && bytes[0] !== scriptHash)
    return { fault: `This address belongs to another network: give ${addressForm}.` };
  return { canonical: text };
}
