import type { WalletPlace } from '../store/wallets/walletKeys.ts';

/** What a sealed key of the wallet is bound to. */
export function privateKeyPlace({ tenantId, walletId }: WalletPlace) {
  return { tenantId, kind: 'wallet', id: walletId, member: 'privateKey' };
}

/** The label of the wallet's keys in a module. */
export function keyLabel({ tenantId, walletId }: WalletPlace): string {
  return `vigil-${tenantId}-${walletId}`;
}
