/** Chains of one family have the same kind of addresses, transactions and nodes. */
export const familyNames = ['evm', 'bitcoin', 'solana', 'tron', 'vechain', 'stellar', 'icp'] as const;
/** Families whose contracts run on the EVM: the same ABI, events, selectors and addresses, whatever their nodes are like. */
export const evmDialect = ['evm', 'vechain', 'tron'] as const;
export const hasEvmDialect = (family: Family) => evmDialect.some((member) => member === family);
/** Families with contracts whose functions can be read without a transaction. */
export const readsViews = [...evmDialect, 'stellar', 'icp'] as const;
/** Families whose transactions tell all that they move of every asset. */
export const tellsTransfers = (family: Family) =>
  family === 'solana' || family === 'stellar' || family === 'icp';
/** Families where each token has a ledger of its own, which is read only while someone is interested in it. */
export const hasLedgers = (family: Family) => family === 'icp';
/** Families that keep who controls a contract and which code it has, and report no change of either: they are looked at. */
export const keepsControl = (family: Family) => family === 'icp';
/** Families that name the code of a contract by its SHA-256. */
export const hashesCode = (family: Family) => family === 'stellar' || keepsControl(family);
export type Family = (typeof familyNames)[number];
