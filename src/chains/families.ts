import { bitcoinAddress } from './bitcoin/address.ts';
import { bitcoinKey } from './bitcoin/key.ts';
import type { Family } from './chains.ts';
import { evmAddress } from './evm/address.ts';
import { evmKey } from './evm/key.ts';
import type { FamilyRules } from './familyRules.ts';
import { icpAddress } from './icp/address.ts';
import { icpKey } from './icp/key.ts';
import { solanaAddress } from './solana/address.ts';
import { solanaKey } from './solana/key.ts';
import { stellarAddress } from './stellar/address.ts';
import { stellarKey } from './stellar/key.ts';
import { tronAddress } from './tron/address.ts';
import { tronKey } from './tron/key.ts';
import { vechainAddress } from './vechain/address.ts';
import { vechainKey } from './vechain/key.ts';

/** How each chain family writes addresses and private keys; use it as `families[chains[uid].family]`. */
export const families: Readonly<Record<Family, FamilyRules>> = {
  evm: { ...evmAddress, ...evmKey },
  bitcoin: { ...bitcoinAddress, ...bitcoinKey },
  solana: { ...solanaAddress, ...solanaKey },
  tron: { ...tronAddress, ...tronKey },
  vechain: { ...vechainAddress, ...vechainKey },
  stellar: { ...stellarAddress, ...stellarKey },
  icp: { ...icpAddress, ...icpKey },
};
