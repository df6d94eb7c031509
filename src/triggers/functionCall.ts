import { type Static, Type } from 'typebox';
import { functionByKey, functionShape } from '../evidence/contractInterface.ts';
import { signatureFaults } from '../evidence/customParameters.ts';
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
  signature === undefined ? null : functionShape(signature, abi),
);

export const functionCall = defineTrigger<Params, never>({
  type: 'FUNCTION_CALL',
  families: [...evmDialect, 'solana', 'stellar'],
  description:
    'A transaction calls a function of the contract, or a contract does within a transaction, where nodes of the chain trace calls.',
  params,
  fields: callFields,
  check: ({ signature }, abi) =>
    signature === undefined ? [] : signatureFaults(() => functionShape(signature, abi)),
  interests: ({ signature, innerCalls }, { address, abi }) => [
    {
      on: 'call',
      address,
      inner: innerCalls,
      ...(signature !== undefined && { keys: [functionShape(signature, abi).key] }),
    },
  ],
  evaluate(observation, { config, contract, chain, read }) {
    const call = observedCall(observation);
    // Plain payments call no function.
    if (!call || (call.accounts === undefined && call.input.length < 10)) return {};
    const shape = named(config, contract) ?? functionByKey(call.key, contract.abi);
    const args = shape?.decode(call.input, call.accounts);
    return detectCall(read, call, contract, chain, config.status, { item: shape?.item, args });
  },
});
