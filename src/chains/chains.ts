import { isDeepStrictEqual } from 'node:util';
import type { Chain } from '../model/chain.ts';
import {
  type ChainUid,
  chainUids,
  isSeedUid,
  type SeedChainUid,
  setOwnChainUids,
} from '../model/chainUid.ts';

export { type Chain, finalitySources } from '../model/chain.ts';
export { type ChainUid, chainUids, isSeedUid, type SeedChainUid, seedChainUids } from '../model/chainUid.ts';
export type { Family } from '../model/family.ts';

const ether = { symbol: 'ETH', name: 'Ether', decimals: 18 };
const bnb = { symbol: 'BNB', name: 'BNB', decimals: 18 };
const testBnb = { symbol: 'tBNB', name: 'Test BNB', decimals: 18 };
const xdai = { symbol: 'xDAI', name: 'xDAI', decimals: 18 };
const ftm = { symbol: 'FTM', name: 'Fantom', decimals: 18 };
const pol = { symbol: 'POL', name: 'POL', decimals: 18 };
const avax = { symbol: 'AVAX', name: 'Avalanche', decimals: 18 };
const tlos = { symbol: 'TLOS', name: 'Telos', decimals: 18 };
const zeta = { symbol: 'ZETA', name: 'Zeta', decimals: 18 };
const somi = { symbol: 'SOMI', name: 'Somnia', decimals: 18 };
const adi = { symbol: 'ADI', name: 'ADI', decimals: 18 };

// A rollup's sequencer does not reorganise on its own, so one confirmation is enough there.
const mainnet = evm('MAINNET', 12);
const testnet = evm('TESTNET', 6);
const rollup = evm('MAINNET', 1);
const rollupTestnet = evm('TESTNET', 1);

