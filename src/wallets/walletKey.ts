import type { WalletRef } from '../store/wallets/walletKeys.ts';

/** Binding of a sealed private key: it opens for this wallet only. */
export function privateKeyRef({ tenantId, walletId }: WalletRef) {
  return { tenantId, kind: 'wallet', id: walletId, member: 'privateKey' };
}

/** The label of the wallet's keys in the PKCS#11 module. */
export function keyLabel({ tenantId, walletId }: WalletRef): string {
  return `vigil-${tenantId}-${walletId}`;
}
