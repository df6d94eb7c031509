import { evmKey } from '../evm/key.ts';
import type { KeyRules } from '../familyRules.ts';
import { readBareHexKey } from '../hexKey.ts';

const keyForm = '64 hexadecimal digits without 0x in front';

export const vechainKey: KeyRules = {
  ...evmKey,
  keyForm,
  readKey: (text) => readBareHexKey(text, keyForm),
};