/** The chains of the API document; `getChain` knows the operator's own as well. */
export const chains: Readonly<Record<SeedChainUid, Chain>> = {
  arbitrum: rollup('arbitrum', 'Arbitrum One', 42161, ether, 250, 'https://arbiscan.io'),
  bsc: mainnet('bsc', 'BNB Smart Chain', 56, bnb, 450, 'https://bscscan.com'),
  bsc_testnet: testnet(
    'bsc_testnet',
    'BNB Smart Chain Testnet',
    97,
    testBnb,
    450,
    'https://testnet.bscscan.com',
  ),
  ethereum: mainnet('ethereum', 'Ethereum', 1, ether, 12_000, 'https://etherscan.io'),
  linea: rollup('linea', 'Linea', 59144, ether, 2_000, 'https://lineascan.build'),
  optimism: rollup('optimism', 'OP Mainnet', 10, ether, 2_000, 'https://optimistic.etherscan.io'),
  base: rollup('base', 'Base', 8453, ether, 2_000, 'https://basescan.org'),
  base_sepolia: rollupTestnet(
    'base_sepolia',
    'Base Sepolia',
    84532,
    ether,
    2_000,
    'https://sepolia.basescan.org',
  ),
  gnosis: mainnet('gnosis', 'Gnosis', 100, xdai, 5_000, 'https://gnosisscan.io'),
  fantom: {
    ...mainnet('fantom', 'Fantom Opera', 250, ftm, 1_000, 'https://explorer.fantom.network'),
    explorer: {
      address: 'https://explorer.fantom.network/address/{}',
      transaction: 'https://explorer.fantom.network/transactions/{}',
      block: 'https://explorer.fantom.network/blocks/{}',
    },
  },
  polygon: mainnet('polygon', 'Polygon', 137, pol, 2_000, 'https://polygonscan.com'),
  polygon_amoy: testnet('polygon_amoy', 'Polygon Amoy', 80002, pol, 2_000, 'https://amoy.polygonscan.com'),
  blast: rollup('blast', 'Blast', 81457, ether, 2_000, 'https://blastscan.io'),
  zksync: rollup('zksync', 'ZKsync Era', 324, ether, 1_000, 'https://explorer.zksync.io'),
  scroll: rollup('scroll', 'Scroll', 534352, ether, 3_000, 'https://scrollscan.com'),
  avalanche: mainnet('avalanche', 'Avalanche C-Chain', 43114, avax, 2_000, 'https://snowtrace.io'),
  avalanche_fuji: testnet(
    'avalanche_fuji',
    'Avalanche Fuji',
    43113,
    avax,
    2_000,
    'https://testnet.snowtrace.io',
  ),
  telos: mainnet('telos', 'Telos EVM', 40, tlos, 500, 'https://www.teloscan.io'),
  // The API document names these two test networks twice; both names mean the same network.
  sepolia: testnet('sepolia', 'Ethereum Sepolia', 11155111, ether, 12_000, 'https://sepolia.etherscan.io'),
  holesky: testnet('holesky', 'Ethereum Holesky', 17000, ether, 12_000, 'https://holesky.etherscan.io'),
  ethereum_sepolia: testnet(
    'ethereum_sepolia',
    'Ethereum Sepolia',
    11155111,
    ether,
    12_000,
    'https://sepolia.etherscan.io',
  ),
  ethereum_holesky: testnet(
    'ethereum_holesky',
    'Ethereum Holesky',
    17000,
    ether,
    12_000,
    'https://holesky.etherscan.io',
  ),
  tron: {
    uid: 'tron',
    family: 'tron',
    name: 'Tron',
    network: 'MAINNET',
    currency: { symbol: 'TRX', name: 'Tronix', decimals: 6 },
    genesis: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
    blockTimeMs: 3_000,
    // 19 of the 27 block producers must have built on a block before it is irreversible.
    confirmations: 19,
    explorer: {
      address: 'https://tronscan.org/#/address/{}',
      transaction: 'https://tronscan.org/#/transaction/{}',
      block: 'https://tronscan.org/#/block/{}',
    },
  },
  zeta: mainnet('zeta', 'ZetaChain', 7000, zeta, 2_000, 'https://zetascan.com'),
  somnia: mainnet('somnia', 'Somnia', 5031, somi, 100, 'https://explorer.somnia.network'),
  adi: rollup('adi', 'ADI Chain', 36900, adi, 1_000, 'https://explorer.adifoundation.ai'),
  anvil: {
    uid: 'anvil',
    family: 'evm',
    name: 'Anvil',
    network: 'DEVNET',
    currency: ether,
    chainId: 31337,
    blockTimeMs: 1_000,
    confirmations: 1,
  },
  icp: {
    uid: 'icp',
    family: 'icp',
    name: 'Internet Computer',
    network: 'MAINNET',
    currency: { symbol: 'ICP', name: 'Internet Computer', decimals: 8 },
    // Its root key.
    genesis:
      '308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100814c0e6ec71fab583b08bd81373c255c3c371b2e84863c98a4f1e08b74235d14fb5d9c0cd546d9685f913a0c0b2cc5341583bf4b4392e467db96d65b9bb4cb717112f8472e0d5a4d14505ffd7484b01291091c5f87b98883463f98091a0baaae',
    blockTimeMs: 1_000,
    // Everything that a subnet certifies is final.
    confirmations: 1,
    explorer: {
      address: 'https://dashboard.internetcomputer.org/account/{}',
      // Ledgers number their entries each by itself, which no page of the dashboard takes.
    },
  },
  vechain: {
    uid: 'vechain',
    family: 'vechain',
    name: 'VeChainThor',
    network: 'MAINNET',
    currency: { symbol: 'VET', name: 'VeChain', decimals: 18 },
    genesis: '0x00000000851caf3cfdb6e899cf5958bfb1ac3413d346d43539627e6be7ec1b4a',
    blockTimeMs: 10_000,
    confirmations: 12,
    explorer: {
      address: 'https://explore.vechain.org/accounts/{}',
      transaction: 'https://explore.vechain.org/transactions/{}',
      block: 'https://explore.vechain.org/blocks/{}',
    },
  },
  stellar: {
    uid: 'stellar',
    family: 'stellar',
    name: 'Stellar',
    network: 'MAINNET',
    currency: { symbol: 'XLM', name: 'Lumen', decimals: 7 },
    genesis: 'Public Global Stellar Network ; September 2015',
    blockTimeMs: 5_000,
    // A closed ledger is final.
    confirmations: 0,
    explorer: {
      // The search page leads to accounts and contracts alike.
      address: 'https://stellar.expert/explorer/public/search?term={}',
      transaction: 'https://stellar.expert/explorer/public/tx/{}',
      block: 'https://stellar.expert/explorer/public/ledger/{}',
    },
  },
  bitcoin: {
    uid: 'bitcoin',
    family: 'bitcoin',
    name: 'Bitcoin',
    network: 'MAINNET',
    currency: { symbol: 'BTC', name: 'Bitcoin', decimals: 8 },
    blockTimeMs: 600_000,
    confirmations: 6,
    explorer: site('https://mempool.space'),
  },
  solana: {
    uid: 'solana',
    family: 'solana',
    name: 'Solana',
    network: 'MAINNET',
    currency: { symbol: 'SOL', name: 'Sol', decimals: 9 },
    genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    blockTimeMs: 400,
    // A slot with 32 votes on top of it is rooted.
    confirmations: 32,
    explorer: site('https://explorer.solana.com'),
  },
};

