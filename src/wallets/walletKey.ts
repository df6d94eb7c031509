import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { toChecksumAddress } from '../chains/evm/evmRules.ts';
import type { WalletRef } from '../store/wallets/walletKeys.ts';

/** What a sealed private key is bound to: it opens for this wallet only. */
export function privateKeyRef({ tenantId, walletId }: WalletRef) {
  return { tenantId, kind: 'wallet', id: walletId, member: 'privateKey' };
}

/** The label of the wallet's keys in the PKCS#11 module. */
export function keyLabel({ tenantId, walletId }: WalletRef): string {
  return `vigil-${tenantId}-${walletId}`;
}

/** The EVM address of an uncompressed public key. */
export function toEvmAddress(publicKey: Uint8Array): string {
  return toChecksumAddress(bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12)));
}
