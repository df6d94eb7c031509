import { Configuration } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

export const contractCreated = defineTrigger<object, never>({
  type: 'CONTRACT_CREATED',
  families: evmDialect,
  description:
    'The watched address creates a contract by a transaction of its own. Contracts that a contract creates inside a transaction are not seen.',
  params: Configuration({}),
  fields: ['contractAddress', 'from', 'value', 'nonce'],
  interests: (_params, { address }) => [{ on: 'sender', address }],
  evaluate(observation, { contract, read }) {
    if (observation.type !== 'transaction' || observation.transaction.to !== null) return {};
    const { hash, from, value, nonce, created } = observation.transaction;
    const { isSuccess, contractAddress: first } = read.receipt(hash);
    const contractAddress = created ?? first;
    if (!isSuccess || contractAddress === null) return {};
    return {
      detections: [
        {
          message: `${contract.name} created the contract ${contractAddress}.`,
          fields: { contractAddress, from, value, nonce },
        },
      ],
    };
  },
});
