/** Chains of one family have the same kind of addresses, transactions and nodes. */
export const familyNames = ['evm', 'bitcoin', 'solana', 'tron', 'vechain', 'stellar', 'icp'] as const;
export type Family = (typeof familyNames)[number];
