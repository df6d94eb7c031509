/** Kinds of contracts that Vigil recognises, and for which it recommends detectors. */
export const contractKinds = [
  'ERC20',
  'ERC721',
  'ERC1155',
  'ERC4626',
  'PROXY',
  'OWNABLE',
  'ACCESS_CONTROL',
  'PAUSABLE',
  'SAFE',
  'TIMELOCK',
  'GOVERNOR',
  'PRICE_FEED',
  'POOL',
  /** Its code pulls tokens by allowances, and it is no token itself: a router, an order book, most protocols. */
  'SPENDER',
  /** A token of another family than those of the EVM. */
  'TOKEN',
  /** Those who control it may replace its code. */
  'UPGRADABLE',
] as const;
export type ContractKind = (typeof contractKinds)[number];

export const proxyKinds = ['EIP1967', 'BEACON', 'EIP1822', 'MINIMAL', 'SAFE', 'OTHER'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

/** State of an address on a chain. */
export type Inspection = {
  readonly hasCode: boolean;
  readonly kinds: readonly ContractKind[];
  readonly proxyKind: ProxyKind | null;
  readonly implementation: string | null;
  readonly facts: ContractTraits;
};

/** Facts that a contract states about itself. Amounts are decimal text, times seconds. */
export type ContractTraits = {
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly totalSupply?: string;
  readonly owner?: string;
  readonly paused?: boolean;
  /** The token that a vault holds. */
  readonly asset?: string;
  /** The tokens of a pool. */
  readonly tokens?: readonly string[];
  readonly owners?: readonly string[];
  readonly threshold?: number;
  readonly minDelay?: number;
  readonly description?: string;
  /** Age of a price feed's last answer, in seconds. */
  readonly answerAge?: number;
};
