import { bitcoinFamily } from './bitcoin/bitcoinFamily.ts';
import type { ChainFamily } from './chainFamily.ts';
import type { Family } from './chains.ts';
import { evmFamily } from './evm/evmFamily.ts';
import { icpFamily } from './icp/icpFamily.ts';
import { solanaFamily } from './solana/solanaFamily.ts';
import { stellarFamily } from './stellar/stellarFamily.ts';
import { tronFamily } from './tron/tronFamily.ts';
import { vechainFamily } from './vechain/vechainFamily.ts';

/** One row for each chain family; use it as `families[chains[uid].family]`. */
export const families: Readonly<Record<Family, ChainFamily>> = {
  evm: evmFamily,
  bitcoin: bitcoinFamily,
  solana: solanaFamily,
  tron: tronFamily,
  vechain: vechainFamily,
  stellar: stellarFamily,
  icp: icpFamily,
};
