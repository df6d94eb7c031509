import type { Chain } from '../chains.ts';

/** Formats of addresses and keys on a network. */
export type BitcoinNetwork = {
  /** Of SegWit addresses. */
  readonly prefix: 'bc' | 'tb' | 'bcrt';
  /** The first byte of a base58 address that pays to a public key's hash. */
  readonly keyHash: number;
  readonly scriptHash: number;
  /** The first byte of a key in wallet import format. */
  readonly wif: number;
  readonly addressForm: string;
  readonly keyForm: string;
};

export const mainNetwork: BitcoinNetwork = {
  prefix: 'bc',
  keyHash: 0x00,
  scriptHash: 0x05,
  wif: 0x80,
  addressForm: 'a Bitcoin mainnet address that starts with bc1, 1 or 3',
  keyForm: 'a mainnet key in wallet import format (WIF), which starts with K, L or 5',
};
const testNetwork: BitcoinNetwork = {
  prefix: 'tb',
  keyHash: 0x6f,
  scriptHash: 0xc4,
  wif: 0xef,
  addressForm: 'a Bitcoin test network address that starts with tb1, m, n or 2',
  keyForm: 'a test network key in wallet import format (WIF), which starts with c or 9',
};
const regtest: BitcoinNetwork = {
  ...testNetwork,
  prefix: 'bcrt',
  addressForm: 'a Bitcoin regtest address that starts with bcrt1, m, n or 2',
};

/** The chain of the API document is the main network, also where a regtest node stands in for it. */
export function networkOf({ uid, genesis }: Pick<Chain, 'uid' | 'genesis'>): BitcoinNetwork {
  if (uid === 'bitcoin') return mainNetwork;
  return genesis === 'regtest' ? regtest : testNetwork;
}
