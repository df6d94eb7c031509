import { keysOf } from '../lib/keysOf.ts';

/** Chains of one family have the same kind of addresses, transactions and nodes. */
export const familyNames = ['evm', 'bitcoin', 'solana', 'tron', 'vechain', 'stellar', 'icp'] as const;
export type Family = (typeof familyNames)[number];

/** Language in which contracts name their functions and events. `evm`: by ABI, topic and selector. */
export type Dialect = 'evm' | 'anchor' | 'soroban' | 'candid';

type Traits = {
  /** Undefined where contracts have no functions. */
  readonly dialect?: Dialect;
  /** Functions of contracts can be read without a transaction. */
  readonly readsViews?: true;
  /** Transactions tell all that they move of every asset. */
  readonly tellsTransfers?: true;
  /** Each token has a ledger of its own, which is read only while someone is interested in it. */
  readonly hasLedgers?: true;
  /** Chains keep who controls a contract and which code it has, and report no change of either: they are looked at. */
  readonly keepsControl?: true;
  /** The code of a contract is named by its SHA-256. */
  readonly hashesCode?: true;
};

/** In the order in which the catalogue lists families. */
const traits: Readonly<Record<Family, Traits>> = {
  evm: { dialect: 'evm', readsViews: true },
  vechain: { dialect: 'evm', readsViews: true },
  tron: { dialect: 'evm', readsViews: true },
  bitcoin: {},
  solana: { dialect: 'anchor', tellsTransfers: true },
  stellar: { dialect: 'soroban', readsViews: true, tellsTransfers: true, hashesCode: true },
  icp: {
    dialect: 'candid',
    readsViews: true,
    tellsTransfers: true,
    hasLedgers: true,
    keepsControl: true,
    hashesCode: true,
  },
};

const familiesWith = (test: (family: Family) => boolean | undefined) => keysOf(traits).filter(test);

export const dialectOf = (family: Family) => traits[family].dialect;
export const hasEvmDialect = (family: Family) => dialectOf(family) === 'evm';
export const tellsTransfers = (family: Family) => traits[family].tellsTransfers === true;
export const hasLedgers = (family: Family) => traits[family].hasLedgers === true;
export const keepsControl = (family: Family) => traits[family].keepsControl === true;
export const hashesCode = (family: Family) => traits[family].hashesCode === true;

/** Families whose contracts run on the EVM: the same ABI, events, selectors and addresses, whatever their nodes are like. */
export const evmDialect: readonly Family[] = familiesWith(hasEvmDialect);
export const readsViews: readonly Family[] = familiesWith((family) => traits[family].readsViews);
