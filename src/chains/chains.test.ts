import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chains, type Family, seedChainUids } from './chains.ts';

describe('the chain table', () => {
  it('holds each of the 32 seedChainUids once, under its own name', () => {
    expect(seedChainUids).toHaveLength(32);
    expect(new Set(seedChainUids).size).toBe(32);
    expect(Object.keys(chains)).toEqual([...seedChainUids]);
    for (const uid of seedChainUids) expect(chains[uid].uid).toBe(uid);
  });

  it('has a row in the documents for each chain, with its block time and confirmations', () => {
    const lines = readFileSync(new URL('../../docs/chains.md', import.meta.url), 'utf8').split('\n');
    const documented = lines.flatMap((line) => {
      const row = /^\| `(\w+)` \| [^|]+ \| ([\d.]+) (s|min) \| (\d+) \|/.exec(line);
      return row ? [[row[1], Number(row[2]) * (row[3] === 's' ? 1000 : 60_000), Number(row[4])]] : [];
    });
    expect(documented).toEqual(
      seedChainUids.map((uid) => [uid, chains[uid].blockTimeMs, chains[uid].confirmations]),
    );
  });

  it('counts 26 EVM chains and one of each other family', () => {
    const counts: Partial<Record<Family, number>> = {};
    for (const { family } of Object.values(chains)) counts[family] = (counts[family] ?? 0) + 1;
    expect(counts).toEqual({ evm: 26, tron: 1, icp: 1, vechain: 1, stellar: 1, bitcoin: 1, solana: 1 });
  });

  it('gives every EVM chain the chain id its network signs with, and no other chain one', () => {
    const chainIds = Object.fromEntries(seedChainUids.map((uid) => [uid, chains[uid].chainId]));
    expect(chainIds).toEqual({
      arbitrum: 42161,
      bsc: 56,
      bsc_testnet: 97,
      ethereum: 1,
      linea: 59144,
      optimism: 10,
      base: 8453,
      base_sepolia: 84532,
      gnosis: 100,
      fantom: 250,
      polygon: 137,
      polygon_amoy: 80002,
      blast: 81457,
      zksync: 324,
      scroll: 534352,
      avalanche: 43114,
      avalanche_fuji: 43113,
      telos: 40,
      sepolia: 11155111,
      holesky: 17000,
      ethereum_sepolia: 11155111,
      ethereum_holesky: 17000,
      zeta: 7000,
      somnia: 5031,
      adi: 36900,
      anvil: 31337,
    });
  });

  it('treats the two names of Sepolia and of Holesky as the same network', () => {
    const { uid: _sepolia, ...sepolia } = chains.sepolia;
    const { uid: _holesky, ...holesky } = chains.holesky;
    expect(chains.ethereum_sepolia).toEqual({ uid: 'ethereum_sepolia', ...sepolia });
    expect(chains.ethereum_holesky).toEqual({ uid: 'ethereum_holesky', ...holesky });
  });

  it('waits for 12 blocks on a mainnet, 6 on a testnet and 1 on a rollup and on anvil', () => {
    const rollups = [
      'arbitrum',
      'linea',
      'optimism',
      'base',
      'base_sepolia',
      'blast',
      'zksync',
      'scroll',
      'adi',
    ];
    for (const chain of Object.values(chains).filter(({ family }) => family === 'evm')) {
      const layerOne = { MAINNET: 12, TESTNET: 6, DEVNET: 1 }[chain.network];
      expect([chain.uid, chain.confirmations]).toEqual([
        chain.uid,
        rollups.includes(chain.uid) ? 1 : layerOne,
      ]);
    }
  });

  it('names every testnet as such', () => {
    const testnets = seedChainUids.filter((uid) => chains[uid].network === 'TESTNET');
    expect(testnets.filter((uid) => !/test|sepolia|holesky|fuji|amoy/.test(uid))).toEqual([]);
    expect(testnets).toHaveLength(8);
    expect(chains.anvil.network).toBe('DEVNET');
  });

  it('gives every chain but anvil explorer links with exactly one placeholder', () => {
    for (const { uid, explorer } of Object.values(chains)) {
      if (uid === 'anvil') {
        expect(explorer).toBeUndefined();
        continue;
      }
      for (const pattern of Object.values(explorer ?? {})) {
        expect(pattern.split('{}')).toHaveLength(2);
        expect(URL.canParse(pattern.replace('{}', '1'))).toBe(true);
        expect(pattern).toMatch(/^https:\/\/[^/]+\//);
      }
      const all = uid === 'icp' ? ['address'] : ['address', 'transaction', 'block'];
      expect(Object.keys(explorer ?? {})).toEqual(all);
    }
  });

  it('gives every chain a positive block time, a depth and a currency', () => {
    for (const { blockTimeMs, confirmations, currency, name } of Object.values(chains)) {
      expect(blockTimeMs).toBeGreaterThan(0);
      expect(confirmations).toBeGreaterThanOrEqual(0);
      expect(currency.decimals).toBeGreaterThan(0);
      expect(`${name}${currency.symbol}${currency.name}`).toMatch(/\S{3,}/);
    }
  });
});
