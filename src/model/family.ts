/** Chains of one family have the same kind of addresses, transactions and nodes. */
export const familyNames = ['evm', 'bitcoin', 'solana', 'tron', 'vechain', 'stellar', 'icp'] as const;
/** Families whose contracts run on the EVM: the same ABI, events, selectors and addresses, whatever their nodes are like. */
export const evmDialect = ['evm', 'vechain', 'tron'] as const;
export const hasEvmDialect = (family: Family) => evmDialect.some((each) => each === family);
/** Families whose transactions tell all that they move of every asset. */
export const tellsTransfers = (family: Family) => family === 'solana' || family === 'stellar';
export type Family = (typeof familyNames)[number];
