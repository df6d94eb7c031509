import { evmRules } from '../evm/evmRules.ts';
import type { FamilyRules } from '../familyRules.ts';
import { readBareHexKey } from '../hexKey.ts';

const keyForm = '64 hexadecimal digits without 0x in front';

/** VeChainThor took over the addresses of the EVM, EIP-55 capitals included. */
export const vechainRules: FamilyRules = {
  ...evmRules,
  keyForm,
  readKey: (text) => readBareHexKey(text, keyForm),
};
