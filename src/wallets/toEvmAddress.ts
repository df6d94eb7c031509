import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { toChecksumAddress } from '../chains/evm/address.ts';

/** The address of an uncompressed public key. */
export function toEvmAddress(publicKey: Uint8Array): string {
  return toChecksumAddress(bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12)));
}