const registry = new Map<string, Chain>(Object.entries(chains));

/**
 * Makes these the operator's own chains of this process. Those that are deleted cannot be named any more, but what is stored of them
 * is still understood. Returns the chains whose facts are others now.
 */
export function setOwnChains(ownChains: readonly { chain: Chain; isDeleted: boolean }[]): ChainUid[] {
  const changed = ownChains.filter(({ chain }) => !isDeepStrictEqual(registry.get(chain.uid), chain));
  const uids = new Set(ownChains.map(({ chain }) => chain.uid));
  const gone = [...registry.values()].filter(({ uid }) => !isSeedUid(uid) && !uids.has(uid));
  for (const { uid } of gone) registry.delete(uid);
  for (const { chain } of changed) registry.set(chain.uid, chain);
  setOwnChainUids(ownChains.flatMap(({ chain, isDeleted }) => (isDeleted ? [] : [chain.uid])));
  return [...changed.map(({ chain }) => chain.uid), ...gone.map(({ uid }) => uid)];
}

/** The chain of a chainUid that was checked when it was written. */
export function getChain(uid: string): Chain {
  const chain = findChain(uid);
  if (!chain) throw new Error(`There is no chain ${uid}.`);
  return chain;
}

/** Undefined for a name that is none, and for a chain that another process has just added. */
export function findChain(uid: string): Chain | undefined {
  return registry.get(uid);
}

/** Every chainUid of the same network, the one first under which it is listed first. */
export function aliasesOf({ uid, chainId }: Chain): ChainUid[] {
  return chainUids.filter(
    (candidate) => candidate === uid || (chainId !== undefined && getChain(candidate).chainId === chainId),
  );
}

/** The chain as a private network of the same kind has it. */
export function withNetwork(chain: Chain, genesis: string | undefined): Chain {
  return genesis === undefined ? chain : { ...chain, genesis };
}

function evm(network: Chain['network'], confirmations: number) {
  return (
    uid: ChainUid,
    name: string,
    chainId: number,
    currency: Chain['currency'],
    blockTimeMs: number,
    explorer: string,
  ): Chain => ({
    uid,
    family: 'evm',
    name,
    network,
    currency,
    chainId,
    blockTimeMs,
    confirmations,
    explorer: site(explorer),
  });
}

/** The paths that most explorers share. */
function site(base: string) {
  return { address: `${base}/address/{}`, transaction: `${base}/tx/{}`, block: `${base}/block/{}` };
}
