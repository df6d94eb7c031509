import { type Static, Type } from 'typebox';
import { parseFunction, selectorOf, tryDecodeCall } from '../chains/evm/abi/abi.ts';
import { functionBySelector, functionItem } from '../chains/evm/abi/abiItems.ts';
import { Configuration } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { callFields, detectCall, FunctionSignature, statusMember } from './support/calls.ts';
import { memoizeParams } from './support/memoizeParams.ts';

const params = Configuration({
  signature: Type.Optional(
    FunctionSignature('The function, such as withdraw(uint256 amount); without it, every function.'),
  ),
  status: statusMember,
});
type Params = Static<typeof params>;

const named = memoizeParams(({ signature }: Params, abi) =>
  signature === undefined ? null : functionItem(signature, abi),
);

export const functionCall = defineTrigger<Params, never>({
  type: 'FUNCTION_CALL',
  families: evmDialect,
  description:
    'A transaction calls a function of the contract. Calls that other contracts make inside a transaction are not seen.',
  params,
  fields: callFields,
  interests: ({ signature }, { address }) => [
    {
      on: 'call',
      address,
      ...(signature !== undefined && { keys: [selectorOf(parseFunction(signature))] }),
    },
  ],
  evaluate(observation, { config, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    // Plain payments call no function.
    if (transaction.input.length < 10) return {};
    const item = named(config, contract) ?? functionBySelector(transaction.input.slice(0, 10), contract.abi);
    const args = item && tryDecodeCall(item, transaction.input);
    return detectCall(read, transaction, contract, chain, config.status, { item, args });
  },
});
