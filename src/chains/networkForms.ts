import type { Chain, Family } from './chains.ts';

type NetworkForm = { pattern: RegExp; words: string };

/** Names of networks on nodes of a family, for chains that have no chain id. */
export const networkForms: Readonly<Record<Exclude<Family, 'evm'>, NetworkForm>> = {
  bitcoin: {
    pattern: /^(?:test|testnet4|signet|regtest)$/,
    words: 'the network as `getblockchaininfo` names it: test, testnet4, signet or regtest',
  },
  solana: {
    pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    words: 'the hash of the first block in base58, as `getGenesisHash` gives it',
  },
  tron: { pattern: /^[0-9a-f]{64}$/, words: 'the id of the first block: 64 hexadecimal digits' },
  vechain: { pattern: /^0x[0-9a-f]{64}$/, words: 'the id of the first block: 0x and 64 hexadecimal digits' },
  stellar: { pattern: /^\S(?:.*\S)?$/, words: 'the passphrase of the network' },
  icp: { pattern: /^[0-9a-f]{266}$/, words: 'the root key of the network: 266 hexadecimal digits' },
};

/** Identity of the network of a chain; undefined for Bitcoin, for whose main network it may stand in. */
export function identityOf({ family, chainId, genesis }: Chain): string | undefined {
  const id = family === 'evm' ? chainId : genesis;
  return id === undefined ? undefined : `${family}:${id}`;
}
