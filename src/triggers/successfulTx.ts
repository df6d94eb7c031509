import { Configuration } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';
import { sentence } from './support/sentence.ts';

export const successfulTx = defineTrigger<object, never>({
  type: 'SUCCESSFUL_TX',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  description: 'A transaction sent to the contract, or by the wallet, succeeds.',
  params: Configuration({}),
  fields: ['from', 'to', 'value'],
  interests: (_params, { address }, { family }) =>
    hasEvmDialect(family)
      ? [
          { on: 'call', address },
          { on: 'sender', address },
        ]
      : [{ on: 'touch', address }],
  evaluate(observation, { contract, read }) {
    if (observation.type !== 'transaction') return {};
    const { hash, from, to, value } = observation.transaction;
    if (!read.receipt(hash).isSuccess) return {};
    return {
      detections: [
        { message: `${sentence(observation.transaction, contract)}.`, fields: { from, to, value } },
      ],
    };
  },
});
