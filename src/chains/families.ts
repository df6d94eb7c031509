import { bitcoinRules } from './bitcoin/bitcoinRules.ts';
import type { Family } from './chains.ts';
import { evmRules } from './evm/evmRules.ts';
import type { FamilyRules } from './familyRules.ts';
import { icpRules } from './icp/icpRules.ts';
import { solanaRules } from './solana/solanaRules.ts';
import { stellarRules } from './stellar/stellarRules.ts';
import { tronRules } from './tron/tronRules.ts';
import { vechainRules } from './vechain/vechainRules.ts';

/** How each chain family writes addresses and private keys; use it as `families[chains[uid].family]`. */
export const families: Readonly<Record<Family, FamilyRules>> = {
  evm: evmRules,
  bitcoin: bitcoinRules,
  solana: solanaRules,
  tron: tronRules,
  vechain: vechainRules,
  stellar: stellarRules,
  icp: icpRules,
};
