import type { Static } from 'typebox';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { CallerList, callerFields, detectCaller } from './support/callers.ts';

const params = CallerList('Who may send transactions to the contract; anyone else is reported.');

export const whitelistedCallers = defineTrigger<Static<typeof params>, never>({
  type: 'WHITELISTED_CALLERS',
  families: evmDialect,
  description:
    'An address that is not on a list sends a transaction to the contract. Who calls it through another contract is not seen.',
  params,
  fields: callerFields,
  interests: ({ innerCalls }, { address }) => [{ on: 'call', address, inner: innerCalls }],
  evaluate: (observation, context) => detectCaller(observation, context, 'unlisted'),
});
