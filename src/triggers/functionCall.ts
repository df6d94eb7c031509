import { type Static, Type } from 'typebox';
import { parseFunction, selectorOf, tryDecodeCall } from '../chains/evm/abi/abi.ts';
import { functionBySelector, functionItem } from '../chains/evm/abi/abiItems.ts';
import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { observedCall } from '../model/frames.ts';
import { callFields, detectCall, FunctionSignature, statusMember } from './support/calls.ts';
import { memoizeParams } from './support/memoizeParams.ts';

const params = Configuration({
  signature: Type.Optional(
    FunctionSignature('The function, such as withdraw(uint256 amount); without it, every function.'),
  ),
  status: statusMember,
  innerCalls: InnerCalls(),
});
type Params = Static<typeof params>;

const named = memoizeParams(({ signature }: Params, abi) =>
  signature === undefined ? null : functionItem(signature, abi),
);

export const functionCall = defineTrigger<Params, never>({
  type: 'FUNCTION_CALL',
  families: evmDialect,
  description:
    'A transaction calls a function of the contract, or a contract does within a transaction, where nodes of the chain trace calls.',
  params,
  fields: callFields,
  interests: ({ signature, innerCalls }, { address }) => [
    {
      on: 'call',
      address,
      inner: innerCalls,
      ...(signature !== undefined && { keys: [selectorOf(parseFunction(signature))] }),
    },
  ],
  evaluate(observation, { config, contract, chain, read }) {
    const call = observedCall(observation);
    // Plain payments call no function.
    if (!call || call.input.length < 10) return {};
    const item = named(config, contract) ?? functionBySelector(call.input.slice(0, 10), contract.abi);
    const args = item && tryDecodeCall(item, call.input);
    return detectCall(read, call, contract, chain, config.status, { item, args });
  },
});
