import { evmActions } from '../evm/evmActions.ts';
import type { FamilyActions } from '../familyActions.ts';
import { readShown } from './tronAddress.ts';

export const tronActions: FamilyActions = {
  ...evmActions,
  costUnit: 'sun',
  costName: 'energy and bandwidth',
  priceUnit: 'sun',
  // The network has charged 420 sun for a unit of energy at most.
  defaultLimits: () => ({ maxGasPrice: '1000', maxHourlySpend: '5000' }),
  /** Addresses as people know them. */
  readValue(input, value, label) {
    const isAddress = input.type.startsWith('address');
    const read = (item: unknown): unknown =>
      Array.isArray(item) ? item.map(read) : typeof item === 'string' ? (readShown(item) ?? item) : item;
    return evmActions.readValue(input, isAddress ? read(value) : value, label);
  },
  termsFault: ({ tip }) =>
    tip === null ? undefined : { member: 'tip', reason: 'Transactions of Tron pay no tip.' },
};
