import type { ReplyOf } from '../../../../sdk/src/index.ts';

export type Inspected = ReplyOf<'POST', '/contract/inspect'>['data'][number];
export type ContractKind = Inspected['kinds'][number];

/** What each kind of contract is called. */
export const kindTitles: Readonly<Record<ContractKind, string>> = {
  ERC20: 'token',
  ERC721: 'NFT collection',
  ERC1155: 'collection of tokens',
  ERC4626: 'vault',
  PROXY: 'proxy',
  OWNABLE: 'has an owner',
  ACCESS_CONTROL: 'has roles',
  PAUSABLE: 'can be paused',
  SAFE: 'Safe',
  TIMELOCK: 'timelock',
  GOVERNOR: 'governor',
  PRICE_FEED: 'price feed',
  POOL: 'pool',
  TOKEN: 'token',
  SPENDER: 'pulls tokens',
  UPGRADABLE: 'can be upgraded',
};
