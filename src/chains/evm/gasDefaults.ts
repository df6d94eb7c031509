import type { Chain, ChainUid } from '../chains.ts';

type GasDefaults = {
  /** In gwei. */
  maxGasPrice: number;
  /** In the chain's currency. */
  maxHourlySpend: number;
};

/** Test money: only a mistake by orders of magnitude is stopped. */
const test: GasDefaults = { maxGasPrice: 1000, maxHourlySpend: 100 };
const rollup: GasDefaults = { maxGasPrice: 50, maxHourlySpend: 0.5 };

/** Well above what blocks have cost in the worst hours of each chain, so that no sensible guardian is stopped. */
const mainnets: Partial<Record<ChainUid, GasDefaults>> = {
  ethereum: { maxGasPrice: 500, maxHourlySpend: 2 },
  arbitrum: rollup,
  optimism: rollup,
  base: rollup,
  linea: rollup,
  blast: rollup,
  zksync: rollup,
  scroll: rollup,
  bsc: { maxGasPrice: 100, maxHourlySpend: 2 },
  gnosis: { maxGasPrice: 1000, maxHourlySpend: 200 },
  polygon: { maxGasPrice: 5000, maxHourlySpend: 500 },
  avalanche: { maxGasPrice: 1000, maxHourlySpend: 20 },
  fantom: { maxGasPrice: 5000, maxHourlySpend: 500 },
  // Paid in VTHO, of which a unit of gas costs 10,000 gwei at least.
  vechain: { maxGasPrice: 1_000_000, maxHourlySpend: 10_000 },
  telos: { maxGasPrice: 5000, maxHourlySpend: 500 },
};
/** Young chains, whose prices are not known well enough for more. */
const young: GasDefaults = { maxGasPrice: 5000, maxHourlySpend: 500 };

/** Highest gas price of a wallet unless set otherwise. */
export function gasDefaults({ uid, network }: Chain): GasDefaults {
  return network === 'MAINNET' ? (mainnets[uid] ?? young) : test;
}
