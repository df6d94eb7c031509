import { encodeCall, parseFunction, selectorOf } from '../../codecs/evm/abi.ts';
import { toAbiValue } from '../../codecs/evm/toAbiValue.ts';
import type { FamilyActions } from '../familyActions.ts';
import { explainRevert } from './explainRevert.ts';
import { gasDefaults } from './gasDefaults.ts';

export const evmActions: FamilyActions = {
  costUnit: 'wei',
  costName: 'gas',
  priceUnit: 'gwei',
  defaultLimits(chain) {
    const { maxGasPrice, maxHourlySpend } = gasDefaults(chain);
    return { maxGasPrice: String(maxGasPrice), maxHourlySpend: String(maxHourlySpend) };
  },
  parseFunction,
  functionKey: selectorOf,
  readValue: toAbiValue,
  encode: (item, values, contract) => ({ to: contract, data: encodeCall(item, values) }),
  explain: explainRevert,
};
