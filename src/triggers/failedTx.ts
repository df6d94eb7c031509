import { Configuration } from '../evidence/parameters.ts';
import { harmless } from '../lib/harmless.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';
import { sentence } from './support/sentence.ts';

export const failedTx = defineTrigger<object, never>({
  type: 'FAILED_TX',
  families: [...evmDialect, 'solana', 'stellar'],
  description:
    'A transaction sent to the contract, or by the wallet, fails. The reason is given where replaying it on the state before its block gives one.',
  params: Configuration({}),
  fields: ['from', 'to', 'value', 'selector', 'gasUsed', 'reason'],
  interests: (_params, { address }, { family }) =>
    hasEvmDialect(family)
      ? [
          { on: 'call', address },
          { on: 'sender', address },
        ]
      : [{ on: 'touch', address }],
  evaluate(observation, { contract, read }) {
    if (observation.type !== 'transaction') return {};
    const { hash, from, to, value, input } = observation.transaction;
    const { isSuccess, used: gasUsed } = read.receipt(hash);
    if (isSuccess) return {};
    const reason = read.failureReason(observation.transaction) ?? undefined;
    const selector = input.length >= 10 ? input.slice(0, 10) : undefined;
    const why = reason === undefined ? '' : `: ${harmless(reason, 200)}`;
    return {
      detections: [
        {
          message: `${sentence(observation.transaction, contract)}, which failed${why}.`,
          fields: { from, to, value, selector, gasUsed, reason },
        },
      ],
    };
  },
});
