import type { Static } from 'typebox';
import { functionShape } from '../evidence/contractInterface.ts';
import { signatureFaults } from '../evidence/customParameters.ts';
import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { observedCall, refuseCut } from '../model/frames.ts';
import { callFields, detectCall, FunctionSignature, statusMember } from './support/calls.ts';
import { Conditions, compileConditions, refuseFaults } from './support/conditions.ts';
import { memoizeParams } from './support/memoizeParams.ts';

const params = Configuration(
  {
    signature: FunctionSignature(
      'The function, such as withdraw(uint256 amount). Names may be left out: they are then taken from the contract’s ABI.',
    ),
    conditions: Conditions,
    status: statusMember,
    innerCalls: InnerCalls(),
  },
  ['signature', 'conditions'],
);
type Params = Static<typeof params>;

const compiled = memoizeParams(compile);

export const functionParameter = defineTrigger<Params, never>({
  type: 'FUNCTION_PARAMETER',
  families: [...evmDialect, 'solana', 'stellar'],
  description:
    'A transaction calls a function of the contract with parameters that meet all conditions, or a contract does within a transaction, where nodes of the chain trace calls.',
  params,
  fields: callFields,
  check(given, abi) {
    const faults = signatureFaults(() => functionShape(given.signature, abi));
    return faults.length > 0 ? faults : compile(given, abi).faults;
  },
  interests: ({ signature, innerCalls }, { address, abi }) => [
    { on: 'call', address, keys: [functionShape(signature, abi).key], inner: innerCalls },
  ],
  evaluate(observation, { config, contract, chain, read }) {
    const call = observedCall(observation);
    if (!call) return {};
    const { item, decode, test, faults } = compiled(config, contract);
    refuseFaults(faults);
    const args = decode(call.input, call.accounts);
    if (!args) refuseCut(call);
    if (!args || !test(args)) return {};
    return detectCall(read, call, contract, chain, config.status, { item, args });
  },
});

function compile({ signature, conditions }: Params, abi: readonly unknown[]) {
  const { item, decode } = functionShape(signature, abi);
  return { item, decode, ...compileConditions(item.inputs, conditions) };
}
