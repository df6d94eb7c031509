import { bech32, bech32m } from '@scure/base';
import { base58check } from '../base58check.ts';
import { decode } from '../decode.ts';
import type { AddressRules, Fault } from '../familyRules.ts';

export const bitcoinPrefix = 'bc';
/** The first byte of a base58 address that pays to a public key's hash. */
export const publicKeyHashVersion = 0x00;
const scriptHashVersion = 0x05;

const addressForm = 'a Bitcoin mainnet address that starts with bc1, 1 or 3';

export const bitcoinAddress: AddressRules = {
  addressForm,
  readAddress: (text) => (/^(?:bc|tb|bcrt)1/i.test(text) ? readSegwit(text) : readBase58(text)),
};

/** BIP-173 and BIP-350: version 0 is written in bech32, every later one in bech32m. */
function readSegwit(text: string): { canonical: string } | Fault {
  const canonical = text.toLowerCase();
  if (!canonical.startsWith(`${bitcoinPrefix}1`))
    return { fault: `This address belongs to a Bitcoin test network: give ${addressForm}.` };
  if (text !== canonical && text !== text.toUpperCase())
    return { fault: 'A bc1 address must not mix capitals and small letters: write it all in lower case.' };
  const plain = bech32.decodeUnsafe(canonical);
  const decoded = plain ?? bech32m.decodeUnsafe(canonical);
  if (!decoded)
    return {
      fault: 'The checksum of the bc1 address does not fit, so a character is wrong: copy the address again.',
    };
  const [version = -1, ...words] = decoded.words;
  const length = bech32.fromWordsUnsafe(words)?.length ?? 0;
  const isRight =
    version === 0
      ? plain !== undefined && (length === 20 || length === 32)
      : plain === undefined && version >= 1 && version <= 16 && length >= 2 && length <= 40;
  if (!isRight)
    return {
      fault: `No output can have this bc1 address (wrong version, length or checksum kind): give ${addressForm}.`,
    };
  return { canonical };
}

function readBase58(text: string): { canonical: string } | Fault {
  const bytes = decode(base58check, text, 40);
  if (bytes?.length !== 21)
    return { fault: `This is not a Bitcoin address, or its checksum does not fit: give ${addressForm}.` };
  if (bytes[0] !== publicKeyHashVersion && bytes[0] !== scriptHashVersion)
    return { fault: `This address belongs to another network: give ${addressForm}.` };
  return { canonical: text };
}
