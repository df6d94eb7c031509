/** The chains of the API document, in its order. */
export const seedChainUids = [
  'arbitrum',
  'bsc',
  'bsc_testnet',
  'ethereum',
  'linea',
  'optimism',
  'base',
  'base_sepolia',
  'gnosis',
  'fantom',
  'polygon',
  'polygon_amoy',
  'blast',
  'zksync',
  'scroll',
  'avalanche',
  'avalanche_fuji',
  'telos',
  'sepolia',
  'holesky',
  'ethereum_sepolia',
  'ethereum_holesky',
  'tron',
  'zeta',
  'somnia',
  'adi',
  'anvil',
  'icp',
  'vechain',
  'stellar',
  'bitcoin',
  'solana',
] as const;

export type SeedChainUid = (typeof seedChainUids)[number];
export const isSeedUid = (uid: string): uid is SeedChainUid => seedChainUids.some((seed) => seed === uid);
declare const ownChainBrand: unique symbol;
/** A chain of the API document, or one that an administrator added. */
export type ChainUid = SeedChainUid | (string & { readonly [ownChainBrand]: true });

const known: ChainUid[] = [...seedChainUids];
const knownOrNull: (ChainUid | null)[] = [...seedChainUids, null];

/** Every chain that can be named now: those of the API document, then the operator's own. It grows and shrinks in place. */
export const chainUids: readonly ChainUid[] = known;
/** The same where a chain may be left out. */
export const chainUidsOrNull: readonly (ChainUid | null)[] = knownOrNull;

/** Names the operator's own chains; those that were named before and are left out cannot be named any more. */
export function setOwnChainUids(uids: readonly ChainUid[]): void {
  const all: readonly ChainUid[] = [...seedChainUids, ...uids];
  known.splice(0, known.length, ...all);
  knownOrNull.splice(0, knownOrNull.length, ...all, null);
}
