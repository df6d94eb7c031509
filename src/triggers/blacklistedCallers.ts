import type { Static } from 'typebox';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { CallerList, callerFields, detectCaller } from './support/callers.ts';

const params = CallerList('Whose transactions to the contract are reported.');

export const blacklistedCallers = defineTrigger<Static<typeof params>, never>({
  type: 'BLACKLISTED_CALLERS',
  families: evmDialect,
  description:
    'An address on a list sends a transaction to the contract. Who calls it through another contract is not seen.',
  params,
  fields: callerFields,
  interests: ({ innerCalls }, { address }) => [{ on: 'call', address, inner: innerCalls }],
  evaluate: (observation, context) => detectCaller(observation, context, 'listed'),
});
