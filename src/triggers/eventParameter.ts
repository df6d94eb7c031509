import type { AbiParameter } from 'abitype';
import type { Static } from 'typebox';
import type { EventItem } from '../codecs/evm/abi.ts';
import { eventShape } from '../evidence/contractInterface.ts';
import { signatureFaults } from '../evidence/customParameters.ts';
import { Configuration } from '../evidence/parameters.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { Conditions, compileConditions, refuseFaults } from './support/conditions.ts';
import { describeEvent, EventSignature, eventFields } from './support/events.ts';
import { memoizeParams } from './support/memoizeParams.ts';

const params = Configuration(
  {
    signature: EventSignature(
      'The event, such as Transfer(address indexed from, address indexed to, uint256 value). Names and what is indexed may be left out: they are then taken from the contract’s ABI.',
    ),
    conditions: Conditions,
  },
  ['signature', 'conditions'],
);
type Params = Static<typeof params>;

const compiled = memoizeParams(compile);

export const eventParameter = defineTrigger<Params, never>({
  type: 'EVENT_PARAMETER',
  families: [...evmDialect, 'solana', 'stellar'],
  description:
    'The contract emits an event whose values meet all conditions. An indexed text can only be compared for equality, an indexed list or struct not at all.',
  params,
  fields: eventFields,
  check(given, abi) {
    const faults = signatureFaults(() => eventShape(given.signature, abi));
    return faults.length > 0 ? faults : compile(given, abi).faults;
  },
  interests: ({ signature }, { address, abi }) => [
    { on: 'log', address, keys: [eventShape(signature, abi).key] },
  ],
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const { config, contract } = context;
    const { log, transaction } = observation;
    const { event, decode, test, faults } = compiled(config, contract);
    refuseFaults(faults);
    const args = decode(log);
    return test(args) ? { detections: [describeEvent(log, transaction, context, event, args)] } : {};
  },
});

function compile({ signature, conditions }: Params, abi: readonly unknown[]) {
  const { item: event, decode } = eventShape(signature, abi);
  const { test, faults } = compileConditions(event.inputs, conditions);
  return { event, decode, test, faults: [...faults, ...hashedFaults(event, conditions)] };
}

/** Comparisons that can never be made, because an indexed value of this type leaves only its hash on the chain. */
function hashedFaults(event: EventItem, conditions: Params['conditions']) {
  return conditions.flatMap(({ name, operator, ignoreCase }, index) => {
    const [first] = name.split('.');
    const input = event.inputs.find((parameter, index) => (parameter.name || String(index)) === first);
    if (!input?.indexed || !isHashed(input)) return [];
    if (input.type === 'string' && ['==', '!=', 'in'].includes(operator) && !ignoreCase) return [];
    const message = `is indexed, so that only its hash is on the chain: ${input.type === 'string' ? 'use ==, != or in, with its case' : 'it cannot be compared'}.`;
    return [{ pointer: `/conditions/${index}/name`, code: 'indexed', message }];
  });
}

function isHashed({ type }: AbiParameter): boolean {
  return /^(string|bytes|tuple)$|\]$/.test(type);
}
