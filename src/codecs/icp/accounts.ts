import { crc32 } from 'node:zlib';
import { sha224 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base32nopad } from '@scure/base';
import { decode } from '../../lib/encodings.ts';

/** A holder of tokens: an owner, and one of its subaccounts (32 bytes; undefined for the default one). */
export type IcpAccount = { readonly owner: Uint8Array; readonly subaccount?: Uint8Array | undefined };

/** Base32 letters of the checksum and of the 29 bytes that a principal has at most. */
const maxLetters = 53;

/** The text of a principal: checksum and bytes in small base32 letters, in groups of five. */
export function encodePrincipal(bytes: Uint8Array): string {
  const letters = toLetters(concatBytes(toChecksum(bytes), bytes));
  return letters.replace(/.{5}(?=.)/g, '$&-');
}

/** Undefined but for the exact spelling that `encodePrincipal` gives. */
export function decodePrincipal(text: string): Uint8Array | undefined {
  const bytes = decode(base32nopad, text.replaceAll('-', '').toUpperCase(), maxLetters)?.subarray(4);
  return bytes && encodePrincipal(bytes) === text ? bytes : undefined;
}

/** Ids of canisters are given by the network; those of people are hashes of keys. */
export function isCanister(address: string): boolean {
  const bytes = address.length === 27 ? decodePrincipal(address) : undefined;
  return bytes?.length === 10 && bytes[9] === 1;
}

/** As ICRC-1 writes it; that of the subaccount of zeros is the principal alone. */
export function showAccount({ owner, subaccount }: IcpAccount): string {
  const principal = encodePrincipal(owner);
  const digits = subaccount ? bytesToHex(subaccount).replace(/^0+/, '') : '';
  if (!subaccount || digits === '') return principal;
  return `${principal}-${toLetters(toChecksum(concatBytes(owner, subaccount)))}.${digits}`;
}

/** The account of a principal or of an ICRC-1 text; undefined for what is neither, or whose checksum does not fit. */
export function readAccount(text: string): IcpAccount | undefined {
  const [, principal = text, checksum, digits = ''] =
    /^(.+)-([a-z2-7]{7})\.([0-9a-f]{1,64})$/.exec(text) ?? [];
  const owner = decodePrincipal(principal);
  if (!owner || checksum === undefined) return owner && { owner };
  const subaccount = hexToBytes(digits.padStart(64, '0'));
  return checksum === toLetters(toChecksum(concatBytes(owner, subaccount)))
    ? { owner, ...(/[^0]/.test(digits) && { subaccount }) }
    : undefined;
}

/** By which the ledger of ICP knows an account. */
export function accountIdentifier({ owner, subaccount = new Uint8Array(32) }: IcpAccount): string {
  const hash = sha224(concatBytes(Uint8Array.of(10), utf8ToBytes('account-id'), owner, subaccount));
  return bytesToHex(concatBytes(toChecksum(hash), hash));
}

/** The four bytes that go in front of a principal and of an account identifier. */
export function toChecksum(bytes: Uint8Array): Uint8Array {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum;
}

function toLetters(bytes: Uint8Array): string {
  return base32nopad.encode(bytes).toLowerCase();
}
